"""The same failure in a simpler structure: fewer calls, lower ranks, nothing around the match.

Choices cannot find it where it takes rare values, as they draw other values for other structures.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from gsl.attr.term import Symbol
from gsl.errors import GslError
from gsl.expr import Var
from gsl.subst import Subst
from gslverify.networks.arrays import random_array
from gslverify.networks.network import Network
from gslverify.networks.strategies import concrete_site, constants_are_defined
from gslverify.networks.values import value_ranges
from gslverify.structures.sampling import Sampler
from gslverify.trials.kept import kept_inputs
from gslverify.trials.trial import Outcome, run_trial

MOST_STRUCTURES = 24
STYLES = ("small integers", "distinct integers", "nonzero integers", "halves")
USUAL_SIZE = 2
MOST_INPUT_ELEMENTS = 20_000

Complexity = tuple[int, int]
"""How many expressions a structure has, and how many axes its inputs have together."""


def complexity(sampler: Sampler) -> Complexity:
    """Return how complex the graphs of a structure are."""
    exprs = [node.expr for node in sampler.instance.graph]
    return len(exprs), sum(len(expr.shape) for expr in exprs if isinstance(expr, Var))


def in_simplest_structure(
    subst: Subst, failure: Outcome, samplers: Sequence[Sampler], seconds: float
) -> Outcome:
    """Return a failure with the same code in the simplest structure in which one is found.

    Sizes, attributes and inputs are those of the failure, as far as the structure has them; the
    structure itself is tried as well where something stands around the match.
    """
    if failure.network.sampler is None or failure.network.escaping:
        return failure
    until = time.monotonic() + seconds
    for sampler in _simpler(failure.network, samplers):
        if time.monotonic() > until:
            break
        found = failing_in(subst, failure, sampler)
        if found is not None:
            return found
    return failure


def _simpler(network: Network, samplers: Sequence[Sampler]) -> Iterator[Sampler]:
    now = complexity(network.sampler)
    simpler = [sampler for sampler in samplers if complexity(sampler) < now]
    yield from sorted(simpler, key=complexity)[:MOST_STRUCTURES]
    if network.context != "alone":
        yield network.sampler


def failing_in(subst: Subst, failure: Outcome, sampler: Sampler) -> Outcome | None:
    """Return a trial of another structure that fails with the same code, if one is found."""
    network = like(failure.network, sampler)
    if network is None or network.elements > MOST_INPUT_ELEMENTS:
        return None
    for inputs in _inputs(network, failure.inputs):
        trial = run_trial(subst, network, inputs)
        if trial.code is failure.code:
            return trial
    return None


def like(network: Network, sampler: Sampler, sizes: Sequence[int] = ()) -> Network | None:
    """Return a match alone of another structure with the sizes and attributes of a network.

    Other `sizes` may be given, which free axes get in turn.
    """
    turns = cycle(sizes)

    def wish(symbol: Symbol, options: tuple[Any, ...]) -> Any:
        if sizes and ".shape[" in symbol.name:
            return next(turns)
        value = network.model.get(symbol.name, _usual(symbol))
        return options[0] if options and value not in options else value

    try:
        model = sampler.model(wish, may_be_empty=False)
        if model is None:
            return None
        outputs = tuple(concrete_site(sampler.instance, model).outputs)
    except (GslError, TypeError):
        return None
    named = {one.name: model[one] for one in sorted(model, key=lambda one: one.name)}
    if not constants_are_defined(outputs):
        return None
    return Network(outputs, outputs, "alone", named, sampler=sampler)


def _usual(symbol: Symbol) -> Any:
    if symbol.sort == "int":
        return USUAL_SIZE if symbol.low is None else max(USUAL_SIZE, int(symbol.low))
    return {"text": "float32", "bool": False, "real": 1.0}[symbol.sort]


def _inputs(network: Network, failing: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield from kept_inputs(network.variables, failing)
    generator = np.random.default_rng(0)
    ranges = value_ranges(network.outputs)
    for style in STYLES:
        yield {v.name: random_array(v, style, ranges.get(v), generator) for v in network.variables}
