"""Numbers of a network that are converted as their floating dtype has them.

Numbers are taken for what is written, whatever digits their dtype has, because a rule may compute
with them. What nothing is computed with is certain: 2^24 + 1 in float32 is converted to 2^24.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsl.expr import Call, Const, Expr
from gslverify.comparison.bounded import Bounded

FILLS = frozenset(("fill_value", "on_value", "off_value"))
"""Attributes whose numbers are elements of results."""

MOVES = frozenset({"Reshape", "Flatten", "ExpandDims", "Squeeze", "BroadcastTo", "Transpose"})
"""Operators that hand on the elements of their operand as they are."""


def as_stored(expr: Expr, operands: Sequence[Any]) -> list[Any]:
    """Return the operands of an expression; a number that it converts as its dtype has it."""
    if not _converts(expr) or not _is_stored(expr.operands[0]):
        return list(operands)
    return [_rounded(one) if isinstance(one, Bounded) else one for one in operands]


def _rounded(value: Bounded) -> Bounded:
    return Bounded(value.value.astype(value.dtype))


def _converts(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.operator.name == "Cast"


def _is_stored(expr: Expr) -> bool:
    while isinstance(expr, Call) and expr.operator.name in MOVES:
        expr = expr.operands[0]
    is_filled = isinstance(expr, Call) and not FILLS.isdisjoint(expr.attributes)
    return is_filled or isinstance(expr, Const)
