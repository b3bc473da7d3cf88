"""How axes are numbered after some are gone, or in another order.

As everywhere, axes may be counted from the end. Which axes there are has to be known: a value that
depends on an unknown size is undecided.
"""

from __future__ import annotations

from gsl.attr.term import Term, Value
from gsl.errors import EvaluationError, UndecidedError

MOST_AXES = 1024
"""No tensor has more, and no tuple of axes is longer."""


def axes_left(axes: Value, rank: Value) -> tuple[int, ...]:
    """Return the axes, from 0 on, of a tensor of `rank` axes that are not among `axes`."""
    gone = _axes(axes, rank)
    return tuple(axis for axis in range(rank) if axis not in gone)


def inverse(order: Value) -> tuple[int, ...]:
    """Return at which place of `order`, a permutation of all axes, each axis is."""
    places = {axis: place for place, axis in enumerate(_axes(order, _count(order)))}
    if len(places) != len(order):
        raise EvaluationError(f"{order} is not an order of {len(order)} axes")
    return tuple(places[axis] for axis in range(len(order)))


def _count(axes: Value) -> int:
    if not isinstance(axes, tuple):
        raise EvaluationError(f"axes are a tuple, not {axes!r}")
    return len(axes)


def _axes(axes: Value, rank: Value) -> list[int]:
    """Return axes of a tensor of `rank` axes, counted from 0."""
    if isinstance(rank, Term) or (_count(axes) and any(isinstance(one, Term) for one in axes)):
        raise UndecidedError("axes depend on an unknown size")
    if not (_is_integer(rank) and 0 <= rank <= MOST_AXES):
        raise EvaluationError(f"a tensor cannot have {rank!r} axes")
    for axis in axes:
        if not (_is_integer(axis) and -rank <= axis < rank):
            raise EvaluationError(f"there is no axis {axis!r} in {rank} axes")
    return [axis % rank for axis in axes]


def _is_integer(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
