"""Inputs in which every element is the largest once, and the smallest.

What a maximum forgets, or reads twice, is only seen where it is the extremum. In small networks
that happens by chance; along an axis of a dozen elements it rarely does. Of many elements the last
and the first come first: there a place is the largest number that it can be, and the smallest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.operators.declaration import Values
from gslverify.networks.arrays import filled_inputs
from gslverify.networks.network import Network
from gslverify.networks.values import restricted, value_ranges

SELECTING = frozenset({"Max", "Min", "Argmax", "Argmin", "MaxPool1D", "MaxPool2D", "MaxPool3D"})
LIMITING = frozenset({"Clip", "Minimum", "Maximum"})
MOST_PEAKS = 24
FEWEST_ELEMENTS, MOST_ELEMENTS = 6, 400
ENDS, MOST_ELEMENTS_OF_ENDS = 2, 10_000
"""Networks with more elements have extrema at the ends only, up to a number where none has."""
PEAK = 100


def peaks(network: Network, seed: int) -> list[dict[str, Any]]:
    """Return inputs with the extrema at one place after the other, if the network selects any."""
    sizes = [int(np.prod(variable.shape)) for variable in network.variables]
    is_useful = max(sizes, default=0) >= FEWEST_ELEMENTS and sum(sizes) <= MOST_ELEMENTS_OF_ENDS
    if not is_useful or not any(map(_selects, reverse_post_order(network.outputs))):
        return []
    most = MOST_PEAKS if sum(sizes) <= MOST_ELEMENTS else ENDS
    return list(_with_peaks(network, seed, min(max(sizes), most)))


def _selects(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.operator.name in SELECTING


def saturated(network: Network, seed: int) -> list[dict[str, Any]]:
    """Return inputs that are all large, and all small, if the network limits several of them.

    What is computed of results that are at their limits all at once may leave its dtype.
    """
    limits = any(map(_limits, reverse_post_order(network.outputs)))
    if not limits or len(network.variables) < 2:
        return []
    ranges = value_ranges(network.outputs, True)
    given = filled_inputs(network, ("small integers", True), seed)
    return [
        {
            one.name: _within(_level(given[one.name], peak), ranges.get(one))
            for one in network.variables
        }
        for peak in (PEAK, -PEAK)
    ]


def _limits(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.operator.name in LIMITING


def _level(value: Any, peak: int) -> Any:
    if value.dtype.kind == "b":
        return value
    return np.full_like(value, 0 if value.dtype.kind == "u" and peak < 0 else peak)


def _with_peaks(network: Network, seed: int, count: int) -> Iterator[dict[str, Any]]:
    ranges = value_ranges(network.outputs, True)
    given = filled_inputs(network, ("small integers", True), seed)
    generator = np.random.default_rng(seed)
    orders = {name: _order(generator, value.size)[:count] for name, value in given.items()}
    for number in range(count):
        yield {
            one.name: _within(_raised(given[one.name], orders[one.name], number), ranges.get(one))
            for one in network.variables
        }


def _order(generator: np.random.Generator, size: int) -> list[int]:
    """Return all places, the last and the first before the others."""
    ends = [size - 1, 0][:size]
    return [*ends, *(place for place in generator.permutation(size).tolist() if place not in ends)]


def _within(value: Any, ranges: list[Values] | None) -> Any:
    return np.asarray(restricted(value, ranges or (), value.dtype)).astype(value.dtype)


def _raised(value: Any, order: Any, number: int) -> Any:
    """Return an array with the extrema at two places of an order."""
    if value.dtype.kind == "b" or not value.size:
        return value
    raised = value.copy()
    raised.flat[order[(number + 1) % len(order)]] = 0 if value.dtype.kind == "u" else -PEAK
    raised.flat[order[number % len(order)]] = PEAK
    return raised
