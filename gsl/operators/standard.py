"""What the kernels of normalisations share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Index, apply, total
from gsl.types import Int


def standard_element(
    value: Expression, extents: Sequence[Int], epsilon: Any, element: Callable[..., Expression]
) -> Expression:
    """Return the deviation of `value` from the mean of `element` over `extents`, standardised."""
    count = prod(extents)
    average = total(extents, element) / count

    def square(*inner: Any) -> Expression:
        deviation = element(*inner) - average
        return deviation * deviation

    return (value - average) / apply("sqrt", total(extents, square) / count + epsilon)


def affine_element(
    value: Expression, gamma: Expression, beta: Expression, attributes: Any
) -> Expression:
    """Scale and shift as the flags of a normalisation say."""
    scaled = value * gamma if attributes["scale"] else value
    return scaled + beta if attributes["center"] else scaled


def replaced(index: Index, axes: Sequence[int], inner: Sequence[Int]) -> Index:
    """Return an index with others on some axes."""
    others = dict(zip(axes, inner, strict=True))
    return tuple(others.get(axis, i) for axis, i in enumerate(index))


def counted(axes: Sequence[int], rank: int) -> list[int]:
    """Return axes counted from the front, in increasing order."""
    return sorted(axis % rank for axis in axes)
