"""The stage "preconditions": is what a rule demands of a match needed, too much, or redundant?

Every demand is turned round: the rule that matches only what the demand refuses is put before the
other stages. Where it is refuted the demand is needed, where it is proved the demand is stronger
than needed, and where no graph matches it the demand is redundant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from gsl.text.listing import listing
from gslverify.codes.preconditions import REDUNDANT_CONDITION, STRONGER_THAN_NEEDED
from gslverify.finding import Counterexample, Finding
from gslverify.mutation.draft import Draft
from gslverify.networks.empty import empty_networks
from gslverify.networks.network import Network
from gslverify.preconditions.changed import Verified, changed_question, verified
from gslverify.preconditions.restrictions import Restriction, restrictions
from gslverify.preconditions.specimens import specimens
from gslverify.stage import Count, Note, Outcome, Question, Stage
from gslverify.stages.examination import scenarios_of
from gslverify.structures.models.concrete import bindings_of

GRAPHS = 12
MOST_SHOWN = 6
"""Attributes that are shown of a counterexample."""


def examine(question: Question) -> Iterable[Outcome]:
    """Judge every demand of a rule that no other stage has refuted."""
    demands = restrictions(question.subst)
    for number, demand in enumerate(demands, 1):
        question.progress(f"demand {number}/{len(demands)}")
        yield from _judged(question, demand)
    yield Count("demands", len(demands))


def _judged(question: Question, demand: Restriction) -> Iterator[Outcome]:
    result = _asked(question, demand.refused)
    if result is None:
        yield Note(f"`{demand.text}` cannot be turned round, so it is not judged")
    elif result.is_vacuous:
        yield _never_refuses(question, demand)
    elif result.refutation is not None:
        yield Note(f"`{demand.text}` is needed: {_shown(result.refutation)}")
        yield from _too_strong(question, demand)
    elif result.holds and result.proved:
        message = f"`{demand.text}` is stronger than needed: the rule holds without it"
        yield _stronger(question, demand, message, "drop it, unless it is meant", result)
    else:
        yield Note(_undecided(demand, result))


def _asked(question: Question, draft: Draft) -> Verified | None:
    changed = changed_question(question, draft, "~refused")
    return None if changed is None else verified(changed)


def _never_refuses(question: Question, demand: Restriction) -> Outcome:
    if not demand.is_total:
        return Note(f"`{demand.text}` holds wherever it has a value")
    if _refuses_empty(question, demand):
        return Note(f"`{demand.text}` refuses only tensors without elements")
    message = f"`{demand.text}` follows from the rest of the rule"
    return Finding(
        REDUNDANT_CONDITION,
        message,
        demand.span,
        "drop it, unless it is there to be read",
        subject=demand.text,
    )


def _refuses_empty(question: Question, demand: Restriction) -> bool:
    dropped = changed_question(question, demand.dropped, "~dropped")
    if dropped is None:
        return True
    found = scenarios_of(dropped)
    networks = empty_networks([scenario.sampler for scenario in found.feasible])
    matches = ((one, bindings_of(question.subst, one.outputs, one.matched)) for one in networks)
    return any(
        match is None and bindings_of(dropped.subst, one.outputs, one.matched) is not None
        for one, match in matches
    )


def _too_strong(question: Question, demand: Restriction) -> Iterator[Outcome]:
    """Yield a warning if a weaker demand is proved to do."""
    for weaker in demand.weaker:
        result = _asked(question, weaker.refused)
        if result is not None and result.holds and result.proved:
            message = f"`{demand.text}` is stronger than needed: `{weaker.text}` is enough"
            yield _stronger(question, demand, message, f"write `{weaker.text}` instead", result)
            return


def _stronger(
    question: Question, demand: Restriction, message: str, cure: str, result: Verified
) -> Finding:
    lines = tuple(_agreeing(result.question))
    return Finding(STRONGER_THAN_NEEDED, message, demand.span, cure, lines, subject=demand.text)


def _agreeing(question: Question) -> Iterator[str]:
    """Yield the smallest of a few graphs on which both sides were seen to agree, as text."""
    samplers = [scenario.sampler for scenario in scenarios_of(question).feasible]
    drawn = specimens(question.subst, samplers, GRAPHS, question.seed("numeric"))
    networks = [specimen.network for specimen in drawn if not specimen.fails]
    if not networks:
        return
    network = min(networks, key=_elements)
    yield "a graph that is refused although both sides agree on it:"
    yield from (f"  {line}" for line in listing(network.outputs))
    inputs = ", ".join(f"{one.name}: {one.type}" for one in network.variables)
    yield f"  with {inputs}" if inputs else "  without inputs"


def _elements(network: Network) -> int:
    return sum(prod(variable.shape) for variable in network.variables)


def _shown(refutation: Finding) -> str:
    """Return what goes wrong without a demand, on one graph, in one sentence."""
    example = refutation.counterexample
    what = refutation.message
    return what if example is None else f"{what}, for {_graph(example)}"


def _graph(example: Counterexample) -> str:
    inputs = [f"{one.name}: {one.dtype} {one.shape}" for one in example.inputs]
    chosen = [f"{name}={value!r}" for name, value in example.attributes.items()]
    attributes = [text for text in chosen if ".shape[" not in text and ".dtype=" not in text]
    source = "; ".join(example.source)
    extra = f" with {', '.join(attributes[:MOST_SHOWN])}" if attributes else ""
    return f"{source}{extra}; {', '.join(inputs)}" if inputs else f"{source}{extra}"


def _undecided(demand: Restriction, result: Verified) -> str:
    agreed = result.results[-1].counts.get("examples", 0)
    if result.holds and agreed:
        seen = f"both sides agree on {agreed} graphs that it refuses, which is no proof"
        return f"`{demand.text}` may be stronger than needed: {seen}"
    reasons = [finding.message for one in result.results for finding in one.findings]
    return f"`{demand.text}` could not be judged: {(reasons or ['no answer'])[0]}"


PRECONDITIONS = Stage("preconditions", examine)
