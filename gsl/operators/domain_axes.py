"""Domains of attributes that name axes of the first operand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import Any, ClassVar

from gsl.attr.evaluate import conjunction
from gsl.operators.domain import Domain, Fresh, as_tuple, first_rank, integer
from gsl.types import Bool, TensorType, Type

MOST_AXES_IN_EVERY_FORM = 3
LOW_RANK = 4
"""Of tensors of no more axes, all sets are tried in every form, of others those of few axes."""
MOST_AXES_IN_EVERY_ORDER = 7
"""Of more axes there are too many orders and sets; a few of them are usual ones."""


def has_many_axes(operands: tuple[Type, ...]) -> bool:
    """Tell whether the first operand has more axes than all sets and orders are tried of."""
    return first_rank(operands) > MOST_AXES_IN_EVERY_ORDER


@dataclass(frozen=True, slots=True)
class Axis(Domain):
    """One axis of the first operand, negative from the end; `extra` more when axes are added."""

    names_axes: ClassVar[bool] = True

    extra: int = 0

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept an int; keep its sign, which a rule may have to look at."""
        return integer(value)

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand that the axis exists."""
        rank = first_rank(operands) + self.extra
        return conjunction(value >= -rank, value < rank)

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield all axes, non-negative ones first."""
        rank = first_rank(operands) + self.extra
        yield from range(rank)
        yield from range(-rank, 0)


@dataclass(frozen=True, slots=True)
class Axes(Domain):
    """Several distinct axes of the first operand; None stands for all of them."""

    names_axes: ClassVar[bool] = True

    may_be_empty: bool = False
    negative: bool = True

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept None, an int or a tuple of ints."""
        if value is None:
            return tuple(range(first_rank(operands)))
        if isinstance(value, list | tuple):
            return tuple(map(integer, value))
        return (integer(value),)

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand that the axes exist and differ."""
        rank = first_rank(operands)
        inside = conjunction(*(conjunction(axis >= -rank, axis < rank) for axis in value))
        if inside is not True:
            return inside
        distinct = len({axis % rank for axis in value}) == len(value) if rank else not value
        return distinct and (self.may_be_empty or bool(value) or rank == 0)

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield every set of axes in a few forms: in order, from the end, mixed and unsorted."""
        yield from usual_forms(first_rank(operands), self.may_be_empty, self.negative)

    def further(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield every other order and choice of signs of sets of up to three axes."""
        yield from rare_forms(first_rank(operands), self.negative)


Forms = tuple[tuple[int, ...], ...]


@lru_cache
def usual_forms(rank: int, may_be_empty: bool, negative: bool) -> Forms:
    """Return every set of axes in a few forms: in order, from the end, mixed and unsorted."""
    return tuple(f for axes in _sets(rank, may_be_empty) for f in _forms(axes, rank, negative))


@lru_cache
def rare_forms(rank: int, negative: bool) -> Forms:
    """Return every other order and choice of signs, of high ranks for sets of up to three axes."""
    usual = set(usual_forms(rank, True, negative))
    found: dict[tuple[int, ...], None] = {}
    for axes in _sets(rank, may_be_empty=False):
        if len(axes) <= MOST_AXES_IN_EVERY_FORM or rank <= LOW_RANK:
            signs = list(product((0, rank) if negative else (0,), repeat=len(axes)))
            for order, shifts in product(permutations(axes), signs):
                form = tuple(axis - shift for axis, shift in zip(order, shifts, strict=True))
                found.setdefault(form)
    return tuple(form for form in found if form not in usual)


def _sets(rank: int, may_be_empty: bool) -> Iterator[tuple[int, ...]]:
    if rank > MOST_AXES_IN_EVERY_ORDER:
        for count in (*((0,) if may_be_empty else ()), 1, 2, rank - 1, rank):
            yield from combinations(range(rank), count)
        yield from (tuple(range(rank - count, rank)) for count in range(3, rank - 1))
        return
    for mask in product((False, True), repeat=rank):
        axes = tuple(axis for axis in range(rank) if mask[axis])
        if axes or may_be_empty or rank == 0:
            yield axes


def _forms(axes: tuple[int, ...], rank: int, negative: bool) -> Iterator[tuple[int, ...]]:
    yield axes
    if axes and negative:
        yield (*axes[:-1], axes[-1] - rank)
    if len(axes) > 1 and negative:
        yield tuple(axis - rank for axis in axes)
        yield (axes[0] - rank, *axes[1:])
        yield (axes[-1] - rank, *axes[:-1])
    if len(axes) > 1:
        yield (axes[-1], *axes[:-1])


@dataclass(frozen=True, slots=True)
class Permutation(Domain):
    """An order of all axes of the first operand; None stands for their reversal."""

    names_axes: ClassVar[bool] = True

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept None or a tuple of ints; count axes that exist from the front."""
        rank = first_rank(operands) if operands or value is None else len(as_tuple(value))
        if value is None:
            return tuple(reversed(range(rank)))
        return tuple(_from_front(integer(axis), rank) for axis in as_tuple(value))

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand that every axis occurs once."""
        rank = first_rank(operands)
        if len(value) != rank:
            return False
        inside = conjunction(*(conjunction(axis >= -rank, axis < rank) for axis in value))
        return inside if inside is not True else len({axis % rank for axis in value}) == rank

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield every permutation, those that are not involutions among the first.

        Of many axes they are the rotations, the reversal and exchanges of neighbours.
        """
        rank = first_rank(operands)
        axes = tuple(range(rank))
        if rank <= MOST_AXES_IN_EVERY_ORDER:
            yield from reversed(list(permutations(axes)))
            return
        yield from (axes[start:] + axes[:start] for start in (*range(1, rank), 0))
        yield axes[::-1]
        for one in range(rank - 1):
            yield (*axes[:one], one + 1, one, *axes[one + 2 :])

    def further(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield every other permutation of many axes, one after the other as they are asked for."""
        if has_many_axes(operands):
            usual = set(self.instances(operands, fresh))
            every = permutations(range(first_rank(operands)))
            yield from (order for order in every if order not in usual)


def _from_front(axis: Any, rank: int) -> Any:
    return axis + rank if isinstance(axis, int) and -rank <= axis < 0 else axis


class NewAxes(Axes):
    """Axes of a result that has these axes in addition to those of the first operand."""

    __slots__ = ()

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept an int or a tuple of ints."""
        if value is None:
            raise ValueError("new axes are not optional")
        return super().normalise(value, operands)

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand that the result has these axes and that they differ."""
        return super().claim(value, _with_new_axes(operands, len(value)))

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield every choice of one or two axes, in a few forms."""
        yield from new_axes(first_rank(operands), (1, 2), rare=False)

    def further(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield every other form of two or three axes, and three or four in a few forms."""
        yield from new_axes(first_rank(operands), (3, 4), rare=False)
        yield from new_axes(first_rank(operands), (2, 3), rare=True)


@lru_cache
def new_axes(rank: int, counts: tuple[int, ...], rare: bool) -> Forms:
    """Return forms of `counts` axes of a result that has as many more than `rank`."""
    return tuple(
        axes
        for count in counts
        for axes in (
            rare_forms(rank + count, True) if rare else usual_forms(rank + count, False, True)
        )
        if len(axes) == count
    )


def _with_new_axes(operands: tuple[Type, ...], count: int) -> tuple[Type, ...]:
    return (TensorType((1,) * (first_rank(operands) + count), None),)
