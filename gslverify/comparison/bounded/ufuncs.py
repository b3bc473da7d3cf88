"""Errors of functions of the elements at one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import product
from math import prod
from typing import Any

import numpy as np

from gsl.operators.elementwise import ERF
from gslverify.comparison.bounded.array import UFUNCS, AmbiguousError, Bounded
from gslverify.comparison.bounded.overflow import (
    least_exponential,
    least_product,
    least_sum,
    over_large,
)
from gslverify.comparison.bounded.precision import current_precision

Compute = Callable[..., Any]


GRAINS = (1.0, 2.0**-4, 2.0**-10)
"""Powers of two: sums and products of their multiples are exact as long as they are small."""


def multilinear(
    compute: Compute,
    magnitude: Compute,
    operands: Sequence[Bounded],
    terms: int,
    dtype: Any,
    grains: Sequence[float] = GRAINS,
) -> Bounded:
    """Bound a sum of `terms` products; `magnitude` computes the same on absolute values.

    Each product has one factor of every operand.
    """
    precision = current_precision()
    value = compute(*(operand.value for operand in operands))
    widest = absolute = magnitude(*(np.abs(operand.value) for operand in operands))
    grain = prod(_grain(operand, grains) for operand in operands)
    computed = bool(grain) and bool(np.all(absolute < precision.exact * grain))
    lost = unheld(value, dtype) if computed else _lost(compute, operands, value, absolute, dtype)
    propagated: Any = 0.0
    if not all(operand.is_exact for operand in operands):
        widest = magnitude(*(np.abs(operand.value) + operand.error for operand in operands))
        propagated = again(value, np.where(widest > absolute, widest - absolute, 0.0), dtype)
    elif computed:
        return Bounded(value, lost, dtype)
    rounding = 2.0 * (terms + 2) * precision.unit * widest + terms * precision.smallest
    error = np.where(widest <= precision.largest, propagated + rounding + lost, np.inf)
    if np.all(np.isfinite(value)):
        return Bounded(value, error, dtype)
    return settled(value, error, _certain(magnitude, operands), dtype)


def _grain(operand: Bounded, grains: Sequence[float]) -> float:
    """Return the first grain of which all elements are multiples, 0 when there is none."""
    finest = grains[-1]
    if not _divides(finest, operand.value):
        return 0.0
    return next((grain for grain in grains[:-1] if _divides(grain, operand.value)), finest)


def unheld(value: Any, dtype: Any) -> Any:
    """Bound what rounding takes from an exact result that `dtype` does not hold.

    A wider type on the way may keep it, so that neither is certain. Nothing is said of overflows.
    """
    if dtype == np.float64:
        return np.zeros(np.shape(value))
    with np.errstate(all="ignore"):
        held = np.asarray(value).astype(dtype)
        spacing = np.spacing(np.abs(held)).astype(np.float64)
    return np.where((held == value) | ~np.isfinite(held), 0.0, spacing)


def _lost(
    compute: Compute, operands: Sequence[Bounded], value: Any, absolute: Any, dtype: Any
) -> Any:
    """Bound what rounding takes from those elements that are exact although others are not."""
    if dtype == np.float64 or compute not in ELEMENTWISE:
        return 0.0
    finest = GRAINS[-1]
    exact = [(one.error == 0) & _are_multiples(finest, one.value) for one in operands]
    small = absolute < current_precision().exact * finest ** len(operands)
    computed = reduce(np.logical_and, exact, small)
    return np.where(computed, unheld(value, dtype), 0.0) if np.any(computed) else 0.0


ELEMENTWISE = (np.add, np.subtract, np.multiply)

COARSE = 0.25
"""From this share of the gap between two numbers of a dtype on, an error is one of rounding."""


def again(value: Any, error: Any, dtype: Any) -> Any:
    """Return errors where a result is rounded to a dtype of which operands have been rounded to it.

    Nothing is added to finer errors: a wider type that is kept all the way has no others.
    """
    if dtype == np.float64:
        return error
    gap = unheld(value, dtype)
    return np.where(error >= COARSE * gap, error + gap, error)


def _divides(grain: float, value: Any) -> bool:
    """Tell whether all elements are multiples of a power of two, infinities and NaN are not."""
    return bool(_are_multiples(grain, value).all() and np.isfinite(value).all())


def _are_multiples(grain: float, value: Any) -> Any:
    quotient = value / grain
    return np.trunc(quotient) == quotient


def settled(value: Any, error: Any, certain: Any, dtype: Any) -> Bounded:
    """Return what is not finite without an error where that is `certain`, else nothing known."""
    infinite = np.where(certain, 0.0, np.inf)
    error = np.where(np.isfinite(value), error, infinite)
    return Bounded(value, np.where(np.isnan(error), np.inf, error), dtype)


def _certain(magnitude: Compute, operands: Sequence[Bounded]) -> Any:
    """Tell where a sum of products of certain operands is not finite, whatever the machine.

    An overflow is not certain: a machine with a wider range does not have it.
    """

    def touched(flag: Callable[[Bounded], Any]) -> Any:
        return reduce(np.logical_or, (_reached(magnitude, operands, i, flag) for i in places))

    places = range(len(operands))
    by_nan = touched(lambda o: np.isnan(o.value) & (o.error == 0))
    by_infinity = touched(lambda o: ~np.isfinite(o.value)) & ~touched(lambda o: o.error != 0)
    return by_nan | by_infinity


def _reached(
    magnitude: Compute, operands: Sequence[Bounded], place: int, flag: Callable[[Bounded], Any]
) -> Any:
    ones = [np.ones(operand.shape) for operand in operands]
    flagged = [flag(operands[place]) * one if i == place else one for i, one in enumerate(ones)]
    none = [np.zeros_like(one) if i == place else one for i, one in enumerate(ones)]
    return magnitude(*flagged) > magnitude(*none)


def monotone(ufunc: Any, dtype: Any, *operands: Bounded) -> Bounded:
    """Bound a function that is monotone in each operand within the error of that operand."""
    precision = current_precision()
    values = [operand.value for operand in operands]
    value = _float(ufunc(*values))
    spread = np.zeros(np.shape(value))
    if not all(operand.is_exact for operand in operands):
        for signs in product((-1.0, 1.0), repeat=len(operands)):
            corner = [o.value + sign * o.error for o, sign in zip(operands, signs, strict=True)]
            spread = np.maximum(spread, np.abs(_float(ufunc(*corner)) - value))
        spread = again(value, spread, dtype)
    rounding = precision.function_units * precision.unit * np.abs(value) + precision.smallest
    fits = np.abs(value) + spread <= precision.largest
    error = np.where(fits, 2.0 * spread + rounding, np.inf)
    error = np.where(_is_rational(ufunc, value, operands), 0.0, error)
    if not np.isfinite(value).all():
        error = settled(value, error, _certain_function(ufunc, value, operands), dtype).error
    return Bounded(value, error, dtype, least=least_exponential(ufunc, fits, operands))


def _certain_function(ufunc: Any, value: Any, operands: Sequence[Bounded]) -> Any:
    exact = reduce(np.add, (operand.error for operand in operands)) == 0
    values = [operand.value for operand in operands]
    reached = reduce(np.logical_or, (~np.isfinite(operand) for operand in values))
    pole = POLES[ufunc](*values) if ufunc in POLES else False
    return exact & (np.isnan(value) | reached | pole)


POLES: Mapping[Any, Compute] = {
    np.divide: lambda left, right: right == 0,
    np.log: lambda operand: operand == 0,
    np.arctanh: lambda operand: np.abs(operand) == 1,
    np.power: lambda base, exponent: base == 0,
}
"""Where a function of finite operands is infinite in exact arithmetic."""


RATIONAL: Mapping[Any, Compute] = {
    np.sqrt: lambda operand, value: (
        (value == _float(value.astype(np.float32))) & (value * value == operand)
    ),
    np.exp: lambda operand, value: operand == 0,
    np.cos: lambda operand, value: operand == 0,
    np.cosh: lambda operand, value: operand == 0,
    np.log: lambda operand, value: operand == 1,
    np.arccos: lambda operand, value: operand == 1,
    np.arccosh: lambda operand, value: operand == 1,
    **dict.fromkeys(
        (ERF, np.sin, np.tan, np.sinh, np.tanh, np.arcsin, np.arctan, np.arcsinh, np.arctanh),
        lambda operand, value: operand == 0,
    ),
}
"""Where a function of an exact operand has an exact value, which every machine finds.

