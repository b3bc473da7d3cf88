"""On which values the operators of a network are defined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from math import ceil, floor, inf
from typing import Any

import numpy as np

from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import finfo, iinfo, is_floating, kind_of
from gsl.operators.defined import Values
from gslverify.structures.kernels import chooses, rearranges

_SYSTEM: ContextVar[str] = ContextVar("_SYSTEM", default="")
"""The system whose definition of operators counts; "" is that of GSL."""


@contextmanager
def as_defined_in(system: str) -> Iterator[None]:
    """Let operators be defined on the values on which a system defines them."""
    token = _SYSTEM.set(system)
    try:
        yield
    finally:
        _SYSTEM.reset(token)


def within(array: Any, ranges: Iterable[Values]) -> bool:
    """Tell whether all elements lie in all `ranges`."""
    if kind_of(array.dtype) == "b":
        return True
    floating = is_floating(array.dtype)
    return np.array_equal(restricted(array, ranges, array.dtype), array, equal_nan=floating)


def value_ranges(outputs: Sequence[Expr], guarded: bool = True) -> Mapping[Expr, list[Values]]:
    """Return for expressions the values on which the operators that use them are defined.

    Restrictions pass through operators that rearrange their operand and, if `guarded`, through
    those that a network may guard another operator with: without, only some draws are defined,
    but among them those that the guard is there for.
    """
    return _value_ranges(tuple(outputs), guarded, _SYSTEM.get())


@lru_cache(maxsize=16)
def _value_ranges(
    outputs: tuple[Expr, ...], guarded: bool, system: str
) -> Mapping[Expr, list[Values]]:
    """A network is run on many inputs in a row."""
    passes = chooses if guarded else rearranges
    ranges: dict[Expr, list[Values]] = {}
    for expr in reversed(reverse_post_order(outputs)):
        inherited = [one.everywhere() for one in ranges.get(expr, [])]
        if not isinstance(expr, Call):
            for operand in expr.operands:
                ranges.setdefault(operand, []).extend(inherited)
            continue
        for operand, known in declared_values(expr):
            ranges.setdefault(operand, []).append(known)
        if inherited and passes(expr):
            for operand in expr.operands:
                ranges.setdefault(operand, []).extend(inherited)
    return ranges


def declared_values(call: Call) -> Iterator[tuple[Expr, Values]]:
    """Yield the operands of a call that are restricted, each with its restriction."""
    rules = call.operator.values_in(_SYSTEM.get())
    if not rules:
        return
    types = tuple(operand.type for operand in call.operands)
    for declared, operand in zip(call.operator.operands, call.operands, strict=False):
        rule = rules.get(declared.name)
        if rule is not None:
            yield operand, rule if isinstance(rule, Values) else rule(types, call.attributes)


def restricted(raw: Any, ranges: Iterable[Values], dtype: np.dtype[Any]) -> Any:
    """Return `raw` brought into all `ranges`; what lies inside already stays."""
    is_integral = kind_of(dtype) in "iu"
    for values in ranges:
        low, high = _limits(values, dtype)
        if is_integral:
            raw = raw.astype(np.uint64 if dtype == np.uint64 else np.int64)
        if is_integral and None not in (values.low, values.high):
            raw = _wrapped(raw, low, high)
        if np.all(low >= 0):
            raw = np.abs(raw)
        raw = np.minimum(np.maximum(raw, low), high)
        if values.nonzero:
            raw = np.where(raw == 0, min(max(1, low), high), raw)
    return raw


def _limits(values: Values, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    if values.highs:
        return np.array(values.lows), np.array(values.highs)
    low = -inf if values.low is None else values.low
    high = inf if values.high is None else values.high
    if kind_of(dtype) not in "iu":
        return -_held_below(-low, dtype), _held_below(high, dtype)
    held = iinfo(dtype)
    return ceil(max(low, held.min)), floor(min(high, held.max))


def _held_below(limit: float, dtype: np.dtype[Any]) -> float:
    """Return the largest float of `dtype` up to a limit; infinity is none.

    NumPy would round a limit of a wider dtype to infinity or to a float beyond it.
    """
    if limit == inf:
        return limit
    largest = float(finfo(dtype).max)
    with np.errstate(over="ignore"):
        nearest = dtype.type(float(min(max(limit, -largest), largest)))
    if float(nearest) <= limit:
        return float(nearest)
    return float(np.nextafter(nearest, dtype.type(-largest)))


def _wrapped(raw: Any, low: int, high: int) -> Any:
    """Spread what lies outside over the whole range, if that is small."""
    if np.any(high - low >= 2**31):
        return raw
    return np.where((raw < low) | (raw > high), raw % (high - low + 1) + low, raw)
