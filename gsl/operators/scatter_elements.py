"""Operators that read or write single elements at places that a tensor of indices says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf, prod
from typing import Annotated, Any, ClassVar

import numpy as np

from gsl.attr.evaluate import conjunction, contains, equal, is_symbolic, minimum
from gsl.errors import UndecidedError
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, inside, over, select, total
from gsl.operators.create import constant
from gsl.operators.declaration import AXIS_UNKNOWN, Need, Tensor, operator
from gsl.operators.defined import Attributes, Elsewhere, Values
from gsl.operators.domain import Choice, integer
from gsl.operators.extrema import larger, smaller
from gsl.operators.index import (
    along_axis,
    chosen,
    from_either_end,
    from_end,
    mirrored,
    need_indices,
)
from gsl.operators.kinds import OneAxis
from gsl.operators.shapes import known_axis, with_size
from gsl.types import NUMERIC, Int, TensorType, Type

HOW = ("none", "add", "mul", "max", "min")
Combining = Annotated[str, Choice(HOW)]
"""What becomes of the element that is written to: replaced, or combined with the update."""

COMBINE: Mapping[str, Callable[..., Any]] = {
    "none": lambda old, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "max": larger,
    "min": smaller,
}
FOLDS: Mapping[str, tuple[str, str, float]] = {
    "add": ("sum", "+", 0),
    "mul": ("product", "*", 1),
    "max": ("max", "max", -inf),
    "min": ("min", "min", inf),
}
"""For each way the reduction, the function of two values, and what changes nothing."""


def need_numbers(need: Need, data: TensorType, reduction: str) -> None:
    """Demand that the elements can be combined as `reduction` says."""
    if reduction != "none":
        need(contains(data.dtype, NUMERIC), "what is no number to compute with is only replaced")


def written(data: Any, places: Any, updates: Any, reduction: str) -> Any:
    """Return flat `data` with flat `updates` written to flat `places`, one after the other.

    Places that occur several times are written to in several rounds.
    """
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    is_first = np.concatenate([[True], ordered[1:] != ordered[:-1]]) if ordered.size else ordered
    starts = np.flatnonzero(is_first)
    rounds = np.arange(ordered.size) - np.repeat(starts, np.diff([*starts, ordered.size]))
    result = data
    for number in range(int(np.max(rounds, initial=-1)) + 1):
        source = np.full(data.shape, -1, np.int64)
        source[ordered[rounds == number]] = order[rounds == number]
        chosen_update = np.take(updates, np.maximum(source, 0), 0)
        result = np.where(source >= 0, COMBINE[reduction](result, chosen_update), result)
    return result


def _combined(
    old: Expression, extents: Sequence[Int], hit: Any, update: Any, reduction: str
) -> Expression:
    """Return an element after all updates that hit it; where it is replaced, the last one counts.

    `hit` and `update` are functions of the indices of an update.
    """
    if reduction != "none":
        fold, function, neutral = FOLDS[reduction]
        folded = over(fold, extents, lambda *i: apply("select", hit(*i), update(*i), neutral))
        return apply(function, old, folded)

    def number(indices: Sequence[Int]) -> Int:
        return sum(i * prod(extents[axis + 1 :]) for axis, i in enumerate(indices))

    last = over("max", extents, lambda *i: apply("select", hit(*i), number(i), -1))

    def taken(*i: Any) -> Expression:
        return apply("select", apply("==", last, number(i)), update(*i), 0)

    return apply("select", apply(">=", last, 0), total(extents, taken), old)


@operator(
    dtypes=None,
    values={"indices": along_axis},
    elsewhere={
        "onnx": from_end(from_either_end),
        "tvm": Elsewhere("negative indices count from the end"),
    },
)
def ScatterElements(
    need: Need,
    data: Tensor,
    indices: Tensor,
    updates: Tensor,
    *,
    axis: OneAxis = 0,
    reduction: Combining = "none",
) -> TensorType:
    """Write every update to the element of `data` in its place, but at the index along `axis`.

    Updates have the shape of `indices`, which is not larger than that of `data` on other axes.
    They replace the element, of several the last (of which ONNX says nothing), or are combined
    with it as `reduction` says. Indices are int32 or int64, not negative and less than the size.
    Source: onnx.ScatterElements.
    """
    need_indices(need, indices)
    need(equal(data.dtype, updates.dtype), "updates must have the dtype of data")
    need(indices.ndim == data.ndim, "indices must have the rank of data")
    need(equal(indices.shape, updates.shape), "updates must have the shape of indices")
    need_numbers(need, data, reduction)
    along = known_axis(axis, data.ndim)
    for position, (given, size) in enumerate(zip(indices.shape, data.shape, strict=True)):
        limit = size >= 1 if position == along else given <= size
        need(limit, "indices must not reach outside data")
    return data


def _flat(places: Any, shape: tuple[int, ...]) -> Any:
    """Return the positions in a flattened array; IndexError as for any index that is outside.

    Negative indices count from the end.
    """
    pairs = zip(places, shape, strict=True)
    counted = tuple([np.where(place < 0, place + size, place) for place, size in pairs])
    try:
        return np.ravel_multi_index(counted, shape)
    except ValueError as error:
        raise IndexError(f"an index is outside of {shape}") from error


@ScatterElements.numpy
def _scatter_elements(data: Any, indices: Any, updates: Any, axis: int, reduction: str) -> Any:
    grid = list(np.indices(indices.shape))
    grid[axis] = indices
    places = _flat(grid, data.shape) if indices.size else np.zeros(0, int)
    flat = written(np.reshape(data, -1), np.reshape(places, -1), np.reshape(updates, -1), reduction)
    return np.reshape(flat, data.shape)


@ScatterElements.kernel
def _scatter_elements_element(
    index: Index, data: Elements, indices: Elements, updates: Elements, axis: int, reduction: str
) -> Expression:
    along = axis % data.ndim

    def hit(i: Any) -> Expression:
        return apply("==", indices[with_size(index, along, i)], index[along])

    def update(i: Any) -> Expression:
        return updates[with_size(index, along, i)]

    others = [axis for axis in range(data.ndim) if axis != along]
    reached = inside(tuple(index[o] for o in others), tuple(indices.shape[o] for o in others))
    new = _combined(data[index], [indices.shape[along]], hit, update, reduction)
    return select(reached, new, data[index])


@ScatterElements.relax
def _relax_scatter_elements(
    relax: Any, data: Any, indices: Any, updates: Any, axis: int, reduction: str
) -> Any:
    how = {"none": "update"}.get(reduction, reduction)
    rank, along = data.ty.ndim, axis % data.ty.ndim
    given, whole = (tuple(map(int, one.ty.shape)) for one in (indices, data))
    if with_size(given, along, 0) == with_size(whole, along, 0):
        return relax.scatter_elements(data, indices, updates, axis, how)
    # Where the indices are smaller than data on other axes, TVM 0.27 writes to other places.
    grid = [
        relax.astype(indices, "int64") if n == along else constant(relax, coordinates)
        for n, coordinates in enumerate(np.indices(given, np.int64))
    ]
    return relax.scatter_nd(data, relax.stack(grid, rank), updates, how)


@dataclass(frozen=True, slots=True)
class _Depth(Choice):
    """How many axes the last axis of the second operand looks up; None stands for its size."""

    options: tuple[int, ...] = (1, 2, 3, 4)
    follows: ClassVar[bool] = True

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept a number; None is only possible where the size is known."""
        indices = operands[1] if len(operands) > 1 else None
        if value is None and isinstance(indices, TensorType) and indices.ndim:
            value = indices.shape[-1]
        if value is None:
            raise ValueError("how many axes are looked up must be given")
        return integer(value)


