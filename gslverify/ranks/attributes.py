"""Attributes of a call whose operands and results have one axis less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gsl.attr.evaluate import is_symbolic
from gsl.operators import Operator
from gsl.operators.domain import Domain, Sizes
from gsl.operators.domain_axes import Axes, Axis, NewAxes, Permutation


@dataclass(frozen=True, slots=True)
class Around:
    """The ranks of the first operand and of the result, and which axis of each is to go, if any."""

    rank: int
    gone: int | None
    result_rank: int
    result_gone: int | None


def without_axis(
    operator: Operator, attributes: Mapping[str, Any], around: Around
) -> dict[str, Any] | None:
    """Return the attributes that are left without an axis; None where one names this very axis.

    That they mean the same as before is for the caller to see.
    """
    left: dict[str, Any] = {}
    for name, attribute in operator.attributes.items():
        value = _without(attribute.domain, attributes[name], around)
        if value is None:
            return None
        left[name] = value
    return left


def _without(domain: Domain, value: Any, around: Around) -> Any:
    if domain.names_axes and is_symbolic(value):
        return None
    match domain:
        case Axis(extra=0):
            return renumbered(value, around.rank, around.gone)
        case Axis():
            return renumbered(value, around.result_rank, around.result_gone)
        case NewAxes():
            return _left(value, around.result_rank, around.result_gone)
        case Axes():
            return _left(value, around.rank, around.gone)
        case Permutation():
            if around.result_gone is None or around.gone is None:
                return value if around.gone is around.result_gone else None
            if value[around.result_gone] % around.rank != around.gone:
                return None
            return _left(value, around.rank, around.gone)
        case Sizes(per_axis=0):
            return _entries(value, 1, around.result_rank, around.result_gone)
        case Sizes(per_axis=count):
            return _entries(value, count, around.rank, around.gone)
        case _:
            return None if domain.names_axes else value


def renumbered(axis: int, rank: int, gone: int | None) -> int | None:
    """Return the number of an axis when another one of `rank` axes is gone, None for itself."""
    if gone is None:
        return axis
    if axis % rank == gone:
        return None
    if axis < 0:
        return axis + 1 if axis % rank < gone else axis
    return axis - 1 if axis > gone else axis


def _left(axes: tuple[int, ...], rank: int, gone: int | None) -> tuple[int, ...]:
    numbers = (renumbered(axis, rank, gone) for axis in axes)
    return tuple(number for number in numbers if number is not None)


def _entries(value: Any, count: int, rank: int, gone: int | None) -> Any:
    """Return a tuple of `count` entries for each axis without those of one axis."""
    if gone is None:
        return value
    if not isinstance(value, tuple) or len(value) != count * rank:
        return None
    return (*value[: count * gone], *value[count * (gone + 1) :])
