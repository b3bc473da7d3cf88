"""What is known of results that may overflow: their absolute value is so large at least."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gslverify.comparison.bounded.array import Bounded
from gslverify.comparison.bounded.precision import current_precision


def least_exponential(ufunc: Any, fits: Any, operands: Sequence[Bounded]) -> Any:
    """Return how large an exponential is at least where no machine need hold it, 0 elsewhere.

    None for other functions, and where everything `fits`.
    """
    if ufunc is not np.exp or np.all(fits):
        return None
    (operand,) = operands
    low = np.minimum(ufunc(operand.value - operand.error), current_precision().largest)
    return np.where(fits | np.isnan(low), 0.0, low)


def least_sum(left: Bounded, right: Bounded) -> Any:
    """Return how large a sum or difference is at least whose one operand may overflow."""
    return _least(left, right, lambda least, value, error: least - (value + error))


def least_product(left: Bounded, right: Bounded) -> Any:
    """Return how large a product is at least whose one operand may overflow."""
    return _least(left, right, lambda least, value, error: least * np.maximum(value - error, 0.0))


def _least(left: Bounded, right: Bounded, combine: Callable[..., Any]) -> Any:
    one, other = (left, right) if left.least is not None else (right, left)
    if one.least is None:
        return None
    found = combine(one.least, np.abs(other.value), other.error)
    return np.where(np.isnan(found), 0.0, np.maximum(found, 0.0))


def over_large(left: Bounded, right: Bounded, quotient: Bounded) -> Bounded:
    """Return a quotient that is almost 0 where the divisor may overflow."""
    if right.least is None:
        return quotient
    with np.errstate(all="ignore"):
        most = (np.abs(left.value) + left.error) / right.least
    is_small = np.isfinite(most)
    value = np.where(is_small & ~np.isfinite(quotient.value), 0.0, quotient.value)
    error = np.where(is_small, np.abs(value) + most, quotient.error)
    return Bounded(value, error, quotient.dtype)
