"""Kinds of expressions and operators as a user would add them, outside of the library."""

from __future__ import annotations

from collections.abc import Sequence

from gsl import Expr
from gsl.errors import GraphError


class Twice(Expr):
    """The operand, done twice; says for itself what it is over other operands."""

    __slots__ = ()

    def __init__(self, data: Expr) -> None:
        super().__init__((data,), data.type)

    def with_operands(self, operands: tuple[Expr, ...]) -> Expr:
        if len(operands) != 1:
            raise GraphError(f"Twice takes one operand, not {len(operands)}")
        return Twice(operands[0])

    def __repr__(self) -> str:
        return "Twice()"


class Thrice(Twice):
    """A kind that is derived from an own one."""

    __slots__ = ()


class Block(Expr):
    """A value computed by a network of its own, which is no operand."""

    __slots__ = ("body",)

    def __init__(self, operands: Sequence[Expr], body: Expr) -> None:
        self.body = body
        super().__init__(tuple(operands), body.type)

    def __repr__(self) -> str:
        return "Block()"