Depth = Annotated[Any, _Depth()]
Batches = Annotated[int, Choice((0, 1, 2))]


def _looked_up(types: tuple[Type, ...], attributes: Attributes) -> Values:
    """Return the indices that exist along the axes that are looked up, one for each place."""
    data, first = types[0], attributes.get("batch_dims", 0)
    assert isinstance(data, TensorType)
    highs = tuple(size - 1 for size in data.shape[first : first + attributes["depth"]])
    if len(highs) == 1:
        return Values(low=0, high=highs[0])
    return Values(low=0, high=reduce(minimum, highs), lows=(0,) * len(highs), highs=highs)


def _looked_up_from_either_end(types: tuple[Type, ...], attributes: Attributes) -> Values:
    return mirrored(_looked_up(types, attributes))


def _need_places(
    need: Need, data: TensorType, indices: TensorType, batches: int, depth: Int
) -> int:
    """Demand that the last axis of indices has places in data; return how many axes they name."""
    need_indices(need, indices)
    if is_symbolic(depth):
        raise UndecidedError(AXIS_UNKNOWN)
    need(indices.ndim > batches, "indices must have an axis of places behind the batch axes")
    need(1 <= depth <= data.ndim - batches, "places must not have more axes than data")
    need(equal(indices.shape[-1], depth), "the last axis of indices must have the size `depth`")
    for size in data.shape[batches : batches + depth]:
        need(size >= 1, "an axis that is looked up must not be empty")
    return int(depth)


