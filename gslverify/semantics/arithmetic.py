"""The functions of kernels and attribute expressions, applied to scalars.

Numbers that are known are computed at once, exactly. What has no value somewhere, such as a
quotient, is told when the solver is asked (`gslverify.semantics.formulas`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from math import ceil, floor, isfinite
from typing import Any

import numpy as np

from gsl.dtypes import DTYPES
from gsl.types import ANY_FLOAT
from gslverify.semantics.scalars import (
    CONVERT,
    NUMBER,
    REAL,
    TRUTH,
    WHOLE,
    Kind,
    Meaning,
    Scalar,
    Scalars,
    UnsupportedError,
    kind_of,
)

Table = Mapping[str, Callable[..., Any]]

EXACT: Table = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "max": max,
    "min": min,
}
COMPARED: Table = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
BITWISE: Table = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    ">>": operator.rshift,
}
SYMMETRIC = frozenset({"+", "*", "max", "min", "==", "!=", "and", "or", "&", "|", "^"})
NEUTRAL: Mapping[str, Any] = {"+": 0, "*": 1, "max": -np.inf, "min": np.inf}
ON_TRUTHS = {"+": "or", "max": "or", "*": "and", "min": "and"}
LARGEST_POWER = 4
"""Whole exponents up to it are products; others make a function of which little is known."""
MOST_BITS = 64
"""Whole numbers are raised to exponents up to it, such as 2 where bits are shifted."""
OPEN = frozenset(
    {
        *("exp", "log", "sigmoid", "erf", "sin", "cos", "tan", "asin", "acos", "atan"),
        *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    }
)
"""Functions that the solver knows by a few laws only."""


class Arithmetic:
    """Applies functions by their names; raises UnsupportedError for one that it does not know."""

    def __init__(self, scalars: Scalars) -> None:
        self.scalars = scalars
        self._functions: Mapping[str, Meaning] = {
            "neg": lambda one: self._computed("-", scalars.literal(0), one),
            "abs": self._absolute,
            "sign": self._sign,
            "/": self._quotient,
            "//": lambda left, right: self._divided("//", left, right),
            "%": lambda left, right: self._divided("%", left, right),
            "not": self.negation,
            "and": lambda *all_of: reduce(self._both, all_of),
            "or": lambda *any_of: reduce(self._either, any_of),
            "select": self.chosen,
            "cond": self.chosen,
            "cast": self._cast,
            "floor": lambda one: self._rounded("floor", one),
            "ceil": lambda one: self._negative(self._rounded("floor", self._negative(one))),
            "trunc": self._truncated,
            "round": lambda one: self._rounded("round", one),
            "pow": self._power,
            "sqrt": self._root,
        }

    def __call__(self, function: str, *operands: Scalar) -> Scalar:
        """Return a function of values."""
        if function in EXACT:
            return self._computed(function, *operands)
        if function in COMPARED:
            return self._compared(function, *operands)
        if function in BITWISE:
            return self._bitwise(function, *operands)
        if function in OPEN:
            return self.scalars.make(REAL, function, (self.real(operands[0]),))
        if function not in self._functions:
            raise UnsupportedError(f"the function `{function}` has no formula")
        return self._functions[function](*operands)

    def truth(self, one: Scalar) -> Scalar:
        """Return whether a value is not 0."""
        if one.kind == TRUTH or one.head == NUMBER:
            return self.scalars.converted(one, TRUTH)
        return self._compared("!=", one, self.scalars.literal(0))

    def real(self, one: Scalar) -> Scalar:
        """Return a value as a real number."""
        return self.scalars.converted(one, REAL)

    def as_dtype(self, one: Scalar, dtype: str) -> Scalar:
        """Return a value as an element of a tensor of some dtype."""
        kind = kind_of(dtype)
        return self.truth(one) if kind == TRUTH else self.scalars.converted(one, kind)

    def negation(self, one: Scalar) -> Scalar:
        """Return whether a condition does not hold."""
        one = self.truth(one)
        if one.head == NUMBER:
            return self.scalars.literal(not one.value)
        if one.head == "not":
            return one.operands[0]
        return self.scalars.make(TRUTH, "not", (one,))

    def chosen(self, condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
        """Return the value that a condition chooses."""
        condition = self.truth(condition)
        if condition.head == NUMBER:
            return then if condition.value else otherwise
        if then is otherwise:
            return then
        kind = self.scalars.joint((then, otherwise))
        then, otherwise = (self.scalars.converted(one, kind) for one in (then, otherwise))
        if kind == TRUTH and then.number is True and otherwise.number is False:
            return condition
        return self.scalars.make(kind, "select", (condition, then, otherwise))

    def _made(self, kind: Kind, head: str, *operands: Scalar) -> Scalar:
        if head in SYMMETRIC:
            operands = tuple(sorted(operands, key=lambda one: one.serial))
        return self.scalars.make(kind, head, operands)

    def _computed(self, head: str, left: Scalar, right: Scalar) -> Scalar:
        for one, other in ((left, right), (right, left)):
            if one.head == NUMBER and head in NEUTRAL and one.kind != TRUTH:
                if one.value == NEUTRAL[head]:
                    return other
                if one.value == -NEUTRAL[head] and head in ("max", "min"):
                    return one
        if head == "-" and right.head == NUMBER and right.kind != TRUTH and right.value == 0:
            return left
        kind = self.scalars.joint((left, right))
        if kind == TRUTH:
            if head in ON_TRUTHS:
                return self(ON_TRUTHS[head], left, right)
            kind = WHOLE
        left, right = (self.scalars.converted(one, kind) for one in (left, right))
        if left.head == right.head == NUMBER:
            return self._number(EXACT[head](left.value, right.value), kind)
        if left is right and head in ("max", "min"):
            return left
        _refuse_infinities(left, right)
        return self._made(kind, head, left, right)

    def _number(self, value: Any, kind: Kind) -> Scalar:
        if not isinstance(value, bool | int) and not isfinite(value):
            raise UnsupportedError("an infinite number is computed with")
        return self.scalars.converted(self.scalars.literal(value), kind)

    def _compared(self, head: str, left: Scalar, right: Scalar) -> Scalar:
        for one, other, is_left in ((left, right, True), (right, left, False)):
            if other.head != NUMBER and _is_infinite(one):
                pair = (one.value, 0) if is_left else (0, one.value)
                return self.scalars.literal(bool(COMPARED[head](*pair)))
        kind = self.scalars.joint((left, right))
        if kind == TRUTH and head not in ("==", "!="):
            kind = WHOLE
        left, right = (self.scalars.converted(one, kind) for one in (left, right))
        if left.head == right.head == NUMBER:
            return self.scalars.literal(bool(COMPARED[head](left.value, right.value)))
        if head == "!=":
            return self.negation(self._made(TRUTH, "==", left, right))
        if head in (">", ">="):
            head, left, right = {">": "<", ">=": "<="}[head], right, left
        return self._made(TRUTH, head, left, right)

    def _both(self, left: Scalar, right: Scalar) -> Scalar:
        left, right = self.truth(left), self.truth(right)
        for one, other in ((left, right), (right, left)):
            if one.head == NUMBER:
                return other if one.value else one
        return left if left is right else self._made(TRUTH, "and", left, right)

    def _either(self, left: Scalar, right: Scalar) -> Scalar:
        left, right = self.truth(left), self.truth(right)
        for one, other in ((left, right), (right, left)):
            if one.head == NUMBER:
                return one if one.value else other
        return left if left is right else self._made(TRUTH, "or", left, right)

    def _negative(self, one: Scalar) -> Scalar:
        return self._computed("-", self.scalars.literal(0), one)

    def _absolute(self, one: Scalar) -> Scalar:
        if one.kind == TRUTH or (one.kind.wraps and not one.kind.signed):
            return one
        return self._computed("max", one, self._negative(one))

    def _sign(self, one: Scalar) -> Scalar:
        numbers = {n: self.scalars.converted(self.scalars.literal(n), one.kind) for n in (1, 0)}
        less = self.scalars.converted(self.scalars.literal(-1), one.kind)
        zero = self.scalars.literal(0)
        rest = self.chosen(self._compared("<", one, zero), less, numbers[0])
        return self.chosen(self._compared(">", one, zero), numbers[1], rest)

    def _quotient(self, left: Scalar, right: Scalar) -> Scalar:
        left, right = self.real(left), self.real(right)
        if left.head == right.head == NUMBER and right.value:
            return self._number(left.value / right.value, REAL)
        if right.head == NUMBER and right.value:
            inverse = self._number(1 / right.value, REAL)
            return self._computed("*", left, inverse)
        _refuse_infinities(left, right)
        return self._made(REAL, "/", left, right)

    def _divided(self, head: str, left: Scalar, right: Scalar) -> Scalar:
        kind = self.scalars.joint((left, right))
        kind = WHOLE if kind == TRUTH else kind
        left, right = (self.scalars.converted(one, kind) for one in (left, right))
        if left.head == right.head == NUMBER and right.value:
            found = floor(left.value / right.value) if kind == REAL else left.value // right.value
            rest = left.value - right.value * found
            return self._number(found if head == "//" else rest, kind)
        _refuse_infinities(left, right)
        return self._made(kind, head, left, right)

    def _bitwise(self, head: str, left: Scalar, right: Scalar) -> Scalar:
        kind = self.scalars.joint((left, right))
        if kind == REAL:
            raise UnsupportedError(f"`{head}` of floats")
        kind = WHOLE if kind == TRUTH else kind
        left, right = (self.scalars.converted(one, kind) for one in (left, right))
        if left.head == right.head == NUMBER and (head != ">>" or right.value >= 0):
            return self._number(BITWISE[head](left.value, right.value), kind)
        return self._made(kind, head, left, right)

    def _rounded(self, head: str, one: Scalar) -> Scalar:
        if one.kind != REAL:
            return one
        if one.head == NUMBER:
            return self._number(
                Fraction(floor(one.value) if head == "floor" else round(one.value)), REAL
            )
        return self.scalars.make(REAL, head, (one,))

    def _truncated(self, one: Scalar) -> Scalar:
        if one.kind != REAL:
            return one
        if one.head == NUMBER:
            cut = floor(one.value) if one.value >= 0 else ceil(one.value)
            return self._number(Fraction(cut), REAL)
        return self.scalars.converted(self.scalars.make(WHOLE, CONVERT, (one,)), REAL)

    def _power(self, base: Scalar, exponent: Scalar) -> Scalar:
        number = exponent.number
        if _is_whole(base) and _is_whole(exponent) and 0 <= number <= MOST_BITS:
            return self._number(base.number**number, WHOLE)
        if number is not None and abs(number) <= LARGEST_POWER and number == int(number):
            ones = [self.real(base)] * abs(int(number))
            product = reduce(lambda a, b: self._computed("*", a, b), ones, self._one())
            return product if number >= 0 else self._quotient(self._one(), product)
        if number == Fraction(1, 2):
            return self._root(base)
        return self.scalars.make(REAL, "pow", (self.real(base), self.real(exponent)))

    def _one(self) -> Scalar:
        return self.scalars.converted(self.scalars.literal(1), REAL)

    def _root(self, one: Scalar) -> Scalar:
        return self.scalars.make(REAL, "sqrt", (self.real(one),))

    def _cast(self, one: Scalar, source: Scalar, target: Scalar) -> Scalar:
        raise UnsupportedError("a conversion between dtypes that are not known")

    def cast(self, one: Scalar, source: str, target: str) -> Scalar:
        """Return a value of one dtype as one of another; floats that have too few digits round."""
        found = self.as_dtype(one, target)
        if target not in ANY_FLOAT or DTYPES[target].holds_all_of(DTYPES[source]):
            return found
        if found.head == NUMBER:
            with np.errstate(over="ignore"):
                return self._number(float(np.dtype(target).type(float(found.value))), REAL)
        return self.scalars.make(REAL, "rounded", (found,), target)


def _is_whole(one: Scalar) -> bool:
    return one.head == NUMBER and one.kind not in (REAL, TRUTH)


def _is_infinite(one: Scalar) -> bool:
    return one.head == NUMBER and one.kind == REAL and not isfinite(one.value)


def _refuse_infinities(*operands: Scalar) -> None:
    if any(map(_is_infinite, operands)):
        raise UnsupportedError("an infinite number is computed with")
