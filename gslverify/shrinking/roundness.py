"""Numbers that a person checks by hand, and how far others are from them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_DOWN, Context, Decimal
from math import isfinite
from typing import Any

import numpy as np

from gsl.numpy_dtypes import kind_of

SIMPLE_VALUES = (0, 1, -1, 2)
"""Elements of inputs that are tried for all others, the simplest first."""

ROUND_VALUES = (*SIMPLE_VALUES, -2, 3, -3, 4, -4, 5, -5, 0.5, -0.5, 10, -10, 100, -100)
"""Elements that are tried where none of the SIMPLE_VALUES will do, the simplest first."""

MOST_DIGITS = 20
"""Counts for infinities, NaN and what nobody reads, too."""

MOST_ELEMENTS = 64
"""Digits of larger arrays are not counted: reports do not print them."""


def remoteness(array: Any) -> int:
    """Return how far the elements of an array are from the ROUND_VALUES, together.

    One of these counts as its place among them, others as all of them and their digits.
    """
    places = np.full(array.shape, len(ROUND_VALUES) + MOST_DIGITS)
    with np.errstate(invalid="ignore"):
        for place, value in reversed(list(enumerate(ROUND_VALUES))):
            places[array == value] = place
    others = places >= len(ROUND_VALUES)
    if array.size <= MOST_ELEMENTS and others.any():
        places[others] = [len(ROUND_VALUES) + _digits(value) for value in array[others]]
    return int(places.sum())


def simple_values(values: Any) -> tuple[int, ...]:
    """Return those of the SIMPLE_VALUES that may stand for values, which are simpler than all."""
    kind = kind_of(values.dtype)
    simple = (0,) if kind == "b" else (0, 1, 2) if kind == "u" else SIMPLE_VALUES
    known = [place for place, one in enumerate(simple) if np.all(values == one)]
    return simple[: known[0]] if known else simple


def rounder_values(value: Any) -> Iterator[Any]:
    """Yield numbers between 0 and an element of an array that are rounder, the simplest first."""
    number = value.item()
    if isinstance(number, bool) or not isfinite(number) or number in SIMPLE_VALUES:
        return
    limit = abs(number)
    for one in ROUND_VALUES[len(SIMPLE_VALUES) :]:
        if one == number:
            return
        is_held = isinstance(number, float) or isinstance(one, int)
        if is_held and abs(one) < limit and (one < 0) == (number < 0):
            yield one
    digits = _digits(value)
    for fewer in range(1, min(digits, 5)):
        yield type(number)(_exactly(value).normalize(Context(fewer, ROUND_DOWN)))


def _digits(value: Any) -> int:
    exact = _exactly(value)
    return len(exact.normalize().as_tuple().digits) if exact.is_finite() else MOST_DIGITS


def _exactly(value: Any) -> Decimal:
    """Return an element as it is printed, which tells it from its neighbours in its dtype."""
    return Decimal(str(value))
