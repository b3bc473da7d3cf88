"""Inputs and constants without special values, near some that have them.

What a side makes of these tells whether a special value is to blame for a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from gsl.errors import GslError
from gsl.evaluate import trace
from gsl.expr import Const, Expr
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import finfo, is_floating
from gsl.types import ANY_FLOAT, TensorType
from gsl.visit import post_order_rewrite

NAN, INFINITY, ZERO = "NaN", "infinity", "signed zero"

DOWN = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
"""The powers of 2 by which inputs are made smaller until nothing overflows."""
DOMAINS: Sequence[Callable[[Any], Any]] = (
    np.abs,
    lambda array: np.clip(array, -1, 1),
    lambda array: np.clip(np.abs(array), 0, 1),
    lambda array: np.abs(array) + array.dtype.type(1),
)
"""What brings numbers to where functions like roots, logarithms and arc sines have values."""

SPECIAL: Mapping[str, tuple[Callable[[Any], Any], float]] = {
    NAN: (np.isnan, 1.0),
    INFINITY: (np.isinf, 1.0),
    ZERO: (lambda array: (array == 0) & np.signbit(array), 0.0),
}
"""Where an array has a value of each of the kinds, and the usual number to put there."""

Key = TypeVar("Key")


def is_float(expr: Expr) -> bool:
    """Tell whether an expression is a tensor of floats."""
    return isinstance(expr.type, TensorType) and expr.type.dtype in ANY_FLOAT


Sides = tuple[Sequence[Expr], Sequence[Expr]]


def calmer(
    sides: Sides, inputs: Mapping[str, Any], values: Mapping[Expr, Any]
) -> Iterator[tuple[str, Sides, Mapping[str, Any], bool]]:
    """Yield both sides and inputs without a kind of special values, that kind, and if it is made.

    It is one of the inputs or else of constants, or made of ordinary numbers: an infinity, or NaN
    where a function has no value.
    """
    kind, tame = _tamed(inputs)
    if kind:
        yield kind, sides, tame, False
    else:
        kind, constants = _tamed(_floating_constants((*sides[0], *sides[1])))
        if kind:
            source, target = (_with_constants(side, constants) for side in sides)
            yield kind, (source, target), inputs, False
    smaller = _without_overflow((*sides[0], *sides[1]), inputs) if _has_infinity(values) else None
    if smaller is not None:
        yield INFINITY, sides, smaller, True
    inside = _within_domains((*sides[0], *sides[1]), tame)
    if inside is not None:
        yield NAN, sides, inside, True


def _floating_constants(outputs: Sequence[Expr]) -> dict[Expr, Any]:
    exprs = reverse_post_order(outputs)
    return {one: one.value for one in exprs if isinstance(one, Const) and is_float(one)}


def _with_constants(outputs: Sequence[Expr], values: Mapping[Expr, Any]) -> Sequence[Expr]:
    """Return a network whose constants have the values given."""
    return post_order_rewrite(
        outputs, lambda pre, post: Const(values[pre]) if pre in values else post
    )


def _tamed(arrays: Mapping[Key, Any]) -> tuple[str, dict[Key, Any]]:
    """Return the first kind among some arrays, none as "", and the arrays without that kind.

    Numbers at the ends of the range count as infinity. Their digits stay when they are brought
    nearer to 1, so that they are rounded as before.
    """
    floats = {name: array for name, array in arrays.items() if is_floating(array.dtype)}
    for kind, (is_special, usual) in SPECIAL.items():
        if any(is_special(array).any() for array in floats.values()):
            tame = {n: np.where(is_special(a), a.dtype.type(usual), a) for n, a in floats.items()}
            return kind, {**arrays, **tame}
    tame = {name: _within_range(array) for name, array in floats.items()}
    if any((tame[name] != floats[name]).any() for name in floats):
        return INFINITY, {**arrays, **tame}
    return "", dict(arrays)


def _within_range(array: Any) -> Any:
    """Return an array whose numbers at the end of the range are moved into it by powers of 2.

    Doubles of them are finite then, and but for float16 so are products of two. 1 still vanishes
    beside the largest.
    """
    limits = finfo(array.dtype)
    exponent = min(limits.maxexp // 2 + 2, limits.maxexp - limits.nmant - 4)
    return np.ldexp(array, -exponent * (np.abs(array) > limits.max / 4).astype(int))


def _without_overflow(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return inputs so much smaller that nothing overflows; None if there are none.

    All are scaled by one power of 2, so that they are rounded as before, and no number vanishes.
    """
    if not all(map(_is_finite, inputs.values())):
        return None
    for exponent in DOWN:
        smaller = {name: _scaled(array, -exponent) for name, array in inputs.items()}
        if any(_vanishes(inputs[name], array) for name, array in smaller.items()):
            return None
        try:
            if not _has_infinity(trace(outputs, smaller)):
                return smaller
        except (GslError, IndexError):
            return None
    return None


def _within_domains(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return inputs in whose place all functions have values; None if it is these, or none are."""
    for number, domain in enumerate((lambda array: array, *DOMAINS)):
        moved = {n: domain(a) if is_floating(a.dtype) else a for n, a in inputs.items()}
        try:
            values = trace(outputs, moved)
        except (GslError, IndexError):
            return None
        if not any(np.isnan(array).any() for array in floats_in(values.values())):
            return moved if number else None
    return None


def overflows(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> bool:
    """Tell whether something is infinite on the way to some outputs by their references."""
    try:
        return _has_infinity(trace(outputs, inputs))
    except (GslError, IndexError):
        return False


def _is_finite(array: Any) -> bool:
    return not is_floating(array.dtype) or bool(np.isfinite(array).all())


def _has_infinity(values: Mapping[Expr, Any]) -> bool:
    return any(np.isinf(array).any() for array in floats_in(values.values()))


def _scaled(array: Any, exponent: int) -> Any:
    return np.ldexp(array, exponent) if is_floating(array.dtype) else array


def _vanishes(array: Any, smaller: Any) -> bool:
    if not is_floating(array.dtype):
        return False
    return bool(((array != 0) & (np.abs(smaller) < finfo(array.dtype).tiny)).any())


def floats_in(values: Any) -> list[Any]:
    """Return the arrays of floats in values that may be tuples, at any depth."""
    return [array for array in flat(values) if is_floating(array.dtype)]


def flat(values: Any) -> Iterator[Any]:
    """Yield the arrays in values that may be tuples, at any depth."""
    for value in values:
        if isinstance(value, tuple):
            yield from flat(value)
        else:
            yield np.asarray(value)
