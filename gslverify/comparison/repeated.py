"""References that do not compute the same again, so that a difference says nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gslverify.comparison.bounded import Bounded
from gslverify.comparison.compare import computed, evaluate_bounded

TIMES = 4
"""How often a reference is called again."""


def changing_reference(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> str:
    """Return which reference gives other values for the same operands, or the empty string.

    Those of the package are known to be functions.
    """
    calls = [one for one in reverse_post_order(outputs) if isinstance(one, Call)]
    others = [call for call in calls if not call.operator.is_built_in]
    values = evaluate_bounded(outputs, inputs)[1] if others else {}
    for call in others:
        operands = [values[operand] for operand in call.operands]
        with np.errstate(all="ignore"):
            again = [computed(call, operands, inputs) for _ in range(TIMES)]
        if not all(_is_same(values[call], other) for other in again):
            return f"the reference of {call.operator} computes other values when called again"
    return ""


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, Bounded):
        is_float = isinstance(other, Bounded)
        return is_float and np.array_equal(one.value, other.value, equal_nan=True)
    return not isinstance(other, Bounded) and np.array_equal(one, other)
