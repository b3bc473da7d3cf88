"""Operands that may be absent, as patterns: in graphs their place is held by an empty tuple."""

from __future__ import annotations

from typing import Any

from gsl.pat.pattern import Alt, Tuple


def Absent() -> Tuple:
    """Match or build an operand that is absent, as in ``op.MaskedAttention(q, k, v, Absent())``."""
    return Tuple()


def Optional(operand: Any) -> Alt:
    """Match an optional operand that is absent (arm 0) or what `operand` matches (arm 1).

    The result stands for whichever it was, in conditions and targets: ``mask.arm == 0``.
    """
    return Alt(Tuple(), operand)
