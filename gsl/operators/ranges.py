"""Which numbers the element types can hold; works on known and on symbolic numbers and dtypes."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from typing import Any

import numpy as np

from gsl.attr.evaluate import conjunction, contains, disjunction, equal, negation
from gsl.attr.term import Symbol, Term, operation
from gsl.types import FLOATING, INTEGER, Bool, Int


def in_range(value: Int, dtype: Int) -> Bool:
    """Return the condition that `dtype`, when it is an integer type, can hold `value`."""
    return conjunction(*(_unless_outside(value, dtype, name) for name in INTEGER))


def representable(value: Any, dtype: Any) -> Bool:
    """Return the condition that `dtype` has `value`, a number or nested tuples of numbers.

    Floating types have every number, rounded; integer types those in their range; bool has 0, 1.
    """
    if isinstance(value, tuple):
        return conjunction(*(representable(item, dtype) for item in value))
    if isinstance(value, bool):
        return representable(int(value), dtype)
    floor = operation("floor", value) if isinstance(value, Term) else value // 1
    whole = True if isinstance(value, Symbol) and value.sort == "int" else equal(value, floor)
    bit = disjunction(equal(value, 0), equal(value, 1))
    fits = conjunction(in_range(value, dtype), disjunction(negation(equal(dtype, "bool")), bit))
    return disjunction(contains(dtype, FLOATING), conjunction(whole, fits))


def _unless_outside(value: Int, dtype: Int, name: str) -> Bool:
    limits = np.iinfo(name)
    inside = conjunction(value >= int(limits.min), value <= int(limits.max))
    return disjunction(negation(equal(dtype, name)), inside)


@lru_cache(maxsize=1024, typed=True)
def rounded(value: float, dtype: str) -> float | None:
    """Return a number as the float type `dtype` rounds it; None where that is infinite or zero."""
    try:
        number = float(value)
    except OverflowError:
        return None
    with np.errstate(all="ignore"):
        result = float(np.array(number).astype(dtype))
    kept = isfinite(result) == isfinite(number) and (result == 0) == (number == 0)
    return result if kept else None


def stored(value: Any, dtype: Any) -> Any:
    """Return a value as a constant of `dtype` has it: a float type rounds numbers.

    So it does in nested tuples. What would become infinite or zero stays as it is, as do terms.
    """
    if isinstance(value, tuple):
        return tuple(stored(item, dtype) for item in value)
    if type(value) not in (int, float) or not isinstance(dtype, str) or dtype not in FLOATING:
        return value
    # Both zeros stay what they are; the cache would take them for one.
    number = rounded(value, dtype) if value else value
    return value if number is None else number


def is_integer(dtype: str) -> bool:
    """Tell whether a known dtype is an integer type."""
    return dtype in INTEGER
