"""Operators that are defined by an approximation so close that it may stand for the function.

Softplus returns the element itself above a threshold, because there log(1 + exp(x)) is x but for
digits that few dtypes have. A rule that takes one for the other is as right as the operator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gsl.expr import Call
from gslverify.comparison.bounded import Bounded

CLOSE = 1e-9
"""What is farther from the function than this, relative to it, is not its approximation."""


def approximated(expr: Call, operands: list[Any], value: Any) -> Any:
    """Return the value of a call, with the distance from what it approximates as an error."""
    distance = DISTANCES.get(expr.operator.name)
    if distance is None or not isinstance(value, Bounded):
        return value
    apart = distance(operands[0].value, **expr.attributes)
    apart = np.where(apart <= CLOSE * np.abs(value.value), apart, 0.0)
    return Bounded(value.value, value.error + apart, value.dtype)


def _of_softplus(data: Any, beta: float, threshold: float) -> Any:
    scaled = data * beta
    return np.where(scaled > threshold, np.log1p(np.exp(-np.abs(scaled))) / beta, 0.0)


DISTANCES: dict[str, Callable[..., Any]] = {"Softplus": _of_softplus}
"""How far the results of an operator may lie from the function that it approximates."""
