"""Which values the element types can hold; works on known and on symbolic values and dtypes."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from typing import Any

import numpy as np

from gsl.attr.evaluate import conjunction, contains, disjunction, equal, negation
from gsl.attr.term import Symbol, Term, operation
from gsl.attr.values import BOOL, NUMBER, sort_of
from gsl.dtypes import DTYPES
from gsl.types import ANY_FLOAT, ANY_INTEGER, Bool, Int


def in_range(value: Int, dtype: Int) -> Bool:
    """Return the condition that `dtype`, when it is an integer type, can hold a number."""
    return conjunction(*(_unless_outside(value, dtype, name) for name in ANY_INTEGER))


def representable(value: Any, dtype: Any) -> Bool:
    """Return the condition that elements of `dtype` can be `value`, or those of nested tuples.

    Floating types have every number, rounded; integer types those in their range; bool has 0, 1.
    A truth value is 0 or 1 there, which every type has.
    """
    if isinstance(value, tuple):
        return conjunction(*(representable(item, dtype) for item in value))
    if sort_of(value) == BOOL:
        return True
    floor = operation("floor", value) if isinstance(value, Term) else value // 1
    whole = True if isinstance(value, Symbol) and value.sort == "int" else equal(value, floor)
    bit = disjunction(equal(value, 0), equal(value, 1))
    fits = conjunction(in_range(value, dtype), disjunction(negation(equal(dtype, "bool")), bit))
    return disjunction(contains(dtype, ANY_FLOAT), conjunction(whole, fits))


def _unless_outside(value: Int, dtype: Int, name: str) -> Bool:
    limits = DTYPES[name]
    inside = conjunction(value >= limits.lowest, value <= limits.largest)
    return disjunction(negation(equal(dtype, name)), inside)


def is_float_of(value: Any, dtype: Any) -> Bool:
    """Return the condition that a finite number may be an element of `dtype`, if that is a float.

    It is 0, or neither nearer to 0 nor farther from it than any element; whether the dtype has
    enough digits for it is left open.
    """
    distance = operation("abs", value) if isinstance(value, Term) else abs(value)
    return conjunction(*(_is_float_of(value, distance, dtype, name) for name in ANY_FLOAT))


def _is_float_of(value: Any, distance: Any, dtype: Any, name: str) -> Bool:
    limits = DTYPES[name]
    inside = conjunction(distance >= limits.smallest, distance <= limits.largest)
    return disjunction(negation(equal(dtype, name)), equal(value, 0.0), inside)


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
    if type(value) not in (int, float) or not isinstance(dtype, str) or dtype not in ANY_FLOAT:
        return value
    # Both zeros stay what they are; the cache would take them for one.
    number = rounded(value, dtype) if value else value
    return value if number is None else number


def of_sort(value: Any, dtype: Any) -> Bool:
    """Return the condition that `dtype` is one that elements with the sort of `value` have.

    Those of bool are truth values, those of all other types are numbers.
    """
    if isinstance(value, tuple):
        return conjunction(*(of_sort(item, dtype) for item in value))
    is_bool = equal(dtype, "bool")
    sort = sort_of(value)
    return is_bool if sort == BOOL else negation(is_bool) if sort == NUMBER else True


def is_integer(dtype: str) -> bool:
    """Tell whether a known dtype is an integer type."""
    return dtype in ANY_INTEGER
