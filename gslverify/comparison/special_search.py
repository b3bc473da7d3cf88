"""Inputs on which special values come out otherwise, sought among many.

What overflows, cancels or keeps the sign of a zero needs fitting values in several inputs at once:
hundreds of inputs of small networks are computed together (`batched`), of which a few show all
ways in which the sides differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.expr import Call, Expr, Var
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import finfo, is_floating
from gsl.types import ANY_FLOAT
from gslverify.comparison.batched import trace_many, work
from gslverify.comparison.calmer import flat, floats_in
from gslverify.comparison.special import CHANGES, apart
from gslverify.structures.kernels import adds_elements, combined_by

MOST_INPUTS, LEAST_INPUTS = 1000, 4
MOST_WORK = 300_000
"""So many elements are computed for the inputs of one network."""

INPUTS_OF_A_WAY = 4
"""So many inputs are yielded for each way, as kernels may be wrong about the first."""

Undefined = Callable[[Sequence[Expr], Mapping[Expr, Any], int], Any]
"""Returns on which of many inputs some outputs are not defined, given all that is computed."""

Way = tuple[str, bool, bool]
"""A kind of value that differs, "" for a decision, and whether there are NaN and infinities."""

ALL_ALIKE, TWO_VALUES = 0.6, 0.8
"""The shares of tensors whose elements are all alike, and of those that have at most two values."""
OPTIONS = 12
"""So many numbers, with repetitions, the elements of one tensor are drawn from."""
KINDS_TOGETHER = 2
"""So many kinds of numbers the tensors of one input are of: infinity meets large numbers."""
ABOVE_LOGARITHM = 0.3
"""By so much the exponential of a large input overflows, and half of it does not."""
LARGE_SHARE = 7 / 8
"""The share of the largest number that large inputs are, so that rounding decides nothing there."""


def telling_inputs(
    source: Sequence[Expr],
    target: Sequence[Expr],
    variables: Sequence[Var],
    usual: Mapping[str, Any],
    generator: np.random.Generator,
    undefined: Undefined,
) -> Iterator[tuple[Way, dict[str, Any]]]:
    """Yield the ways in which special values differ by the kernels, and inputs that show each.

    Floats are drawn, all others are the `usual` ones. None are yielded if kernels say nothing, nor
    those on which the source is `undefined`.
    Kernels flush subnormal numbers to 0. What differs by references, too, differs on all machines.
    """
    both = (*source, *target)
    try:
        count = min(MOST_INPUTS, max(LEAST_INPUTS, MOST_WORK // max(1, work(both))))
        inputs = _drawn(variables, usual, count, generator)
        values = trace_many(both, inputs, count)
    except (GslError, IndexError):
        return
    with np.errstate(all="ignore"):
        left_out = _depends_on_order(both, values, count) | undefined(source, values, count)
        found = [
            (way, np.flatnonzero(shown & ~left_out)) for way, shown in _ways(source, target, values)
        ]
    for way, numbers in found:
        for number in numbers[:INPUTS_OF_A_WAY]:
            yield way, {name: array[number] for name, array in inputs.items()}


def _drawn(
    variables: Sequence[Var], usual: Mapping[str, Any], count: int, generator: np.random.Generator
) -> dict[str, Any]:
    """Return many inputs, each with tensors of a few kinds."""
    kinds = generator.integers(KINDS, size=(count, KINDS_TOGETHER))
    inputs: dict[str, Any] = {}
    for variable in variables:
        shape = (count, *variable.shape)
        if variable.dtype in ANY_FLOAT:
            chosen = kinds[np.arange(count), generator.integers(KINDS_TOGETHER, size=count)]
            menus = _menus(variable.dtype, chosen, generator)
            places = _places(shape, generator).reshape(count, -1)
            drawn = np.take_along_axis(menus, places, axis=1).reshape(shape)
            inputs[variable.name] = drawn.astype(variable.dtype)
        else:
            inputs[variable.name] = np.broadcast_to(usual[variable.name], shape)
    return inputs


KINDS = 6
"""Zeros, large numbers, large and small ones, infinity, NaN, and numbers of any size."""


def _menus(dtype: str, kinds: Any, generator: np.random.Generator) -> Any:
    """Return the numbers of tensors of some kinds, those more often that have to meet their like.

    Of the last kind each tensor has numbers of one size, among them those whose squares overflow,
    and of one sign in two of three; in some there are ordinary numbers as well.
    """
    limits = finfo(dtype)
    large, small = LARGE_SHARE * float(limits.max), float(limits.tiny)
    less, part, infinity, nan = 0.75 * large, large / 8, np.inf, np.nan
    edge = np.log(float(limits.max)) + ABOVE_LOGARITHM
    known = np.array(
        (
            (0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 1.0, -2.0, 1.0, -2.0),
            (large, -large, large, -large, less, -less, part, -part, edge, -200.0, 1.0, -2.0),
            (large, -large, less, small, -small, small, 0.0, -0.0, 200.0, -200.0, 1.0, 0.5),
            (infinity, -infinity, infinity, -infinity, 0.0, -0.0, 0.0, -0.0, 1.0, -2.0, 1.0, 0.5),
            (nan, nan, nan, nan, 0.0, -0.0, 0.0, -0.0, 1.0, -2.0, 1.0, 0.5),
        )
    )
    last, half = int(limits.maxexp) - 1, int(limits.maxexp) // 2
    ranges = np.array(
        ((0, min(last, 11)), (0, last), (half - 1, half + 2), (int(limits.minexp) // 2, 0))
    )
    low, high = ranges[generator.integers(len(ranges), size=len(kinds))].T
    numbers = generator.uniform(1.0, 2.0, (len(kinds), OPTIONS))
    ordinary = generator.random(numbers.shape) < generator.integers(2, size=len(kinds))[:, None] / 2
    exponents = np.where(ordinary, 0, generator.integers(low, high)[:, None])
    negative = generator.random(numbers.shape) < generator.integers(3, size=len(kinds))[:, None] / 2
    of_any_size = np.ldexp(np.where(negative, -numbers, numbers), exponents)
    is_known = (kinds < len(known))[:, None]
    return np.where(is_known, known[np.minimum(kinds, len(known) - 1)], of_any_size)


def _places(shape: tuple[int, ...], generator: np.random.Generator) -> Any:
    """Return an option for each element of many tensors: one or two of them in most tensors."""
    count, *own = shape
    drawn = generator.random(count)
    pair = generator.integers(OPTIONS, size=(count, 2))
    second = generator.integers(2, size=shape)
    second[drawn < ALL_ALIKE] = 0
    places = np.take_along_axis(pair, second.reshape(count, -1), 1).reshape(shape)
    is_free = drawn >= TWO_VALUES
    places[is_free] = generator.integers(OPTIONS, size=(int(is_free.sum()), *own))
    return places


def _depends_on_order(outputs: Sequence[Expr], values: Mapping[Expr, Any], count: int) -> Any:
    """Return on which inputs a sum or product may overflow or not by its order.

    No operator states it: max + max - max is infinite or max, and so it is for products of large
    and small numbers.
    """
    depends = np.zeros(count, bool)
    for call in (one for one in reverse_post_order(outputs) if isinstance(one, Call)):
        combined = combined_by(call)
        arrays = floats_in([values[one] for one in call.operands])
        if "sum" in combined and arrays:
            depends |= _sum_depends(arrays[0]) if adds_elements(call) else _mixed_depends(arrays)
        if "product" in combined:
            depends |= np.logical_or.reduce([_product_depends(array) for array in arrays])
    return depends


def _sum_depends(array: Any) -> Any:
    """Return where numbers of both signs are added, of which those of one sign overflow."""
    share = _flat_finite(array) / float(finfo(array.dtype).max)
    positive, negative = (np.maximum(sign * share, 0).sum(axis=1) for sign in (1, -1))
    return _has_both_signs(array) & (np.maximum(positive, negative) > 1)


def _mixed_depends(arrays: Sequence[Any]) -> Any:
    """Return where products of elements, or squares, may overflow or vanish in a sum.

    They overflow to either infinity, and vanish or not by the dtype in which the sum is computed.
    """
    factors = arrays if len(arrays) > 1 else (*arrays, *arrays)
    limits = [finfo(array.dtype) for array in arrays]
    sizes = [np.abs(_flat_finite(array)) for array in factors]
    largest = sum(np.log2(size.max(axis=1, initial=1)) for size in sizes)
    terms = np.log2(max(array[0].size for array in factors) + 1)
    overflows = largest + terms >= min(one.maxexp for one in limits)
    least = sum(np.log2(np.where(size > 0, size, 1).min(axis=1, initial=1)) for size in sizes)
    both_signs = np.logical_or.reduce(list(map(_has_both_signs, arrays)))
    return both_signs & overflows | (least < max(one.minexp for one in limits))


def _has_both_signs(array: Any) -> Any:
    return _anywhere(array > 0) & _anywhere(array < 0)


def _product_depends(array: Any) -> Any:
    """Return where some factors overflow or vanish together, and others would keep them from it."""
    size = np.abs(_flat_finite(array))
    limits, grows, shrinks = finfo(array.dtype), size > 1, size < 1
    up = np.log2(np.where(grows, size, 1)).sum(axis=1)
    down = np.log2(np.where(shrinks & (size > 0), size, 1)).sum(axis=1)
    overflows, vanishes = up > limits.maxexp - 1, down < limits.minexp
    return overflows & shrinks.any(axis=1) | vanishes & grows.any(axis=1)


def _flat_finite(array: Any) -> Any:
    """Return the elements for each input as float64, 0 for what is not finite."""
    return np.where(np.isfinite(array), array, 0).astype(np.float64).reshape(len(array), -1)


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
        differs = {**(CHANGES if is_floating(one.dtype) else {}), "": apart}
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
