"""Which numbers the integer element types can hold; works on known and on symbolic dtypes."""

from __future__ import annotations

import numpy as np

from gsl.attr.evaluate import conjunction, disjunction, equal, negation
from gsl.types import INTEGER, Bool, Int


def in_range(value: Int, dtype: Int) -> Bool:
    """Return the condition that `dtype`, when it is an integer type, can hold `value`."""
    return conjunction(*(_unless_outside(value, dtype, name) for name in INTEGER))


def _unless_outside(value: Int, dtype: Int, name: str) -> Bool:
    limits = np.iinfo(name)
    inside = conjunction(value >= int(limits.min), value <= int(limits.max))
    return disjunction(negation(equal(dtype, name)), inside)


def is_integer(dtype: str) -> bool:
    """Tell whether a known dtype is an integer type."""
    return dtype in INTEGER
