"""Inputs that add up to a number that a rule mentions, where it or the network adds anything up."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from gsl.expr import Call
from gsl.graph import reverse_post_order
from gsl.operators import Operator
from gsl.pat import Call as CallPattern
from gslverify.networks.arrays import filled_inputs
from gslverify.networks.mentioned import mentioned_numbers
from gslverify.networks.network import Network
from gslverify.networks.values import restricted, value_ranges

ADDING = frozenset({"Sum", "Mean"})
MOST_NUMBERS, MOST_TOTALS, MOST_ELEMENTS = 4, 8, 10_000
MOST_HELD = 2**53
"""Whole numbers that a float64 has without exception."""


def totals(network: Network, seed: int) -> list[dict[str, Any]]:
    """Return inputs of which all elements, or those along an axis, add up to a mentioned number."""
    if network.elements > MOST_ELEMENTS or not ADDING & _operators(network):
        return []
    numbers = mentioned_numbers(network)[:MOST_NUMBERS]
    most = max((len(variable.shape) for variable in network.variables), default=0)
    given = filled_inputs(network, ("small integers", True), seed)
    wanted = ((number, axis) for axis in (None, *range(most)) for number in numbers)
    return [dict(_adding_up(network, given, *one)) for one in islice(wanted, MOST_TOTALS)]


def _operators(network: Network) -> set[str]:
    """Return the names of the operators in a network, and in the target of its rule."""
    exprs = reverse_post_order(network.outputs)
    found = {expr.operator.name for expr in exprs if isinstance(expr, Call)}
    patterns = () if network.sampler is None else network.sampler.instance.subst.target_patterns
    callees = (pattern.callee for pattern in patterns if isinstance(pattern, CallPattern))
    return found | {callee.name for callee in callees if isinstance(callee, Operator)}


def _adding_up(
    network: Network, given: dict[str, Any], number: float, axis: int | None
) -> Iterator[tuple[str, Any]]:
    ranges = value_ranges(network.outputs)
    for variable in network.variables:
        value = given[variable.name]
        if value.size and value.dtype.kind != "b" and (axis is None or axis < value.ndim):
            total = _held(_with_total(value, number, axis), value.dtype)
            inside = restricted(total, ranges.get(variable, ()), value.dtype)
            value = np.asarray(inside).astype(value.dtype)
        yield variable.name, value


def _with_total(value: Any, number: float, axis: int | None) -> Any:
    """Return values of which the last element, or the last along an axis, makes up the total."""
    raw = value.astype(np.float64)
    if axis is None:
        raw.flat[-1] += number - raw.sum()
    else:
        last = [slice(None)] * raw.ndim
        last[axis] = slice(-1, None)
        raw[tuple(last)] += number - raw.sum(axis=axis, keepdims=True)
    return raw


def _held(raw: Any, dtype: np.dtype[Any]) -> Any:
    """Return float64 numbers brought into the range of a dtype."""
    if dtype.kind == "f":
        return np.clip(raw, float(np.finfo(dtype).min), float(np.finfo(dtype).max))
    limits = np.iinfo(dtype)
    return np.clip(raw, max(limits.min, -MOST_HELD), min(limits.max, MOST_HELD)).astype(np.int64)
