"""Attribute expressions for rule authors: ``from gsl import attr``.

Most terms come from patterns (``conv.strides[0] + 1``); the constructors here are for the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from gsl.attr.term import (
    ANYTHING,
    Constant,
    Reduce,
    Symbol,
    Term,
    Value,
    VariadicTuple,
    as_term,
    operation,
)

__all__ = [
    "Abs",
    "All",
    "And",
    "Any",
    "BinaryOp",
    "Ceil",
    "Cond",
    "Const",
    "Exists",
    "Floor",
    "In",
    "Length",
    "Max",
    "Min",
    "Not",
    "Or",
    "Product",
    "ReduceIndexed",
    "Sqrt",
    "Sum",
    "Symbol",
    "Term",
    "Tuple",
    "Variadic",
    "axes_left",
    "inverse",
    "renumbered",
]

Any = ANYTHING
Const = Constant

Body = Callable[[Symbol], Value]


class BinaryOp(StrEnum):
    """Operations that `ReduceIndexed` accepts."""

    ADD = "+"
    MUL = "*"
    MIN = "min"
    MAX = "max"
    AND = "and"
    OR = "or"


def Tuple(*fields: Value) -> Term:
    """Build a tuple of attribute expressions."""
    return as_term(fields)


def Variadic(body: Body, *, length: Value) -> Term:
    """Build the tuple ``(body(0), ..., body(length - 1))``; in a source, None is any length."""
    symbol = Symbol("i")
    return VariadicTuple(as_term(body(symbol)), symbol, as_term(length))


def ReduceIndexed(op: BinaryOp, body: Body, length: Value) -> Term:
    """Combine ``body(0), ..., body(length - 1)`` by `op` (thesis: the sum attribute)."""
    symbol = Symbol("k")
    return Reduce(BinaryOp(op).value, as_term(body(symbol)), symbol, as_term(length))


def Sum(body: Body, *, length: Value) -> Term:
    """Add up ``body(i)``; the empty sum is 0."""
    return ReduceIndexed(BinaryOp.ADD, body, length)


def Product(body: Body, *, length: Value) -> Term:
    """Multiply ``body(i)``; the empty product is 1."""
    return ReduceIndexed(BinaryOp.MUL, body, length)


def All(body: Body, *, length: Value) -> Term:
    """Demand ``body(i)`` for every i; true of nothing."""
    return ReduceIndexed(BinaryOp.AND, body, length)


def Exists(body: Body, *, length: Value) -> Term:
    """Demand ``body(i)`` for some i; false of nothing."""
    return ReduceIndexed(BinaryOp.OR, body, length)


def Cond(condition: Value, then: Value, otherwise: Value) -> Term:
    """Choose between two values; only the chosen one is evaluated."""
    return operation("cond", condition, then, otherwise)


def Min(left: Value, right: Value) -> Term:
    """Return the smaller of two values."""
    return operation("min", left, right)


def Max(left: Value, right: Value) -> Term:
    """Return the larger of two values."""
    return operation("max", left, right)


def And(left: Value, right: Value) -> Term:
    """Logical and; also written `left & right`."""
    return operation("and", left, right)


def Or(left: Value, right: Value) -> Term:
    """Logical or; also written `left | right`."""
    return operation("or", left, right)


def Not(condition: Value) -> Term:
    """Logical not; also written `~condition`."""
    return operation("not", condition)


def In(item: Value, options: Value) -> Term:
    """Tell whether `item` equals one of the elements of the tuple `options`."""
    return operation("in", item, options)


def Length(whole: Value) -> Term:
    """Return the number of elements of a tuple attribute."""
    return operation("length", whole)


def Abs(value: Value) -> Term:
    """Return the absolute value."""
    return operation("abs", value)


def Floor(value: Value) -> Term:
    """Round a real number down to an integer."""
    return operation("floor", value)


def Ceil(value: Value) -> Term:
    """Round a real number up to an integer."""
    return operation("ceil", value)


def Sqrt(value: Value) -> Term:
    """Return the square root of a real number."""
    return operation("sqrt", value)


def axes_left(axes: Value, rank: Value) -> Term:
    """Return the axes of a tensor of `rank` axes that are not among `axes`, in order, from 0 on.

    They are those that are left of x in ``op.Sum(x, axis=axes, keepdims=False)``: axis j of the sum
    is axis ``axes_left(axes, x.ndim)[j]`` of x.
    """
    return operation("axes_left", axes, rank)


def inverse(order: Value) -> Term:
    """Return the place of each axis in `order`, a permutation such as the axes of a transpose."""
    return operation("inverse", order)


def renumbered(axes: Value, order: Value) -> Term:
    """Return the axes of a result as axes of the operand, of which axis j is ``order[j]``.

    The `order` is that of `axes_left` for a reduction, and the axes of a transpose for a transpose.
    """
    axes, order = as_term(axes), as_term(order)
    return Variadic(lambda i: order[axes[i]], length=Length(axes))
