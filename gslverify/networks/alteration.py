"""Networks that differ from a given one in structure, sizes or attributes, and inputs for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from gsl.attr.evaluate import equal
from gsl.attr.term import Symbol, operation
from gsl.errors import EvaluationError, GslError
from gsl.expr import Var
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import is_floating
from gslverify.networks.arrays import inputs_in_style
from gslverify.networks.choices import NothingDrawnError
from gslverify.networks.generation import (
    MOST_ELEMENTS_OF_LARGE_RULES,
    has_at_most,
    misused_constant,
    network_of,
)
from gslverify.networks.network import Network
from gslverify.structures.models.concrete import ones
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.models.symbols import is_size

FRESH = ("small integers", "distinct integers", "nonzero integers", "halves")
"""Styles of the inputs that are tried where a network was altered."""
USUAL_SIZE = 2
USUAL = {"text": "float32", "bool": False, "real": 1.0}
NONE: Mapping[Symbol, Any] = {}


def altered(
    network: Network,
    sampler: Sampler,
    chosen: Mapping[Symbol, Any] = NONE,
    sizes: Sequence[int] = (),
    context: str = "alone",
) -> Network | None:
    """Return a match of a structure with the sizes and attributes of a network; None if none is.

    What is `chosen` has exactly these values; free axes get the `sizes` in turn, if there are some.
    The solver is not asked. What else depends on what is chosen follows it.
    """
    turns = cycle(sizes)

    def preference(symbol: Symbol, options: tuple[Any, ...]) -> Any:
        if symbol in chosen:
            return chosen[symbol]
        if sizes and is_size(symbol):
            return next(turns)
        value = network.model.get(symbol.name, _usual(symbol))
        return options[0] if options and value not in options else value

    demands = [equal(symbol, value) for symbol, value in chosen.items()]
    demand = operation("and", *demands) if len(demands) > 1 else next(iter(demands), None)
    try:
        model = sampler.near(preference, False, demand)
        if model is None:
            return None
        changed = network_of(sampler, model, lambda one: _constant(network, one), context)
    except (GslError, TypeError, NothingDrawnError):
        return None
    exprs = reverse_post_order(changed.outputs)
    is_small = all(has_at_most(expr, MOST_ELEMENTS_OF_LARGE_RULES) for expr in exprs)
    return changed if is_small and misused_constant(changed.outputs) is None else None


def _usual(symbol: Symbol) -> Any:
    if symbol.sort == "int":
        return USUAL_SIZE if symbol.low is None else max(USUAL_SIZE, int(symbol.low))
    return USUAL[symbol.sort]


def _constant(network: Network, variable: Var) -> Any:
    """Return the values of a constant of the network brought to another shape.

    Raises EvaluationError where it has none that the dtype holds.
    """
    values = network.constants.get(variable.name)
    if values is None and not network.constants:
        return ones(variable)
    if values is None or not _holds(variable.dtype, values):
        raise EvaluationError(f"{variable.name} has no such values")
    return np.resize(values, variable.shape).astype(variable.dtype)


def brought_to(variables: Sequence[Var], given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield given inputs brought to other shapes: beginnings, ends, what is far from 0 first.

    Nothing is yielded where a variable had no value before, or its dtype does not hold the values.
    """
    if any(variable.name not in given for variable in variables):
        return
    for resized in (_beginning, _end, _far_from_zero):
        inputs = {v.name: resized(given[v.name], v.shape) for v in variables}
        if all(_holds(v.dtype, inputs[v.name]) for v in variables):
            yield {v.name: np.array(inputs[v.name], v.dtype) for v in variables}


def _beginning(array: Any, shape: tuple[int, ...]) -> Any:
    """Repeat or cut every axis where the ranks are equal, else all elements in their order."""
    if len(shape) != array.ndim or 0 in array.shape:
        return np.resize(array, shape)
    places = [np.arange(size) % old for size, old in zip(shape, array.shape, strict=True)]
    return array[np.ix_(*places)] if places else array


def _end(array: Any, shape: tuple[int, ...]) -> Any:
    whole = (slice(None, None, -1),) * array.ndim
    mirrored = _beginning(array[whole], shape)
    return mirrored[(slice(None, None, -1),) * mirrored.ndim]


def _far_from_zero(array: Any, shape: tuple[int, ...]) -> Any:
    """Put the values that are far from 0 first, so that few elements have them, too."""
    values = array.ravel()
    order = np.argsort(-np.abs(values.astype("float64")), kind="stable")
    return np.resize(values[order], shape)


def _holds(dtype: str, array: Any) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.array_equal(array.astype(dtype), array, equal_nan=is_floating(array.dtype)))


def fresh_inputs(
    network: Network, styles: Sequence[str] = FRESH, rounds: int = 1
) -> Iterator[dict[str, Any]]:
    """Yield inputs of a network in several styles, the same ones every time."""
    generator = np.random.default_rng(0)
    for style in (*styles,) * rounds:
        yield inputs_in_style(network, style, generator)
