"""Domains of attributes whose meaning depends on the shape of the first operand."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from gsl.attr.evaluate import choose, conjunction, is_symbolic, maximum, minimum
from gsl.attr.term import Term
from gsl.errors import UndecidedError
from gsl.operators.domain import Sizes
from gsl.operators.domain_axes import Axes
from gsl.types import Bool, Int, TensorType, TupleType, Type

NO_SIZE = 2**31 - 1
"""From here on a position is beyond every axis, which is how exporters say "to the end"."""


def first_shape(operands: tuple[Type, ...]) -> tuple[Int, ...]:
    """Return the shape of the first tensor among the operands, looking into tuples."""
    for operand in operands:
        if isinstance(operand, TensorType):
            return operand.shape
        if isinstance(operand, TupleType) and operand.fields:
            return first_shape(operand.fields)
    return ()


class NewShape(Sizes):
    """Sizes for all elements of the first operand; -1 stands for the one size that fits."""

    __slots__ = ()

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept a tuple of ints and, when the operands are known, replace -1 by a size."""
        sizes = super().normalise(value, operands)
        if not operands:
            return sizes
        holes = [i for i, size in enumerate(sizes) if isinstance(size, int) and size == -1]
        if not holes:
            return sizes
        if len(holes) > 1:
            raise ValueError("only one size may be -1")
        before, after = sizes[: holes[0]], sizes[holes[0] + 1 :]
        rest = prod((*before, *after))
        if isinstance(rest, int) and rest == 0:
            raise ValueError("-1 can be any size beside a size 0")
        return (*before, prod(first_shape(operands)) // rest, *after)


class UnitAxes(Axes):
    """Axes of the first operand whose size is 1; None stands for all of them."""

    __slots__ = ()

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept an int, a tuple of ints or, when all sizes are known, None."""
        if value is not None:
            return super().normalise(value, operands)
        shape = first_shape(operands)
        if is_symbolic(shape):
            raise UndecidedError("which axes have size 1 depends on an unknown size")
        return tuple(axis for axis, size in enumerate(shape) if size == 1)


class Positions(Sizes):
    """A position on every axis of the first operand, counted and clamped as in Python slices."""

    __slots__ = ()

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept a tuple of ints; count from the front and clamp as far as sizes are known."""
        positions = super().normalise(value, operands)
        if not operands:
            return positions
        shape = first_shape(operands)
        if len(positions) != len(shape):
            raise ValueError(f"{value!r} does not have one entry for each of {len(shape)} axes")
        return tuple(map(_clamped, positions, shape))

    def written(self, value: Any, operands: Sequence[Any]) -> Any:
        """Count from the end by the size of an axis; the largest integers stand for that size."""
        shape = operands[0].shape
        return tuple(_from_size(position, shape[axis]) for axis, position in enumerate(value))

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand that the positions are inside, the end included."""
        inside = (p <= size for p, size in zip(value, first_shape(operands), strict=True))
        return conjunction(super().claim(value, operands), *inside)


def _from_size(position: Any, size: Term) -> Any:
    if type(position) is not int or 0 <= position < NO_SIZE:
        return position
    return maximum(size + position, 0) if position < 0 else size


def _clamped(position: Int, size: Int) -> Int:
    if isinstance(position, Term):
        from_end = maximum(size + position, 0)
        return choose(position < 0, from_end, minimum(position, size))
    if position < 0:
        return maximum(size + position, 0)
    return minimum(position, size) if position else 0
