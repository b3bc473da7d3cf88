"""The tensors of a computation by names of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsl.errors import GslError
from gsl.expr import Expr, Proj, Tuple
from gsl.types import TensorType

Tensor = tuple[int, int]
"""The identity of an expression, and which field of it, -1 where it is a tensor itself."""

Place = tuple[Tensor, int]
"""An axis of a tensor, from 0."""


class StrangeError(GslError):
    """A computation has a part of which nothing is said here, such as a tuple of tuples."""


def tensors_of(expr: Expr) -> list[tuple[Tensor, TensorType]]:
    """Return the tensors that an expression is made of, those in tuples by where they come from."""
    if isinstance(expr, Proj):
        return [tensors_of(expr.operands[0])[expr.index]]
    if isinstance(expr, Tuple):
        return [tensor for one in expr.operands for tensor in tensors_of(one)]
    if isinstance(expr.type, TensorType):
        return [((id(expr), -1), expr.type)]
    found = []
    for number, declared in enumerate(expr.type.fields):
        if not isinstance(declared, TensorType):
            raise StrangeError("a tuple holds a tuple")
        found.append(((id(expr), number), declared))
    return found


def dropped(values: Sequence[Any], axis: int | None) -> tuple[Any, ...]:
    """Return values without the one at an axis."""
    return tuple(value for place, value in enumerate(values) if place != axis)
