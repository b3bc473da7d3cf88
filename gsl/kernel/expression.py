"""The value of one element of a tensor: a closed union over numbers, reads and functions.

Indices, sizes and conditions are terms (`gsl.attr.term`), so that the same expression holds for
ints and for all sizes at once. Values are what numbers, tensor elements and functions of them make.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, assert_never

from gsl.attr import term
from gsl.attr.term import Symbol
from gsl.types import Bool, Int

Operand = Any
"""An expression, or a number or term that stands for a constant one."""


class Expression(term.Operand):
    """Base of all expressions; arithmetic builds bigger ones, also that of a term with one."""

    __slots__ = ()

    def __add__(self, other: Operand) -> Expression:
        return Apply("+", (self, as_expression(other)))

    def __radd__(self, other: Operand) -> Expression:
        return Apply("+", (as_expression(other), self))

    def __sub__(self, other: Operand) -> Expression:
        return Apply("-", (self, as_expression(other)))

    def __rsub__(self, other: Operand) -> Expression:
        return Apply("-", (as_expression(other), self))

    def __mul__(self, other: Operand) -> Expression:
        return Apply("*", (self, as_expression(other)))

    def __rmul__(self, other: Operand) -> Expression:
        return Apply("*", (as_expression(other), self))

    def __truediv__(self, other: Operand) -> Expression:
        return Apply("/", (self, as_expression(other)))

    def __rtruediv__(self, other: Operand) -> Expression:
        return Apply("/", (as_expression(other), self))

    def __neg__(self) -> Expression:
        return Apply("neg", (self,))


@dataclass(frozen=True, slots=True, eq=False)
class Number(Expression):
    """A constant: a Python number, or a term such as a size or a loop index used as a value."""

    value: Int | float


@dataclass(frozen=True, slots=True, eq=False)
class Read(Expression):
    """The element of a tensor at `indices`.

    A `guarded` read is 0 outside of the tensor. Any other one promises to lie inside.
    """

    tensor: str
    indices: tuple[Int, ...]
    guarded: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Apply(Expression):
    """A function of values: arithmetic, comparison, `max`, `exp` and so on."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Select(Expression):
    """`then` where a condition about indices holds, and `otherwise` elsewhere.

    Only the chosen side need be defined.
    """

    condition: Bool
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Reduction(Expression):
    """`body` for all values of `variables`, combined by "sum", "product", "max" or "min".

    Each variable comes with its extent: it takes the values 0 .. extent - 1.
    """

    function: str
    variables: tuple[tuple[Symbol, Int], ...]
    body: Expression


AnyExpression = Number | Read | Apply | Select | Reduction


def as_expression(value: Operand) -> Expression:
    """Return an expression as it is, and a number or a term as a constant."""
    return value if isinstance(value, Expression) else Number(value)


def parts(expression: Expression) -> tuple[Expression, ...]:
    """Return the direct subexpressions, from left to right."""
    match expression:
        case Number() | Read():
            return ()
        case Apply(arguments=arguments):
            return arguments
        case Select(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Reduction(body=body):
            return (body,)
        case _:
            assert_never(expression)  # type: ignore[arg-type]


def with_parts(expression: Expression, inner: tuple[Expression, ...]) -> Expression:
    """Return an expression with other direct subexpressions, as many as it has."""
    match expression:
        case Apply(function=function):
            return Apply(function, inner)
        case Select(condition=condition):
            return Select(condition, *inner)
        case Reduction(function=function, variables=variables):
            return Reduction(function, variables, *inner)
        case _:
            return expression


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and everything below it, wholes before parts, from left to right."""
    stack = [expression]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(parts(current)))


def reads_of(expression: Expression) -> list[Read]:
    """Return the reads in an expression, from left to right."""
    return [part for part in walk(expression) if isinstance(part, Read)]