@operator(
    dtypes=None,
    values={"indices": _looked_up},
    elsewhere={"onnx": from_end(_looked_up_from_either_end)},
)
def GatherND(
    need: Need, data: Tensor, indices: Tensor, *, batch_dims: Batches = 0, depth: Depth = None
) -> TensorType:
    """The slices of `data` at places that the last axis of `indices` has, of size `depth`.

    `batch_dims` leading axes are common to both. Indices are int32 or int64, not negative and
    less than the size that each looks up. Source: relax.gather_nd and onnx.GatherND.
    """
    depth = _need_places(need, data, indices, batch_dims, depth)
    batches = zip(data.shape[:batch_dims], indices.shape[:batch_dims], strict=True)
    need(conjunction(*(equal(a, b) for a, b in batches)), "the batch axes must agree")
    return data.with_shape((*indices.shape[:-1], *data.shape[batch_dims + depth :]))


@GatherND.numpy
def _gather_nd(data: Any, indices: Any, batch_dims: int, depth: int) -> Any:
    batches = data.shape[:batch_dims]
    outer = indices.shape[batch_dims:-1]
    grid = np.reshape(np.indices(batches), (batch_dims, *batches, *(1 for _ in outer)))
    places = (*grid, *(indices[..., axis] for axis in range(depth)))
    return data[places]


def _chosen_at(places: Sequence[Expression], data: Elements, before: Index, after: Index) -> Any:
    """Return the element of `data` at indices, some of which are values."""
    if not places:
        return data[(*before, *after)]
    size = data.shape[len(before)]
    return chosen(places[0], size, lambda i: _chosen_at(places[1:], data, (*before, i), after))


@GatherND.kernel
def _gather_nd_element(
    index: Index, data: Elements, indices: Elements, batch_dims: int, depth: int
) -> Expression:
    outer, after = index[: indices.ndim - 1], index[indices.ndim - 1 :]
    places = [indices[(*outer, axis)] for axis in range(depth)]
    found: Expression = _chosen_at(places, data, index[:batch_dims], after)
    return found


@GatherND.relax
def _relax_gather_nd(relax: Any, data: Any, indices: Any, batch_dims: int, depth: int) -> Any:
    return relax.gather_nd(data, relax.astype(indices, "int64"), batch_dims)


@operator(
    dtypes=None,
    values={"indices": _looked_up},
    elsewhere={"onnx": from_end(_looked_up_from_either_end)},
)
def ScatterND(
    need: Need,
    data: Tensor,
    indices: Tensor,
    updates: Tensor,
    *,
    reduction: Combining = "none",
    depth: Depth = None,
) -> TensorType:
    """Write updates to the slices of `data` at places that the last axis of `indices` has.

    The updates have the shape of what GatherND finds there. They replace the elements, of several
    the last, or are combined with them as `reduction` says. Indices are int32 or int64, not
    negative and less than the size that each looks up. Source: onnx.ScatterND.
    """
    depth = _need_places(need, data, indices, 0, depth)
    need_numbers(need, data, reduction)
    need(equal(data.dtype, updates.dtype), "updates must have the dtype of data")
    expected = (*indices.shape[:-1], *data.shape[depth:])
    need(equal(updates.shape, expected), "updates must have the shape of the slices at the indices")
    return data


@ScatterND.numpy
def _scatter_nd(data: Any, indices: Any, updates: Any, reduction: str, depth: int) -> Any:
    sizes = data.shape[:depth]
    places = _flat(np.moveaxis(indices, -1, 0), sizes)
    inner = prod(data.shape[depth:])
    every = np.reshape(places, (-1, 1)) * inner + np.arange(inner)
    flat = written(
        np.reshape(data, data.size), np.reshape(every, -1), np.reshape(updates, -1), reduction
    )
    return np.reshape(flat, data.shape)


@ScatterND.kernel
def _scatter_nd_element(
    index: Index, data: Elements, indices: Elements, updates: Elements, reduction: str, depth: int
) -> Expression:
    def hit(*outer: Any) -> Expression:
        matches = [apply("==", indices[(*outer, axis)], index[axis]) for axis in range(depth)]
        return reduce(lambda one, other: apply("and", one, other), matches)

    def update(*outer: Any) -> Expression:
        return updates[(*outer, *index[depth:])]

    return _combined(data[index], indices.shape[:-1], hit, update, reduction)


@ScatterND.relax
def _relax_scatter_nd(
    relax: Any, data: Any, indices: Any, updates: Any, reduction: str, depth: int
) -> Any:
    return relax.scatter_nd(data, indices, updates, {"none": "update"}.get(reduction, reduction))