The root of a square is one: it has half as many digits.
"""


def _is_rational(ufunc: Any, value: Any, operands: Sequence[Bounded]) -> Any:
    """Tell where the value of a function of exact operands is known to be exact."""
    if ufunc not in RATIONAL:
        return False
    (operand,) = operands
    return (operand.error == 0) & RATIONAL[ufunc](operand.value, value)


def _float(value: Any) -> Any:
    return np.asarray(value).astype(np.float64)


def _sum_rule(ufunc: Any, dtype: Any, left: Bounded, right: Bounded) -> Bounded:
    result = multilinear(ufunc, np.add, [left, right], 2, dtype)
    if result.is_exact:
        return result
    if left.held is not None and right.held is not None:
        return _without_equal_ones(ufunc, result, left, right)
    result.least = least_sum(left, right)
    return result


def _without_equal_ones(ufunc: Any, result: Bounded, left: Bounded, right: Bounded) -> Bounded:
    """Return a sum that is exactly 0 where equal numbers that were not computed cancel out.

    They are equal as they are written, and as their dtype holds them.
    """
    held = left.held == (right.held if ufunc is np.subtract else -right.held)
    cancels = held & (result.value == 0) & np.isfinite(left.held)
    value, error = (np.where(cancels, 0.0, part) for part in (result.value, result.error))
    return Bounded(value, error, result.dtype)


def _product_rule(ufunc: Any, dtype: Any, left: Bounded, right: Bounded) -> Bounded:
    result = multilinear(np.multiply, np.multiply, [left, right], 1, dtype)
    result.least = least_product(left, right)
    return result


def _square_rule(ufunc: Any, dtype: Any, operand: Bounded) -> Bounded:
    return _product_rule(ufunc, dtype, operand, operand)


def _matmul_rule(ufunc: Any, dtype: Any, left: Bounded, right: Bounded) -> Bounded:
    return multilinear(np.matmul, np.matmul, [left, right], left.shape[-1], dtype)


def _keep_error(ufunc: Any, dtype: Any, operand: Bounded) -> Bounded:
    value, stored = ufunc(operand.value), _chosen(ufunc, operand)
    return Bounded(value, operand.error, dtype, stored=stored, least=operand.least)


def _extremum(ufunc: Any, dtype: Any, left: Bounded, right: Bounded) -> Bounded:
    value, error = ufunc(left.value, right.value), np.maximum(left.error, right.error)
    if error.any():
        low, high = (ufunc(*(o.value + sign * o.error for o in (left, right))) for sign in (-1, 1))
        error = narrower(value, low, high, error)
    return Bounded(value, error, dtype, stored=_chosen(ufunc, left, right))


def narrower(value: Any, low: Any, high: Any, error: Any) -> Any:
    """Return the error of values that lie between `low` and `high`, if it is not more than this."""
    with np.errstate(invalid="ignore"):
        distance = np.maximum(high - value, value - low)
    return np.where(distance < error, distance, error)


def _chosen(ufunc: Any, *operands: Bounded) -> Any:
    """Return what a function that does not round makes of numbers as they are held."""
    if all(operand.stored is None for operand in operands):
        return None
    held = [operand.held for operand in operands]
    return None if any(one is None for one in held) else ufunc(*held)


def _lipschitz(ufunc: Any, dtype: Any, operand: Bounded) -> Bounded:
    precision = current_precision()
    value = ufunc(operand.value)
    spread = operand.error
    if ufunc in BETWEEN and not operand.is_exact:
        low, high = BETWEEN[ufunc](ufunc, operand)
        spread = narrower(value, low, high, spread)
    error = spread + precision.function_units * precision.unit * (1.0 + np.abs(value))
    error = np.where(_is_rational(ufunc, value, [operand]), 0.0, error)
    return settled(value, error, operand.error == 0, dtype)


def _at_ends(ufunc: Any, operand: Bounded) -> tuple[Any, Any]:
    return ufunc(operand.value - operand.error), ufunc(operand.value + operand.error)


BETWEEN: Mapping[Any, Callable[[Any, Bounded], tuple[Any, Any]]] = {
    **dict.fromkeys((np.tanh, np.arctan, np.arcsinh), _at_ends),
    **dict.fromkeys((np.sin, np.cos), lambda ufunc, operand: (-1.0, 1.0)),
}
"""Between which values a function lies, whatever the error of its operand."""


def _step(ufunc: Any, dtype: Any, operand: Bounded) -> Bounded:
    """Floor, ceil, round, sign: exact unless the bound crosses a jump."""
    value = ufunc(operand.value)
    low, high = ufunc(operand.value - operand.error), ufunc(operand.value + operand.error)
    error = np.maximum(np.abs(high - value), np.abs(value - low))
    return settled(value, error, operand.error == 0, dtype)


def _quotient(ufunc: Any, dtype: Any, left: Bounded, right: Bounded) -> Bounded:
    result = monotone(np.divide, dtype, left, right)
    error = result.error
    certain = left.error + right.error == 0
    if certain.any():
        exact = certain & _divides_exactly(left, right, result.value)
        error = np.where(exact, unheld(result.value, dtype), error)
    near_zero = (np.abs(right.value) <= right.error) & (right.error > 0)
    error = np.where(near_zero, np.inf, error)
    return over_large(left, right, Bounded(result.value, error, dtype))


def _tangent(ufunc: Any, dtype: Any, operand: Bounded) -> Bounded:
    """Between two poles a tangent is monotone; nothing is known where a pole may be reached."""
    result = monotone(ufunc, dtype, operand)
    turns = [np.floor((operand.value + side * operand.error) / np.pi + 0.5) for side in (-1, 1)]
    error = np.where((operand.error > 0) & (turns[0] != turns[1]), np.inf, result.error)
    return Bounded(result.value, error, dtype)


def _half_of_logarithm(ufunc: Any, dtype: Any, operand: Bounded) -> Bounded:
    """The inverse of the hyperbolic tangent, also as log((1 + x) / (1 - x)) / 2 computes it."""
    result = monotone(ufunc, dtype, operand)
    return Bounded(result.value, result.error + 2 * current_precision().unit, dtype)


def _divides_exactly(left: Bounded, right: Bounded, value: Any) -> Any:
    """Tell where the quotient of exact values is itself exact: a multiple of a grain, and small."""
    limit = current_precision().exact
    multiples = (
        (np.fmod(left.value / grain, right.value) == 0) & (np.abs(value) < limit * grain)
        for grain in GRAINS
    )
    return reduce(np.logical_or, multiples)


def _decide(ufunc: Any, dtype: Any, left: Bounded, right: Bounded) -> Any:
    if left.dtype == right.dtype and left.held is not None and right.held is not None:
        left, right = left.decided, right.decided
    bound = np.where(left.is_twin_of(right), 0.0, left.error + right.error)
    if bound.any():
        gap = np.abs(left.value - right.value)
        if np.any((bound != 0) & ~(gap > bound)):
            raise AmbiguousError("a comparison depends on rounding")
    return ufunc(left.value, right.value)


def _classify(ufunc: Any, dtype: Any, operand: Bounded) -> Any:
    if not np.all(np.isfinite(operand.error)):
        raise AmbiguousError("whether a value is finite depends on rounding")
    return ufunc(operand.value)


UFUNCS.update(
    {
        np.add: _sum_rule,
        np.subtract: _sum_rule,
        np.multiply: _product_rule,
        np.square: _square_rule,
        np.matmul: _matmul_rule,
        np.divide: _quotient,
    }
)
for rule, names in (
    (_keep_error, (np.negative, np.positive, np.absolute)),
    (_extremum, (np.maximum, np.minimum)),
    (_lipschitz, (np.sin, np.cos, np.tanh, np.arctan, np.arcsinh)),
    (_step, (np.floor, np.ceil, np.rint, np.trunc, np.sign)),
    (monotone, (np.exp, np.log, np.sqrt, np.power, ERF)),
    (monotone, (np.sinh, np.cosh, np.arcsin, np.arccos, np.arccosh)),
    (_half_of_logarithm, (np.arctanh,)),
    (_tangent, (np.tan,)),
    (_classify, (np.isfinite, np.isinf, np.isnan)),
    (_decide, (np.equal, np.not_equal)),
    (_decide, (np.less, np.less_equal, np.greater, np.greater_equal)),
):
    UFUNCS.update(dict.fromkeys(names, rule))
