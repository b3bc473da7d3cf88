"""Inputs on which special values come out otherwise, sought among many.

What overflows, cancels or keeps the sign of a zero needs fitting values in several inputs at once:
hundreds of inputs of small networks are computed together (`batched`), of which a few show all
ways in which the sides differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.expr import Call, Expr, Var
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import finfo, is_floating
from gsl.types import ANY_FLOAT
from gslverify.comparison.batched import trace_many, work
from gslverify.comparison.special import CHANGES, flat, floats_in
from gslverify.structures.kernels import combined_by

MOST_INPUTS, LEAST_INPUTS = 1000, 4
MOST_WORK = 300_000
"""So many elements are computed for the inputs of one network."""

Way = tuple[str, bool, bool]
"""A kind of value that differs, "" for a decision, and whether there are NaN and infinities."""

ZEROS, LARGE, UNLIKE, INFINITE, UNDEFINED = range(5)
"""What inputs have beside ordinary numbers: zeros, large numbers, large and small, infinity, NaN.

Whether a sum of both signs overflows depends on its order, which no operator states, and so it
is for products of large and small numbers: max + max - max is infinite or max.
"""
ALL_ALIKE, TWO_VALUES = 0.6, 0.8
"""The shares of tensors whose elements are all alike, and of those that have at most two values."""
LARGE_SHARE = 7 / 8
"""The share of the largest number that large inputs are, so that rounding decides nothing there."""


def telling_inputs(
    source: Sequence[Expr],
    target: Sequence[Expr],
    variables: Sequence[Var],
    usual: Mapping[str, Any],
    generator: np.random.Generator,
) -> Iterator[tuple[Way, dict[str, Any]]]:
    """Yield the ways in which special values differ by the kernels, and inputs that show each.

    Floats are drawn, all others are the `usual` ones. None are yielded if kernels say nothing.
    """
    both = (*source, *target)
    try:
        count = min(MOST_INPUTS, max(LEAST_INPUTS, MOST_WORK // max(1, work(both))))
        kinds, inputs = _drawn(variables, usual, count, generator)
        values = trace_many(both, inputs, count)
    except (GslError, IndexError):
        return
    with np.errstate(all="ignore"):
        usable = _in_any_order(both, values, kinds) & ~_has_subnormal(values.values())
        found = [
            (way, np.flatnonzero(shown & usable)) for way, shown in _ways(source, target, values)
        ]
    for way, numbers in found:
        for number in numbers[:1]:
            yield way, {name: array[number] for name, array in inputs.items()}


def _drawn(
    variables: Sequence[Var], usual: Mapping[str, Any], count: int, generator: np.random.Generator
) -> tuple[Any, dict[str, Any]]:
    """Return of what kind each of many inputs is, and these."""
    kinds = generator.integers(5, size=count)
    inputs: dict[str, Any] = {}
    for variable in variables:
        shape = (count, *variable.shape)
        if variable.dtype in ANY_FLOAT:
            menus = _menus(variable.dtype)
            places = _places(shape, menus.shape[1], generator)
            beside = kinds.reshape(count, *(1,) * len(variable.shape))
            inputs[variable.name] = menus[beside, places].astype(variable.dtype)
        else:
            inputs[variable.name] = np.broadcast_to(usual[variable.name], shape)
    return kinds, inputs


def _menus(dtype: str) -> Any:
    """Return the numbers of each kind, those more often that have to meet others like them."""
    limits = finfo(dtype)
    large, small = LARGE_SHARE * float(limits.max), float(limits.tiny)
    less, part, infinity, nan = 0.75 * large, large / 8, np.inf, np.nan
    return np.array(
        (
            (0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 1.0, -2.0, 1.0, -2.0),
            (large, -large, large, -large, less, -less, part, -part, 200.0, -200.0, 1.0, -2.0),
            (large, -large, less, small, -small, small, 0.0, -0.0, 200.0, -200.0, 1.0, 0.5),
            (infinity, -infinity, infinity, -infinity, 0.0, -0.0, 0.0, -0.0, 1.0, -2.0, 1.0, 0.5),
            (nan, nan, nan, nan, 0.0, -0.0, 0.0, -0.0, 1.0, -2.0, 1.0, 0.5),
        )
    )


def _places(shape: tuple[int, ...], options: int, generator: np.random.Generator) -> Any:
    """Return an option for each element of many tensors: one or two of them in most tensors."""
    count, *own = shape
    drawn = generator.random(count)
    pair = generator.integers(options, size=(count, 2))
    second = generator.integers(2, size=shape)
    second[drawn < ALL_ALIKE] = 0
    places = np.take_along_axis(pair, second.reshape(count, -1), 1).reshape(shape)
    is_free = drawn >= TWO_VALUES
    places[is_free] = generator.integers(options, size=(int(is_free.sum()), *own))
    return places


def _in_any_order(outputs: Sequence[Expr], values: Mapping[Expr, Any], kinds: Any) -> Any:
    """Return which inputs overflow alike in whatever order is added and multiplied."""
    calls = [expr for expr in reverse_post_order(outputs) if isinstance(expr, Call)]
    combined = {call: combined_by(call) for call in calls}
    operands = {one for call in calls if "sum" in combined[call] for one in call.operands}
    has_both = np.zeros(len(kinds), bool)
    for array in floats_in([values[one] for one in operands]):
        has_both |= _anywhere(array > 0) & _anywhere(array < 0)
    has_products = any("product" in functions for functions in combined.values())
    is_large, is_unlike = kinds == LARGE, kinds == UNLIKE
    return ~(has_both & (is_large | is_unlike) | (is_unlike & has_products))


def _has_subnormal(values: Iterable[Any]) -> Any:
    """Return on which inputs some number is subnormal, which many machines take for 0."""
    arrays = floats_in(values)
    small = ((array != 0) & (np.abs(array) < finfo(array.dtype).tiny) for array in arrays)
    return _any_of(small)


def _ways(
    source: Sequence[Expr], target: Sequence[Expr], values: Mapping[Expr, Any]
) -> Iterator[tuple[Way, Any]]:
    """Yield every way in which the sides may differ, and on which inputs they do."""
    arrays = floats_in(values.values())
    has_nan, has_infinity = (_any_of(map(test, arrays)) for test in (np.isnan, np.isinf))
    before, after = ([values[expr] for expr in side] for side in (source, target))
    for one, other in zip(flat(before), flat(after), strict=True):
        if one.shape != other.shape:
            continue
        differs = CHANGES if is_floating(one.dtype) else {"": np.not_equal}
        for kind, test in differs.items():
            places = _anywhere(test(one, other))
            for nan, infinity in product((False, True), repeat=2):
                fits = (has_nan == nan) & (has_infinity == infinity)
                yield (kind, nan, infinity), places & fits


def _any_of(masks: Iterable[Any]) -> Any:
    found = [_anywhere(mask) for mask in masks]
    return np.logical_or.reduce(found) if found else np.False_


def _anywhere(mask: Any) -> Any:
    """Return on which inputs something holds anywhere."""
    return mask.reshape(len(mask), -1).any(axis=1)
