"""The stage "gradient": do source and target have the same gradients? (kernels in reverse)"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

import numpy as np

from gsl.errors import GraphError
from gsl.listing import listing
from gsl.types import FLOATING
from gslverify.codes.gradient import (
    GRADIENTS_DIFFER,
    NOTHING_TO_DIFFERENTIATE,
    TOO_FEW_GRADIENTS,
)
from gslverify.finding import Assurance, Counterexample, Finding, Level, Tensor
from gslverify.generate.network import Network
from gslverify.generate.some import some_networks
from gslverify.gradients import Agreement, Sides, judge
from gslverify.sampling import Sampler
from gslverify.stage import Count, Outcome, Question, Stage
from gslverify.stages.satisfiable import scenarios_of
from gslverify.trial import prepare

MOST_GRAPHS = 16
LEAST_GRAPHS = 4
SHARE = 4
"""One graph is differentiated for so many that the numeric stage tries."""

NO_FLOATS = "no output is a tensor of floats"
NO_VARIABLES = "no input is a tensor of floats"


def examine(question: Question) -> Iterable[Outcome]:
    """Compare gradients on some graphs; yield the smallest on which they differ."""
    found = scenarios_of(question)
    scenarios = [*found.feasible, *found.large]
    if not scenarios:
        return
    samplers = [Sampler(scenario.instance, scenario.solver) for scenario in scenarios]
    refused = Counter[str]()
    count = min(MOST_GRAPHS, max(LEAST_GRAPHS, question.settings.max_examples // SHARE))
    start = _seed(question)
    networks = some_networks(samplers, FLOATING[:2], count, start, refused)
    generator = np.random.default_rng(start)
    agreements: list[Agreement] = []
    for network in networks:
        question.progress(f"gradient {len(agreements) + 1}")
        agreement = _judged(question, network, generator)
        if agreement.rejected:
            refused[agreement.rejected] += 1
        else:
            agreements.append(agreement)
    yield Count("gradients", len(agreements))
    yield from _summary(question, agreements, refused)


def _judged(question: Question, network: Network, generator: np.random.Generator) -> Agreement:
    rewritten = prepare(question.subst, network)
    if isinstance(rewritten, GraphError) or rewritten.refusal or rewritten.mismatch:
        reason = "the engine did not rewrite the graph; see the stage numeric"
        return _rejected(network, reason)
    if [one.type for one in rewritten.outputs] != [one.type for one in network.outputs]:
        return _rejected(network, "an output has another type; see the stage numeric")
    if not any(variable.dtype in FLOATING for variable in network.variables):
        return _rejected(network, NO_VARIABLES)
    return judge(network, rewritten.outputs, generator)


def _rejected(network: Network, reason: str) -> Agreement:
    return Agreement(Sides(network, (), {}), reason)


def _summary(
    question: Question, agreements: list[Agreement], refused: Counter[str]
) -> Iterable[Outcome]:
    wrong = [one for one in agreements if one.differences]
    span = question.subst.span
    reasons = tuple(f"{number} rejected: {why}" for why, number in refused.most_common(3))
    if wrong:
        yield _refutation(question, min(wrong, key=lambda one: one.sides.size), len(agreements))
    elif not agreements and refused and refused.keys() <= {NO_FLOATS, NO_VARIABLES}:
        message = "no output of floats depends on an input of floats"
        yield Finding(NOTHING_TO_DIFFERENTIATE, message, span)
    elif len(agreements) < LEAST_GRAPHS:
        message = f"only {len(agreements)} of {LEAST_GRAPHS} needed graphs"
        yield Finding(TOO_FEW_GRADIENTS, message, span, details=reasons)
    else:
        yield Assurance("gradients", Level.TESTED, f"tested, {len(agreements)} graphs")


def _refutation(question: Question, failure: Agreement, tried: int) -> Finding:
    sides = failure.sides
    network = sides.network
    example = Counterexample(
        attributes={n: v for n, v in network.model.items() if ".shape[" not in n},
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
        details=(f"found on one of {tried} graphs, seed {question.settings.seed}",),
        counterexample=example,
        subject=GRADIENTS_DIFFER.id,
    )


def _seed(question: Question) -> int:
    """Return the seed of a rule, which does not depend on its neighbours, their order or folder."""
    name = question.rule_id.rpartition("/")[2]
    text = f"{question.settings.seed}\0{name}\0gradient"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


GRADIENT = Stage("gradient", examine)
