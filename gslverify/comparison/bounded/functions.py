"""Errors of functions of whole arrays: data movement, reductions, products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gsl.numpy_dtypes import is_floating
from gslverify.comparison.bounded.array import (
    FUNCTIONS,
    AmbiguousError,
    Bounded,
    Origin,
    lift,
    number,
    result_dtype,
)
from gslverify.comparison.bounded.precision import current_precision
from gslverify.comparison.bounded.ufuncs import Compute, multilinear, narrower
from gslverify.comparison.movement import MOVEMENTS, is_plain_padding, padded

Arguments = tuple[Any, ...]
Options = dict[str, Any]


def _move(func: Any, args: Arguments, kwargs: Options) -> Any:
    """Data movement: values and errors go the same way."""
    whole, *rest = args
    if isinstance(whole, list | tuple):
        dtype = result_dtype(whole)
        parts = [lift(part, dtype) for part in whole]
        values: Any = [part.value for part in parts]
        errors: Any = [part.error for part in parts]
    else:
        parts, values, errors, dtype = [whole], whole.value, whole.error, whole.dtype
    moved = func(values, *rest, **kwargs)
    options = _error_of_fill(kwargs, dtype)
    if all(part.is_exact for part in parts) and not options.get("constant_values"):
        return _exact(moved, dtype)
    moved_errors = func(errors, *rest, **options)
    stored = _moved_as_held(func, args, kwargs, parts, dtype)
    if isinstance(moved, list | tuple):
        held = [None] * len(moved) if stored is None else stored
        columns = zip(moved, moved_errors, held, strict=True)
        return [Bounded(v, e, dtype, stored=s) for v, e, s in columns]
    return Bounded(moved, moved_errors, dtype, _moved_origin(func, args, kwargs), stored)


def _pad(func: Any, args: Arguments, kwargs: Options) -> Any:
    return _move(padded if is_plain_padding(args[0], args[1:], kwargs) else func, args, kwargs)


def _moved_as_held(
    func: Any, args: Arguments, kwargs: Options, parts: Sequence[Bounded], dtype: Any
) -> Any:
    """Return numbers that are moved as their dtype holds them, None if they are not known so."""
    held = [part.held for part in parts]
    if any(one is None for one in held):
        return None
    options = dict(kwargs)
    if "constant_values" in options:
        options["constant_values"] = np.dtype(dtype).type(options["constant_values"])
    whole, *rest = args
    return func(held if isinstance(whole, list | tuple) else held[0], *rest, **options)


def _moved_origin(func: Any, args: Arguments, kwargs: Options) -> Origin | None:
    """Return the origin of a tensor whose own elements are moved, without others beside them."""
    whole, *rest = args
    if func in CHANGING or not isinstance(whole, Bounded):
        return None
    return whole.moved_origin(lambda operand: func(operand, *rest, **kwargs))


def _exact(moved: Any, dtype: Any) -> Any:
    if isinstance(moved, list | tuple):
        return [_exact(part, dtype) for part in moved]
    return Bounded(moved, dtype=dtype)


def _error_of_fill(kwargs: Options, dtype: Any) -> Options:
    """Return the options with the rounding error of a padding in the place of its value."""
    if "constant_values" not in kwargs:
        return kwargs
    fill = kwargs["constant_values"]
    error = number(fill, dtype).error.item() if type(fill) is float else 0.0
    return {**kwargs, "constant_values": error}


def _reduction(func: Any, args: Arguments, kwargs: Options) -> Compute:
    """Return the reduction of one array; the dtype is ours to decide."""
    options = {name: value for name, value in kwargs.items() if name != "dtype"}
    return lambda array: func(array, *args[1:], **options)


def _shrinkage(operand: Bounded, result: Any) -> int:
    return int(operand.size // max(1, np.size(result)))


def _sum(func: Any, args: Arguments, kwargs: Options) -> Bounded:
    operand, compute = args[0], _reduction(func, args, kwargs)
    terms = operand.size if func is np.cumsum else _shrinkage(operand, compute(operand.value))
    return multilinear(compute, compute, [operand], terms, operand.dtype)


def _mean(func: Any, args: Arguments, kwargs: Options) -> Any:
    total = _sum(np.sum, args, kwargs)
    return total / Bounded(_shrinkage(args[0], total.value), dtype=total.dtype)


def _product(func: Any, args: Arguments, kwargs: Options) -> Bounded:
    """Bound a product, of which a part may leave the range of the machine before the whole."""
    operand, compute = args[0], _reduction(func, args, kwargs)
    precision = current_precision()
    result = multilinear(compute, compute, [operand], operand.size, operand.dtype, (1.0,))
    peak = compute(np.maximum(np.abs(operand.value) + operand.error, 1.0))
    lost = 0.0 if result.is_exact else operand.size * precision.smallest * peak
    error = np.where(peak <= precision.largest, result.error + lost, np.inf)
    return Bounded(result.value, error, operand.dtype)


def _extreme(func: Any, args: Arguments, kwargs: Options) -> Bounded:
    operand = args[0]
    value = func(operand.value, *args[1:], **kwargs)
    options = {name: part for name, part in kwargs.items() if name != "initial"}
    error = np.max(operand.error, *args[1:], **options, initial=0.0)
    if error.any():
        low = func(operand.value - operand.error, *args[1:], **kwargs)
        high = func(operand.value + operand.error, *args[1:], **kwargs)
        error = narrower(value, low, high, error)
    stored = None if operand.stored is None else func(operand.stored, *args[1:], **kwargs)
    return Bounded(value, error, operand.dtype, stored=stored)


def _place_of_extreme(func: Any, args: Arguments, kwargs: Options) -> Any:
    operand = args[0].decided
    places = func(operand.value, *args[1:], **kwargs)
    if not operand.is_exact:
        _require_clear_winner(func, operand, *args[1:], **kwargs)
    return places


def _require_clear_winner(func: Any, operand: Bounded, axis: int, keepdims: bool = False) -> None:
    sign = 1.0 if func is np.argmax else -1.0
    value, error = sign * operand.value, operand.error
    winner = np.argmax(value, axis, keepdims=True)
    is_winner = np.arange(value.shape[axis]) == np.moveaxis(winner, axis, -1)
    is_equal = np.moveaxis(is_winner, -1, axis) | operand.is_twin_of(_taken(operand, winner, axis))
    others = np.where(is_equal, -np.inf, value + error)
    least = np.take_along_axis(value - error, winner, axis)
    exact = ~np.any(error, axis=axis, keepdims=True)
    if not np.all(exact | (np.max(others, axis=axis, keepdims=True) < least)):
        raise AmbiguousError("the place of an extremum depends on rounding")


def _sorted(func: Any, args: Arguments, kwargs: Options) -> Bounded:
    """No element of the sorted ones is off by more than the one that is off most along the axis."""
    operand, axis = args[0], kwargs.get("axis", -1)
    value = np.sort(operand.value, axis=axis)
    error = np.max(operand.error, axis=axis, keepdims=True, initial=0.0)
    return Bounded(value, np.broadcast_to(error, value.shape), operand.dtype)


def _order(func: Any, args: Arguments, kwargs: Options) -> Any:
    """Return the order of elements whose neighbours are apart by more than their errors."""
    operand, axis = args[0].decided, kwargs.get("axis", -1)
    places = np.argsort(operand.value, axis=axis, kind="stable")
    if operand.is_exact:
        return places
    ordered = _taken(operand, places, axis)
    count = operand.shape[axis]
    before, after = (
        _move(np.take, (ordered, np.arange(first, first + max(count - 1, 0)), axis), {})
        for first in (0, 1)
    )
    apart = after.value - before.value > after.error + before.error
    exact = (after.error == 0) & (before.error == 0)
    if not np.all(apart | exact | after.is_twin_of(before)):
        raise AmbiguousError("an order depends on rounding")
    return places


def _taken(operand: Bounded, places: Any, axis: int) -> Bounded:
    def take(array: Any) -> Any:
        return np.take_along_axis(array, places, axis)

    origin = operand.moved_origin(take)
    return Bounded(take(operand.value), take(operand.error), operand.dtype, origin)


def _einsum(func: Any, args: Arguments, kwargs: Options) -> Bounded:
    equation, *arrays = args
    dtype = result_dtype(arrays)
    operands = [lift(array, dtype) for array in arrays]

    def compute(*values: Any) -> Any:
        return np.einsum(equation, *values)

    terms = _contracted_size(equation, operands)
    return multilinear(compute, compute, operands, terms, dtype)


def _contracted_size(equation: str, operands: Sequence[Bounded]) -> int:
    inputs, output = equation.replace(" ", "").split("->")
    sizes: dict[str, int] = {}
    for letters, operand in zip(inputs.split(","), operands, strict=True):
        sizes.update(zip(letters, operand.shape, strict=True))
    contracted = [size for letter, size in sizes.items() if letter not in output]
    return int(np.prod(contracted, dtype=np.int64))


def _where(func: Any, args: Arguments, kwargs: Options) -> Bounded:
    condition, *choices = args
    dtype = result_dtype(choices)
    then, otherwise = (lift(choice, dtype) for choice in choices)
    value = np.where(condition, then.value, otherwise.value)
    error = np.where(condition, then.error, otherwise.error)
    held = then.held, otherwise.held
    stored = None if any(one is None for one in held) else np.where(condition, *held)
    return Bounded(value, error, dtype, stored=None if not error.any() else stored)


def _filled(func: Any, args: Arguments, kwargs: Options) -> Any:
    operand = args[0]
    filled = func(operand.value, *args[1:], **{"dtype": operand.dtype, **kwargs})
    return Bounded(filled) if is_floating(filled.dtype) else filled


FUNCTIONS.update(
    {
        np.sum: _sum,
        np.cumsum: _sum,
        np.mean: _mean,
        np.prod: _product,
        np.max: _extreme,
        np.min: _extreme,
        np.argmax: _place_of_extreme,
        np.argmin: _place_of_extreme,
        np.sort: _sorted,
        np.argsort: _order,
        np.einsum: _einsum,
        np.where: _where,
        np.pad: _pad,
        np.zeros_like: _filled,
        np.ones_like: _filled,
        np.full_like: _filled,
    }
)
CHANGING = frozenset((np.pad, padded, np.tril, np.triu))
"""Functions that put other numbers beside the elements, or in their places."""

FUNCTIONS.update(dict.fromkeys((*MOVEMENTS, np.split, np.tril, np.triu), _move))
