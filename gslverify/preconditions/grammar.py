"""The conditions that are proposed: those that authors of rules write.

Ranks, shapes, dtypes and axes are equal or bounded, an attribute is its default, a number has a
sign or divides another one, a permutation does nothing or undoes another one. What only singles out
a match, such as one particular size or constant, is no sentence of the grammar. Which sentences are
written is decided by the values in some matches; whether they help is not decided here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

from gsl import attr
from gsl.attr import In
from gsl.attr.term import Access, Operation, Term, as_term
from gsl.operators.domain_axes import Permutation
from gsl.pat import Call, Const, Pattern
from gsl.types import FLOATING, INTEGER, UNSIGNED
from gslverify.preconditions.readings import Reading

SIGNED = tuple(dtype for dtype in INTEGER if dtype not in UNSIGNED)
DTYPES = (FLOATING, INTEGER, (*FLOATING, *INTEGER), SIGNED, (*FLOATING, *SIGNED))
MOST_WRITTEN_RANK = 3
COST_OF_DEFAULT = 1
SHAPES = frozenset({"shape", "sizes", "new_shape", "newshape"})
ORDERED = frozenset({"min", "max", "value", "end"})
"""Kinds of numbers that are compared by their order."""

AXES = frozenset({"axis", "axes"})
MARGINS = frozenset({"pad_width", "padding"})
"""Numbers that are all 0 where nothing is added."""

NOT_SIZES = frozenset({"padding", "pad_width", "dilation", "output_padding", "begin"})
"""Numbers of calls that are no lengths, so that nobody compares them with sizes."""

SIZES = frozenset({"size", "size at"})
TYPICAL = frozenset({"size", "place", "ndim"})

Fact = tuple[int, Term, Callable[..., bool]]


@dataclass(frozen=True, slots=True)
class Condition:
    """A sentence of the grammar; the simplest ones have the lowest `cost`.

    `holds` tells from the values of the readings that it is `about` whether it is true.
    """

    term: Term
    cost: int
    about: tuple[Reading, ...]
    holds: Callable[..., bool]

    @property
    def is_typical(self) -> bool:
        """Whether it is about whole attributes, ranks, shapes, dtypes, or equal sizes."""
        return all(one.kind in TYPICAL or not one.is_part for one in self.about)

    @property
    def is_of_shapes(self) -> bool:
        """Whether it says that two shapes are equal."""
        return {one.kind for one in self.about} == {"shape"}

    def is_true(self, values: Mapping[Term, Any]) -> bool:
        """Tell whether it is true where readings have these values, all of them."""
        known = [values[reading.term] for reading in self.about]
        return all(value is not None for value in known) and self.holds(*known)

    def truths(self) -> list[bool]:
        """Tell in which of the matches of its readings it is true."""
        columns = zip(*(reading.values for reading in self.about), strict=True)
        return [None not in known and self.holds(*known) for known in columns]


def conditions(found: Sequence[Reading]) -> list[Condition]:
    """Return the sentences about readings, always in the same order."""
    about_one = [Condition(t, c, (r,), test) for r in found for c, t, test in _facts(r)]
    about_two = [
        Condition(term, cost, (one, other), test)
        for one, other in combinations(found, 2)
        for cost, term, test in _comparisons(one, other)
    ]
    return about_one + about_two


def _is(value: Any) -> Callable[[Any], bool]:
    return lambda one: bool(one == value)


def _facts(reading: Reading) -> Iterator[Fact]:
    """Yield conditions about one reading, with their costs."""
    term = reading.term
    if reading.kind in AXES and not reading.has(tuple):
        return
    if reading.has(float) or (reading.kind == "value" and reading.has(int, float)):
        yield from _about_reals(reading)
    elif reading.has(int):
        yield from _about_integers(reading)
    elif reading.has(bool):
        yield from ((2, term == value, _is(value)) for value in (True, False))
    elif reading.kind == "dtype" and (reading.attribute or not isinstance(reading.owner, Call)):
        for dtypes in DTYPES:
            yield 2 + (len(dtypes) > len(INTEGER)), In(term, dtypes), dtypes.__contains__
        yield 3, term != "bool", lambda name: name != "bool"
    elif reading.has(str) and reading.kind != "dtype":
        yield from ((3, term == name, _is(name)) for name in sorted(set(reading.known)))
    elif reading.has(tuple) and reading.kind != "shape":
        yield from _about_tuples(reading)


def _about_reals(reading: Reading) -> Iterator[Fact]:
    """Yield signs, bounds at 1 and the default of a number."""
    term, default = reading.term, _default(reading)
    if isinstance(default, int | float):
        yield COST_OF_DEFAULT, term == default, _is(default)
    for cost, compare, bound in (
        (2, operator.ge, 0),
        (2, operator.gt, 0),
        (3, operator.le, 1),
        (3, operator.le, 0),
        (3, operator.lt, 0),
        (3, operator.ne, 0),
        (3, operator.eq, 0),
    ):
        if bound == default or compare is not operator.eq or not isinstance(reading.owner, Const):
            yield cost, compare(term, bound), partial(_compared, compare, bound)


def _compared(compare: Callable[[Any, Any], Any], bound: Any, value: Any) -> bool:
    return type(value) in (int, float) and bool(compare(value, bound))


def _about_integers(reading: Reading) -> Iterator[Fact]:
    term, kind = reading.term, reading.kind
    if kind == "ndim":
        yield from _about_ranks(reading)
    elif kind == "place":
        yield from ((3, term == place, _is(place)) for place in (0, 1))
    elif kind == "size":
        yield 4, term % 2 == 0, lambda size: size % 2 == 0
        yield 4, term >= 1, lambda size: size >= 1
    elif kind == "size at":
        yield 4, term <= 1, lambda size: size <= 1
        yield from ((5, term == size, _is(size)) for size in (1, 2, 3))
    else:
        default = _default(reading)
        if isinstance(default, int):
            yield COST_OF_DEFAULT, term == default, _is(default)
        yield 2, term >= 0, lambda number: number >= 0
        yield 2, term >= 1, lambda number: number >= 1
        yield 3, term != 0, lambda number: number != 0
        if reading.is_part:
            yield from ((3, term == number, _is(number)) for number in (0, 1))


def _about_ranks(reading: Reading) -> Iterator[Fact]:
    term, ranks = reading.term, sorted(set(reading.known))
    if reading.is_rank_zero:
        yield 2, term == 0, _is(0)
    for rank in ranks:
        if 1 <= rank <= MOST_WRITTEN_RANK:
            yield 2, term >= rank, partial(operator.le, rank)
            yield 3, term <= rank, partial(operator.ge, rank)
        if 1 <= rank <= MOST_WRITTEN_RANK + 1:
            yield 3, term == rank, _is(rank)
    for rank in reversed(ranks):
        if rank > MOST_WRITTEN_RANK:
            yield 3, term < rank, partial(operator.gt, rank)


def _about_tuples(reading: Reading) -> Iterator[Fact]:
    """Yield that a tuple is its default, all 0 or all 1, or a permutation that does little."""
    term, known = reading.term, reading.known
    if not all(type(part) is int for value in known for part in value):
        return
    if reading.kind in AXES:
        yield 3, attr.Length(term) == 1, lambda axes: len(axes) == 1
        if _permutes(reading):
            yield from _about_permutations(reading)
        return
    default = _default(reading)
    if isinstance(default, tuple) and default:
        yield COST_OF_DEFAULT, term == as_term(default), _is(default)
    if reading.kind in MARGINS and default is None:
        for length in sorted({len(value) for value in known if value}):
            yield 2, term == as_term((0,) * length), _is((0,) * length)


def _about_permutations(reading: Reading) -> Iterator[Fact]:
    term = reading.term
    rank = Access(reading.owner, "ndim")
    stays = attr.All(lambda i: term[i] % rank == i, length=rank)
    yield 3, stays, lambda axes: _normal(axes) == tuple(range(len(axes)))
    for length in sorted({len(value) for value in reading.known}):
        if length > 1:
            swap = (*range(length - 2), length - 1, length - 2)
            yield 4, term == as_term(swap), _is(swap)


def _permutes(reading: Reading) -> bool:
    """Tell whether a reading is an order of all axes, and not only some of them."""
    attribute = reading.attribute
    return attribute is not None and isinstance(attribute.domain, Permutation)


def _normal(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(axis % len(axes) for axis in axes)


def _default(reading: Reading) -> Any:
    attribute = reading.attribute
    return None if attribute is None else attribute.default


def _comparisons(one: Reading, other: Reading) -> Iterator[Fact]:
    """Yield conditions about two readings, with their costs."""
    left, right, kinds = one.term, other.term, {one.kind, other.kind}
    if kinds <= SHAPES:
        yield 2 if _may_broadcast(one, other) else 4, left == right, _same
    elif one.kind == other.kind and one.is_part == other.is_part:
        yield from _alike(one, other)
    elif kinds <= SIZES:
        yield 4, left == right, _same
    elif kinds & SIZES and not kinds & (NOT_SIZES | AXES):
        whole = one if other.kind in SIZES else other
        if whole.has(int) and whole.kind not in ("ndim", "place", "value"):
            yield 4, left == right, _same
    elif kinds == {"place", "ndim"} or (kinds & AXES and "ndim" in kinds):
        yield from _of_rank(one, other)
    if kinds <= ORDERED:
        yield 3, left <= right, _ordered
        yield 3, right <= left, lambda first, second: _ordered(second, first)


def _may_broadcast(one: Reading, other: Reading) -> bool:
    """Tell whether shapes differ only where an operator repeats elements, or for inputs anyhow."""
    calls = [reading.owner for reading in (one, other) if isinstance(reading.owner, Call)]
    return all(len(call.operands) > 1 for call in calls)


def _alike(one: Reading, other: Reading) -> Iterator[Fact]:
    """Yield conditions about two readings of a kind."""
    left, right, kind = one.term, other.term, one.kind
    if kind in AXES and (one.is_part or other.is_part):
        return
    yield 3 if one.is_part or other.is_part else 2, left == right, _same
    if kind == "place":
        yield 3, left != right, lambda first, second: first != second
    elif kind == "ndim":
        yield 3, left <= right, operator.le
        yield 3, right <= left, operator.ge
    elif kind == "size":
        yield 5, left % right == 0, lambda first, second: second > 0 and first % second == 0
        yield 5, right % left == 0, lambda first, second: first > 0 and second % first == 0
    elif _permutes(one) and _permutes(other):
        for inner, outer, turned in ((one, other, False), (other, one, True)):
            yield 3, _undone(inner, outer), partial(_undoes, turned)


def _undone(inner: Reading, outer: Reading) -> Term:
    rank = Access(inner.owner, "ndim")
    return attr.All(lambda i: inner.term[outer.term[i]] % rank == i, length=rank)


def _undoes(turned: bool, first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    if len(first) != len(second):
        return False
    inner, outer = (
        (_normal(second), _normal(first)) if turned else (_normal(first), _normal(second))
    )
    return all(inner[axis] == place for place, axis in enumerate(outer))


def _of_rank(one: Reading, other: Reading) -> Iterator[Fact]:
    """Yield that an axis is the last one, or that axes are all there are."""
    rank, axes = (one, other) if one.kind == "ndim" else (other, one)
    turned = rank is one
    if axes.kind == "place":
        if _counts_axes_of(axes.term, rank.owner):
            term = axes.term == rank.term - 1
            yield 3, term, lambda a, b: (b == a - 1) if turned else (a == b - 1)
    elif axes.has(tuple) and not axes.is_part:
        term = attr.Length(axes.term) == rank.term
        yield 3, term, lambda a, b: (len(b) == a) if turned else (len(a) == b)


def _counts_axes_of(place: Term, pattern: Pattern) -> bool:
    match place:
        case Operation(head="%", operands=(_, Access(pattern=whole))):
            return whole is pattern
    return False


def _same(first: Any, second: Any) -> bool:
    return type(first) is type(second) and bool(first == second)


def _ordered(first: Any, second: Any) -> bool:
    numbers = {type(first), type(second)} <= {int, float}
    return numbers and bool(first <= second)
