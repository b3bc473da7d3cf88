"""The stage "gradient": do source and target have the same gradients? (kernels in reverse)"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gsl.differentiation import is_differentiable, places, tensor_type
from gsl.errors import GraphError
from gsl.text.listing import listing
from gsl.types import FLOATING
from gslverify.codes.gradient import (
    GRADIENTS_DIFFER,
    GRADIENTS_DOUBTED,
    NOTHING_TO_DIFFERENTIATE,
    TOO_FEW_GRADIENTS,
)
from gslverify.finding import Assurance, Counterexample, Finding, Level, Tensor
from gslverify.gradients.agreement import Agreement, Sides, judge, judge_at
from gslverify.gradients.opinions import opinions
from gslverify.networks.choices import Choices, NothingDrawnError
from gslverify.networks.exploration import (
    GENERATE,
    REUSE,
    EnoughError,
    ExampleStatus,
    Kept,
    Phases,
    explore,
)
from gslverify.networks.generation import network_from
from gslverify.networks.network import Network
from gslverify.shrinking.descent import Budget, simplest
from gslverify.stage import Count, Outcome, Question, Stage
from gslverify.stages.examination import scenarios_of
from gslverify.structures.models.sampling import Sampler
from gslverify.trials.counterexample import shown_attributes
from gslverify.trials.rewriting import prepare
from gslverify.trials.search import REPLAYED

MOST_GRAPHS = 16
LEAST_GRAPHS = 4
GRAPHS_FOR_TVM = 4
MOST_ATTEMPTS = 100
"""Of simpler graphs; gradients take longer than values."""
SHARE = 4
"""One graph is differentiated for so many that the numeric stage tries."""

NO_FLOATS = "no output is a tensor of floats"
NO_VARIABLES = "no input is a tensor of floats"
NOTHING = {NO_FLOATS, NO_VARIABLES}


def examine(question: Question) -> Iterable[Outcome]:
    """Compare gradients on some graphs; yield the smallest on which they differ."""
    found = scenarios_of(question)
    scenarios = [*found.feasible, *found.large]
    if not scenarios:
        return
    samplers = [scenario.sampler for scenario in scenarios]
    tried = _try(question, samplers)
    yield Count("gradients", len(tried.agreements))
    yield from _summary(question, tried, samplers)


@dataclass(slots=True)
class _Tried:
    """What became of all graphs: reasons against drawing some, and against comparing some.

    Of graphs that failed in an earlier run, `is_replayed` is true.
    """

    agreements: list[Agreement] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    is_replayed: bool = False

    @property
    def has_no_gradients(self) -> bool:
        """Whether types alone said of every graph that there is nothing to compare."""
        return not self.agreements and bool(self.rejected) and self.rejected.keys() <= NOTHING

    @property
    def wrong(self) -> list[Agreement]:
        """The graphs with other gradients."""
        return [one for one in self.agreements if one.differences]


def _try(question: Question, samplers: Sequence[Sampler]) -> _Tried:
    """Try what failed in an earlier run; if nothing fails any more, draw graphs."""
    if question.examples:
        replayed = _explored(question, samplers, REUSE)
        if replayed.wrong:
            return replace(replayed, is_replayed=True)
    return _explored(question, samplers, GENERATE)


def _explored(question: Question, samplers: Sequence[Sampler], phases: Phases) -> _Tried:
    count = min(MOST_GRAPHS, max(LEAST_GRAPHS, question.settings.max_examples // SHARE))
    tried, folder = _Tried(), question.examples
    kept = Kept(folder, question.rule_id, "gradient") if folder else None

    def make(choices: Choices) -> Network:
        try:
            return network_from(choices, samplers, ("alone",), FLOATING[:2])
        except NothingDrawnError as error:
            tried.refused[str(error)] += 1
            raise

    def examine(network: Network) -> ExampleStatus:
        if tried.wrong:
            return ExampleStatus.FAILED  # hypothesis runs what failed once more
        question.progress(f"gradient {len(tried.agreements) + 1}")
        agreement = _judged(question, network)
        if agreement.rejected:
            tried.rejected[agreement.rejected] += 1
            if tried.has_no_gradients and tried.rejected.total() >= count:
                raise EnoughError
            return ExampleStatus.INCONCLUSIVE
        tried.agreements.append(agreement)
        return ExampleStatus.FAILED if agreement.differences else ExampleStatus.PASSED

    explore(make, examine, count, question.seed("gradient"), kept=kept, phases=phases)
    return tried


def _judged(
    question: Question, network: Network, inputs: Mapping[str, Any] | None = None
) -> Agreement:
    """Compare gradients at inputs, or at smooth ones."""
    rewritten = prepare(question.subst, network)
    if isinstance(rewritten, GraphError) or rewritten.refusal or rewritten.mismatch:
        reason = "the engine did not rewrite the graph; see the stage numeric"
        return _rejected(network, reason)
    if [one.type for one in rewritten.outputs] != [one.type for one in network.outputs]:
        return _rejected(network, "an output has another type; see the stage numeric")
    if not any(variable.dtype in FLOATING for variable in network.variables):
        return _rejected(network, NO_VARIABLES)
    results = (place for output in network.outputs for place in places(output))
    if not any(is_differentiable(tensor_type(place)) for place in results):
        return _rejected(network, NO_FLOATS)
    generator = np.random.default_rng(question.seed("gradient"))
    if inputs is not None:
        return judge_at(network, rewritten.outputs, inputs, generator)
    return judge(network, rewritten.outputs, generator)


def _simplified(
    question: Question, failure: Agreement, samplers: Sequence[Sampler], how: str
) -> Agreement:
    """Return the simplest graph with other gradients, at simple inputs if it has some there."""

    def tell(found: Agreement) -> None:
        question.found(_refutation(question, found, how))

    def attempt(network: Network, inputs: Mapping[str, Any]) -> Agreement | None:
        found = _judged(question, network, inputs)
        if found.rejected and network is not failure.network:
            found = _judged(question, network)
        return found if found.differences else None

    tell(failure)
    budget = Budget.lasting(question.settings.shrink_seconds, MOST_ATTEMPTS)
    return simplest(failure, attempt, budget, samplers, tell)


def _rejected(network: Network, reason: str) -> Agreement:
    return Agreement(Sides(network, (), {}), reason)


def _summary(question: Question, tried: _Tried, samplers: Sequence[Sampler]) -> Iterable[Outcome]:
    agreements, span = tried.agreements, question.subst.span
    if tried.wrong:
        how = f"found on one of {len(agreements)} graphs, seed {question.settings.seed}"
        how = REPLAYED if tried.is_replayed else how
        yield _refutation(question, _simplified(question, tried.wrong[0], samplers, how), how)
    elif tried.has_no_gradients:
        message = "no output of floats depends on an input of floats"
        yield Finding(NOTHING_TO_DIFFERENTIATE, message, span)
    elif len(agreements) < LEAST_GRAPHS:
        reasons = (tried.refused + tried.rejected).most_common(3)
        message = f"only {len(agreements)} of {LEAST_GRAPHS} needed graphs"
        details = tuple(f"{number} rejected: {why}" for why, number in reasons)
        yield Finding(TOO_FEW_GRADIENTS, message, span, details=details)
    else:
        yield Assurance("gradients", Level.TESTED, f"tested, {len(agreements)} graphs")
        if question.settings.use_tvm:
            yield from _second_opinion(question, agreements)


def _second_opinion(question: Question, agreements: list[Agreement]) -> Iterable[Outcome]:
    """Have TVM derive some of the gradients, too; the simplest networks are asked about."""
    asked = sorted(agreements, key=lambda one: one.sides.size)[:GRAPHS_FOR_TVM]
    said = opinions(asked)
    yield Count("gradients of TVM", said.derived)
    for doubt in said.doubts[:1]:
        yield Finding(GRADIENTS_DOUBTED, doubt, question.subst.span, details=said.doubts[1:3])


def _refutation(question: Question, failure: Agreement, how: str) -> Finding:
    sides = failure.sides
    network = sides.network
    example = Counterexample(
        attributes=shown_attributes(network),
        source=tuple(listing(network.outputs)),
        target=tuple(listing(sides.target)),
        inputs=tuple(
            Tensor(name, array.dtype.name, array.shape, array.tolist())
            for name, array in sides.inputs.items()
        ),
        outputs=failure.differences,
        notes=("the gradients of the sum of all outputs, each element with a weight about 1",),
    )
    return Finding(
        GRADIENTS_DIFFER,
        failure.differences[0].summary,
        question.subst.span,
        details=(how,),
        counterexample=example,
        subject=GRADIENTS_DIFFER.id,
    )


GRADIENT = Stage("gradient", examine)
