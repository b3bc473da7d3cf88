"""Values of single elements: numbers of some kind, made of unknowns by functions.

Integers of a dtype wrap around, floats are real numbers, truth values are their own kind, and whole
numbers without a dtype, such as sizes, are unbounded. Equal scalars are one object, so that most
questions whether two are equal need no solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from gsl.dtypes import DTYPES
from gsl.errors import GslError
from gsl.types import ANY_FLOAT, ANY_INTEGER


class UnsupportedError(GslError):
    """A value that is not written as a scalar: infinite, or of an unknown dtype or function."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a scalar is: "real", "truth", "whole", or "wrapping" with so many bits."""

    name: str
    width: int = 0
    signed: bool = True

    @property
    def wraps(self) -> bool:
        """Whether numbers of this kind are those of an integer dtype."""
        return bool(self.width)

    def wrapped(self, number: int) -> int:
        """Return a whole number as an integer of this many bits has it."""
        low = 1 << self.width - 1 if self.signed else 0
        return (number + low) % (1 << self.width) - low

    @property
    def least(self) -> int:
        """The least integer of the kind."""
        return -(1 << self.width - 1) if self.signed else 0


REAL, TRUTH, WHOLE = Kind("real"), Kind("truth"), Kind("whole")


def kind_of(dtype: str) -> Kind:
    """Return the kind of the elements of a tensor; raise UnsupportedError for an unknown dtype."""
    if dtype in ANY_FLOAT:
        return REAL
    if dtype == "bool":
        return TRUTH
    if dtype not in ANY_INTEGER:
        raise UnsupportedError(f"no kind of number is known for {dtype}")
    limits = DTYPES[dtype]
    return Kind("wrapping", limits.bits, limits.lowest < 0)


NUMBER, UNKNOWN, CONVERT = "number", "unknown", "convert"
"""Heads of scalars that are no functions: constants, unknowns, the same value as another kind."""


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A value: a function `head` of `operands`, or a leaf with a `value`.

    Attributes:
        serial: tells scalars apart in the order in which they were made.
        value: the number of a constant, the key of an unknown, the dtype of a rounding.
    """

    kind: Kind
    head: str
    operands: tuple[Scalar, ...]
    value: Any
    serial: int

    @property
    def number(self) -> Any:
        """The number or truth value that the scalar is, None if it is not known to be one."""
        return self.value if self.head == NUMBER else None


class Scalars:
    """Makes scalars, equal ones once.

    Raises UnsupportedError when more than `most` are made: then a question is too large.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._made: dict[Any, Scalar] = {}

    def make(
        self, kind: Kind, head: str, operands: tuple[Scalar, ...] = (), value: Any = None
    ) -> Scalar:
        """Return the scalar of these parts."""
        key = kind, head, tuple([one.serial for one in operands]), type(value), value
        found = self._made.get(key)
        if found is None:
            if len(self._made) >= self.most:
                raise UnsupportedError(f"more than {self.most:,} values are computed")
            found = self._made[key] = Scalar(kind, head, operands, value, len(self._made))
        return found

    def unknown(self, kind: Kind, key: Any) -> Scalar:
        """Return the unknown number of a key."""
        return self.make(kind, UNKNOWN, (), key)

    def literal(self, value: Any) -> Scalar:
        """Return a Python or NumPy number as a scalar; infinities stay, as limits of max and min.

        Raises UnsupportedError for NaN and for what is no number.
        """
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, bool):
            return self.make(TRUTH, NUMBER, (), value)
        if isinstance(value, int):
            return self.make(WHOLE, NUMBER, (), value)
        if isinstance(value, float) and value == value:
            exact = Fraction(value) if isfinite(value) else value
            return self.make(REAL, NUMBER, (), exact)
        if isinstance(value, Fraction):
            return self.make(REAL, NUMBER, (), value)
        raise UnsupportedError(f"{value!r} is no number")

    def converted(self, one: Scalar, kind: Kind) -> Scalar:
        """Return a value as one of another kind: fractions are cut off, integers wrap around."""
        if one.kind == kind:
            return one
        if one.head == NUMBER:
            return self._converted_number(one.value, kind)
        is_wider = one.head == CONVERT and one.kind in (WHOLE, REAL) and kind != REAL
        if is_wider and one.operands[0].kind == kind:
            return one.operands[0]
        return self.make(kind, CONVERT, (one,))

    def _converted_number(self, value: Any, kind: Kind) -> Scalar:
        if not isinstance(value, bool | int) and not isfinite(value):
            if kind == REAL:
                return self.make(REAL, NUMBER, (), value)
            raise UnsupportedError(f"{value} is no integer")
        if kind == TRUTH:
            return self.make(TRUTH, NUMBER, (), value != 0)
        if kind == REAL:
            return self.make(REAL, NUMBER, (), Fraction(value))
        whole = int(value)
        return self.make(kind, NUMBER, (), kind.wrapped(whole) if kind.wraps else whole)

    def joint(self, values: Iterable[Scalar]) -> Kind:
        """Return the kind in which values of several kinds are combined.

        Numbers that are written, and whole numbers, take the kind of the others.
        """
        values = list(values)
        kinds = {one.kind for one in values if not _adapts(one)}
        if REAL in kinds or any(_is_fraction(one) for one in values):
            return REAL
        wrapping = [kind for kind in kinds if kind.wraps]
        if wrapping:
            return max(wrapping, key=lambda kind: (kind.width, kind.signed))
        if TRUTH in kinds or all(one.kind == TRUTH for one in values):
            is_truth = all(one.kind == TRUTH or one.number in (0, 1) for one in values)
            return TRUTH if is_truth else WHOLE
        return REAL if any(one.kind == REAL for one in values) else WHOLE


def _adapts(one: Scalar) -> bool:
    return one.head == NUMBER or one.kind == WHOLE


def _is_fraction(one: Scalar) -> bool:
    return one.head == NUMBER and one.kind == REAL and not _is_whole(one.value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Fraction) and value.denominator == 1


def operands_first(roots: Iterable[Scalar]) -> list[Scalar]:
    """Return scalars and all that they are made of, operands before what is made of them."""
    order: dict[int, Scalar] = {}
    stack: list[tuple[Scalar, bool]] = [(root, False) for root in roots]
    while stack:
        one, is_done = stack.pop()
        if one.serial in order:
            continue
        if is_done or not one.operands:
            order[one.serial] = one
            continue
        stack.append((one, True))
        stack.extend((operand, False) for operand in one.operands)
    return list(order.values())


Meaning = Callable[..., Scalar]
"""Makes a scalar of the scalars that a function is applied to."""
