"""Networks drawn without hypothesis: ten times as many a second, and none can be shrunk.

This is not a benchmark, but what some of them draw with.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import Constant, Operation, Symbol, Term
from gsl.errors import GslError
from gsl.expr import Expr
from gsl.graph import reverse_post_order
from gsl.types import TensorType
from gslverify.networks.arrays import filled_inputs
from gslverify.networks.choices import NothingDrawnError
from gslverify.networks.contexts import CONTEXTS
from gslverify.networks.generation import (
    STYLES_OF_CONSTANTS,
    filled_constants,
    misused_constant,
    network_of,
)
from gslverify.networks.network import Network
from gslverify.networks.preferences import DTYPES, INTEGERS, REALS
from gslverify.structures.models.concrete import Fill
from gslverify.structures.models.sampling import Preference, Sampler

STYLES = ("small integers", "distinct integers", "reals", "halves")
MOST_ELEMENTS = 4_000


def drawn(
    samplers: Sequence[Sampler],
    random: Random,
    contexts: Sequence[str] = CONTEXTS,
    dtypes: Sequence[str] = DTYPES,
    variant: object = None,
    demand: Term | None = None,
    ask_solver: bool = False,
) -> tuple[Network, dict[str, Any]] | None:
    """Return a network around a match and values for its inputs; None when the draw failed.

    Draws of one `variant` have the same structure and as far as possible the same dtypes and
    attributes, so that they need the same kernels; sizes, values and contexts differ. A `demand` on
    the symbols of a structure is met, if that is easy or the solver is asked.

    A draw fails where no sizes and attributes are found, none of the contexts has a place, or the
    tensors have more than MOST_ELEMENTS elements.
    """
    structure = random if variant is None else Random(repr(variant))
    sampler = structure.choice(samplers)
    model = _model(sampler, _preference(structure, random, dtypes), demand, ask_solver)
    if model is None:
        return None
    seed = random.getrandbits(32)
    generator = np.random.default_rng(seed)
    style = random.choice(STYLES_OF_CONSTANTS)
    try:
        fill = filled_constants(sampler.instance, model, style, generator)
        alone = network_of(sampler, model, fill)
        exprs = reverse_post_order(alone.outputs)
        if not all(map(_is_small, exprs)) or misused_constant(exprs) is not None:
            return None
        shuffled = random.sample(contexts, len(contexts))
        network = _in_some_context(sampler, model, fill, shuffled)
    except GslError:
        return None
    if network is None:
        return None
    return network, filled_inputs(network, (random.choice(STYLES), True), seed)


def _in_some_context(
    sampler: Sampler, model: dict[Symbol, Any], fill: Fill, contexts: Sequence[str]
) -> Network | None:
    for context in contexts:
        with suppress(NothingDrawnError):
            return network_of(sampler, model, fill, context)
    return None


def _model(
    sampler: Sampler, preference: Preference, demand: Term | None, ask_solver: bool
) -> dict[Symbol, Any] | None:
    if demand is None:
        return sampler.model(preference, may_be_empty=False)
    granting = _granting(preference, demand)
    model = sampler.near(granting, False, demand)
    if model is None and ask_solver:
        model = sampler.model(granting, may_be_empty=False, demand=demand)
    return model


def _is_small(expr: Expr) -> bool:
    return not isinstance(expr.type, TensorType) or expr.type.size <= MOST_ELEMENTS


def _granting(preference: Preference, demand: Term) -> Preference:
    """Return preferences for the numbers that a demand names."""
    named: dict[Symbol, Any] = {}
    for part in conjuncts(demand):
        match part:
            case Operation(head="==", operands=(Symbol() as symbol, Constant(value=value))):
                named[symbol] = value
    return lambda symbol, options: named[symbol] if symbol in named else preference(symbol, options)


def _preference(structure: Random, random: Random, dtypes: Sequence[str]) -> Preference:
    same = random.choice((0, 0, random.randint(1, 4)))

    def preference(symbol: Symbol, options: tuple[Any, ...]) -> Any:
        if symbol.sort == "text":
            likely = [dtype for dtype in dtypes if not options or dtype in options]
            return structure.choice(likely or list(options))
        if symbol.sort == "real":
            return structure.choice(REALS)
        if symbol.sort == "bool":
            return structure.random() < 0.5
        if symbol.low is None:
            return structure.choice(INTEGERS)
        if ".shape[" not in symbol.name:
            return int(symbol.low) + structure.randint(0, 3)
        return same or random.randint(1, 5)

    return preference
