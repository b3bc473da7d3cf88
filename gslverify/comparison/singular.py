"""Where a target is certainly NaN or infinite, as where it divides by zero.

Such elements have no bounded error. Where it may be rounding that brought an operand there, or
where numbers have become too large for their dtype, nothing is certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.evaluate import value_or_error
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gslverify.comparison.bounded import Bounded
from gslverify.comparison.compare import is_finite

MODERATE = 100.0
"""No operator makes more than a float64 can hold of a few operands that are not larger."""


def is_singular(outputs: Sequence[Expr], values: Mapping[Expr, Any]) -> bool:
    """Tell whether all that first is not finite on the way to `outputs` is certainly not."""
    calls = [expr for expr in reverse_post_order(outputs) if isinstance(expr, Call)]
    first = [
        call
        for call in calls
        if not is_finite(values[call]) and all(is_finite(values[below]) for below in call.operands)
    ]
    return bool(first) and all(_is_certain(call, values) for call in first)


def _is_certain(call: Call, values: Mapping[Expr, Any]) -> bool:
    """Tell whether no number within the error of the operands makes the result finite."""
    operands = [values[operand] for operand in call.operands]
    if not all(map(_is_moderate, operands)):
        return False
    places: list[Any] = []
    with np.errstate(all="ignore"):
        for sign in (0, 1, -1):
            try:
                value = value_or_error(call, [_moved(operand, sign) for operand in operands], {})
            except GslError:
                return False
            places.append(np.isfinite(_single(value)))
    here, *beside = places
    return not here.all() and all(np.array_equal(here, other) for other in beside)


def _is_moderate(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_moderate, value))
    if not isinstance(value, Bounded):
        return True
    return bool(np.all(np.abs(value.value) + value.error <= MODERATE))


def _moved(value: Any, sign: int) -> Any:
    if isinstance(value, tuple):
        return tuple(_moved(one, sign) for one in value)
    return value.value + sign * value.error if isinstance(value, Bounded) else value


def _single(value: Any) -> Any:
    fields: Iterable[Any] = value if isinstance(value, tuple) else (value,)
    return np.concatenate([np.ravel(field).astype(np.float64) for field in fields])
