"""What values an attribute of an operator may take.

A domain brings a written value into its one canonical form, claims what makes a value legal, and
lists its instances: known values where the structure of a graph depends on them (axes, layouts,
numbers of pieces), symbols where it does not (strides, sizes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from gsl.attr.evaluate import choose, conjunction, contains
from gsl.attr.term import Symbol, Term
from gsl.attr.values import BOOL, NUMBER, UNKNOWN, sort_of
from gsl.types import ALL_DTYPES, Bool, TensorType, TupleType, Type

Fresh = Callable[..., Symbol]
"""Makes a new symbol: ``fresh(suffix, low=None, high=None, sort="int")``."""

LONGEST = 8
"""How many elements a tuple of an open number of elements has at most, where one must be chosen."""


class Domain(Protocol):
    """The values of one attribute; `operands` are the types of the operands of the call.

    `names_axes` says that values are axes, on which the structure of a graph depends. A value that
    `follows` is told by the types of the operands, so that it is never free. Of values that are
    `sampled` there are more than can be yielded.
    """

    names_axes: ClassVar[bool] = False
    follows: ClassVar[bool] = False
    sampled: ClassVar[bool] = False

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Return the canonical form of `value`; raise ValueError when it has none."""

    def written(self, value: Any, operands: Sequence[Any]) -> Any:
        """Return a value that a rule writes as matched calls have it, by terms of the operands."""
        return value

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Return the condition under which a canonical value is legal."""

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield canonical values, likely ones first; with `further` they cover the domain."""

    def further(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield canonical values of forms that are too rare or too many for `instances`."""
        yield from ()

    def among(self, values: Iterable[Any], operands: tuple[Type, ...]) -> Iterator[Any]:
        """Yield the canonical values among those that a rule writes, where others are sampled."""
        for value in values if self.sampled else ():
            with suppress(ValueError):
                yield self.normalise(value, operands)


def first_rank(operands: tuple[Type, ...]) -> int:
    """Return the rank of the first tensor among the operands, looking into tuples."""
    for operand in operands:
        if isinstance(operand, TensorType):
            return operand.ndim
        if isinstance(operand, TupleType) and operand.fields:
            return first_rank(operand.fields)
    return 0


def integer(value: Any) -> Any:
    """Return an int or a term; raise ValueError for anything else, a bool too."""
    if sort_of(value) in (NUMBER, UNKNOWN) and isinstance(value, Term | int):
        return value
    raise ValueError(f"{value!r} is not an integer")


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Return a list or a tuple as a tuple; raise ValueError for anything else."""
    if isinstance(value, list | tuple):
        return tuple(value)
    raise ValueError(f"{value!r} is not a tuple")


@dataclass(frozen=True, slots=True)
class Integer(Domain):
    """One integer between inclusive bounds."""

    low: int | None = None
    high: int | None = None

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept an int, not a bool."""
        return integer(value)

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand the bounds."""
        low = True if self.low is None else value >= self.low
        high = True if self.high is None else value <= self.high
        return conjunction(low, high)

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield one symbol."""
        yield fresh("", low=self.low, high=self.high)


@dataclass(frozen=True, slots=True)
class Integers(Domain):
    """A fixed number of integers; one int stands for all, half of them are used for both sides."""

    count: int
    low: int | None = None

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Repeat an int, or the (begin, end) symmetric short form of paddings."""
        if not isinstance(value, list | tuple):
            return (integer(value),) * self.count
        values = tuple(map(integer, value))
        if len(values) < self.count and values and self.count % len(values) == 0:
            values = values * (self.count // len(values))
        if len(values) != self.count:
            raise ValueError(f"{value!r} does not have {self.count} elements")
        return values

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand the lower bound of every element."""
        return True if self.low is None else conjunction(*(item >= self.low for item in value))

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield a tuple of symbols."""
        yield tuple(fresh(f"[{i}]", low=self.low) for i in range(self.count))


@dataclass(frozen=True, slots=True)
class Real(Domain):
    """One real number between inclusive bounds."""

    low: float | None = None
    high: float | None = None

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept numbers; the canonical form is a float."""
        if sort_of(value) not in (NUMBER, UNKNOWN):
            raise ValueError(f"{value!r} is not a number")
        if isinstance(value, Term):
            return value
        try:
            return float(value)
        except (OverflowError, TypeError, ValueError) as error:
            raise ValueError(f"{value!r} is not a number of float64") from error

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand the bounds."""
        low = True if self.low is None else value >= self.low
        high = True if self.high is None else value <= self.high
        return conjunction(low, high)

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield one symbol of sort real."""
        yield fresh("", low=self.low, high=self.high, sort="real")


@dataclass(frozen=True, slots=True)
class Element(Real):
    """One number that becomes an element of a tensor, as which a truth value is 0 or 1."""

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept numbers and truth values; integers stay integers of any size."""
        if sort_of(value) == BOOL:
            return choose(value, 1, 0)
        return value if type(value) is int else Real.normalise(self, value, operands)


@dataclass(frozen=True, slots=True)
class Choice(Domain):
    """One of a few known values: flags, modes, layouts."""

    options: tuple[Any, ...]

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept one of the options (a bool is not an int here)."""
        for option in self.options:
            if type(option) is type(value) and option == value:
                return option
        if isinstance(value, Term):
            return value
        raise ValueError(f"{value!r} is not one of {', '.join(map(repr, self.options))}")

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand membership."""
        return contains(value, self.options)

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield every option."""
        yield from self.options


FLAG = Choice((False, True))


@dataclass(frozen=True, slots=True)
class DtypeName(Domain):
    """The name of an element type; None stands for the dtype of the first operand."""

    options: tuple[str, ...] = ALL_DTYPES

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept a name or None."""
        if value is None:
            first = operands[0] if operands else None
            if isinstance(first, TensorType):
                return first.dtype
            raise ValueError("a dtype is required here")
        if isinstance(value, Term) or value in self.options:
            return value
        raise ValueError(f"{value!r} is not one of {', '.join(self.options)}")

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand membership."""
        return contains(value, self.options)

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield one symbol of sort text."""
        yield fresh("", sort="text")


@dataclass(frozen=True, slots=True)
class Sizes(Domain):
    """A tuple of sizes of any length up to `longest`; one per axis when `per_axis`."""

    low: int = 0
    longest: int = 4
    per_axis: int = 0
    signed: bool = False
    default: int | None = None

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept a tuple of ints, or None when there is a default for every axis."""
        if value is None and self.default is not None:
            return (self.default,) * (self.per_axis * first_rank(operands))
        return tuple(map(integer, as_tuple(value)))

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand the number of elements and their lower bound."""
        if self.per_axis and len(value) != self.per_axis * first_rank(operands):
            return False
        return self.signed or conjunction(*(item >= self.low for item in value))

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield a tuple of symbols for every length."""
        fixed = self.per_axis * first_rank(operands)
        low = None if self.signed else self.low
        for length in [fixed] if self.per_axis else range(self.longest + 1):
            yield tuple(fresh(f"[{i}]", low=low) for i in range(length))

    def further(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield longer tuples of symbols."""
        low = None if self.signed else self.low
        for length in () if self.per_axis else range(self.longest + 1, LONGEST + 1):
            yield tuple(fresh(f"[{i}]", low=low) for i in range(length))


@dataclass(frozen=True, slots=True)
class Pieces(Domain):
    """How to cut an axis: a number of equal pieces, or a tuple of increasing positions."""

    most: ClassVar[int] = 4

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept an int or a tuple of ints."""
        if isinstance(value, list | tuple):
            return tuple(map(integer, value))
        return integer(value)

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand at least one piece, or positions in order."""
        if not isinstance(value, tuple):
            return value >= 1
        ordered = (a <= b for a, b in zip((0, *value), value, strict=False))
        return conjunction(*ordered)

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield numbers of pieces, then positions for as many pieces."""
        yield from (2, 3, 1)
        for count in range(1, self.most):
            yield tuple(fresh(f"[{i}]", low=0) for i in range(count))

    def further(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield more pieces."""
        yield from self.of(range(self.most, LONGEST + 1), fresh)

    def of(self, numbers: Sequence[int], fresh: Fresh) -> Iterator[Any]:
        """Yield numbers of pieces, then positions for as many."""
        yield from numbers
        for number in numbers:
            yield tuple(fresh(f"[{i}]", low=0) for i in range(number - 1))
