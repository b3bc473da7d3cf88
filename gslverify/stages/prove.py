"""The stage "prove": are all elements of source and target equal, for all sizes? (z3)

What a proof claims and what it leaves to the other stages is said in `gslverify.prove.claim`. What
is not proved is not held against a rule. With a folder for certificates each structure leaves one,
and counts as proved only where the checker accepts it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from gslverify.codes.satisfiable import NOT_PROVED
from gslverify.finding import Assurance, Finding, Level, Reach
from gslverify.prove.effort import Doubt, no_doubt
from gslverify.prove.indices.relaxed import Replies
from gslverify.prove.proof import prove
from gslverify.prove.results import Open, Proved
from gslverify.ranks.bound import NO_LARGER, is_larger, larger, reason_against_all_ranks
from gslverify.ranks.fields import reason_against_all_lengths
from gslverify.stage import Count, LeftOpen, Note, Outcome, Question, Stage
from gslverify.stages.certified import Certificate
from gslverify.stages.examination import scenarios_of
from gslverify.stages.scenarios import Scenario, Scenarios
from gslverify.stages.shape import assurance_text, shape_holds


def examine(question: Question) -> Iterable[Outcome]:
    """Prove every scenario; the first one that stays open ends the stage.

    A proof is said to hold for the usual structures, or for tensors of any number of axes where
    that follows (`gslverify.ranks`). That the few larger ones are proved as well makes it unlikely
    that it is the number of axes or fields that saves the rule.
    """
    scenarios = scenarios_of(question)
    if not scenarios.feasible:
        return
    if scenarios.only_empty or not shape_holds(question):
        yield from _nothing_to_prove(question, scenarios)
        return
    replies: Replies = {}
    certificate = Certificate(question.rule_id) if question.settings.certificates else None
    every = [*scenarios.feasible, *scenarios.large]
    steps, doubt = question.settings.proof_steps, Doubt(no_doubt)
    for number, scenario in enumerate(every):
        question.progress(f"variant {number + 1}/{len(every)}")
        doubt.is_wrong = partial(_is_wrong, question, scenario)
        found = prove(scenario.instance, scenario.solver, replies, steps, doubt)
        if isinstance(found, Proved) and certificate is not None:
            refused = certificate.add(scenario, replies)
            found = Open(f"its certificate is refused: {refused}") if refused else found
        if isinstance(found, Open):
            yield LeftOpen(f"not proved for all sizes: {found}")
            yield from _required(question, str(found))
            return
    scenarios.proved = scenarios.complete
    question.plan = scenarios.plan()
    if certificate is not None:
        certificate.write(Path(question.settings.certificates))
    if not scenarios.complete:
        yield from _required(question, assurance_text(scenarios))
    yield Count("variants", len(scenarios.feasible))
    reach = Reach.SIZES if scenarios.complete else Reach.SIZES_IN_PART
    ranks, lengths = against_all_ranks(question, scenarios), _against_all_lengths(scenarios)
    text = assurance_text(scenarios, not ranks, not lengths)
    yield Assurance("prove", Level.PROVED, text, reach)
    if ranks:
        yield Note(f"not for all ranks: {ranks}")
    if lengths and any(one.instance.bindings.lengths for one in scenarios.feasible):
        yield Note(f"not for all lengths: {lengths}")


def _nothing_to_prove(question: Question, scenarios: Scenarios) -> Iterable[Outcome]:
    if scenarios.only_empty:
        yield LeftOpen("not proved for all sizes: no proof is about tensors without elements")
        yield from _required(question, "only graphs with an empty tensor match")
    else:
        yield from _required(question, "types are not proved to agree")


def _is_wrong(question: Question, scenario: Scenario) -> bool:
    """Tell whether some graph of a structure, drawn soon, refutes the rule."""
    # Here, as most proofs are short and do without what draws graphs.
    from gslverify.trials.first_look import is_wrong_on_some

    return is_wrong_on_some(question.subst, scenario.sampler, question.seed("prove"))


def against_all_ranks(question: Question, scenarios: Scenarios) -> str:
    """Return why a proof is not known to hold for any number of axes; empty if it is."""
    if "against all ranks" not in question.memory:
        question.memory["against all ranks"] = _reason_against_all_ranks(question, scenarios)
    reason: str = question.memory["against all ranks"]
    return reason


def _reason_against_all_ranks(question: Question, scenarios: Scenarios) -> str:
    if not scenarios.complete:
        return "not all structures are proved"
    if scenarios.in_parts and not scenarios.all_ranks:
        return "a rule that it consists of may not hold for all"
    usual, large = ([one.instance for one in of] for of in (scenarios.feasible, scenarios.large))
    if scenarios.in_parts:
        found = any(map(is_larger, large)) or bool(larger(question.subst))
        return "" if found else NO_LARGER
    return reason_against_all_ranks(question.subst, usual, large)


def _against_all_lengths(scenarios: Scenarios) -> str:
    """Return why a proof is not known to hold for any number of fields; empty if it is."""
    if not scenarios.complete:
        return "not all structures are proved"
    return reason_against_all_lengths(scenarios.feasible[0].instance.subst)


def _required(question: Question, reason: str) -> Iterable[Outcome]:
    """Yield that a proof is missing, if one is required."""
    if question.settings.require == "proved":
        yield Finding(NOT_PROVED, NOT_PROVED.title, question.subst.span, details=(reason,))


PROVE = Stage("prove", examine, pauses_collector=True)
