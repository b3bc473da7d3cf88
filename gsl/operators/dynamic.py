"""Operators of XLA: slices whose starts are data, axes that are named, padding between elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import permutations
from typing import Annotated, Any

import numpy as np

from gsl.attr.evaluate import choose, conjunction, disjunction, equal, maximum
from gsl.kernel.expression import Expression, as_expression
from gsl.kernel.meaning import Elements, Index, apply, number, select
from gsl.operators.create import constant, scalar
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.domain import Fresh, Sizes, first_rank
from gsl.operators.domain_axes import Axes
from gsl.operators.index import chosen, literal, need_indices
from gsl.operators.kinds import Number, PerAxis, Shape
from gsl.operators.shapes import need_rank
from gsl.types import ALL_DTYPES, FLOATING, Bool, Int, TensorType, Type


def _need_starts(need: Need, data: TensorType, starts: TensorType) -> None:
    need_indices(need, starts)
    need_rank(need, starts.shape, 1, "starts")
    need(equal(starts.shape[0], data.ndim), "there must be one start for each axis of data")


def _clamped(start: Expression, free: Int) -> Expression:
    """Return a start moved to where the slice lies inside; `free` is how far it may begin."""
    return apply("min", apply("max", start, 0), free)


def _starts(data: Any, starts: Any, sizes: Sequence[int]) -> list[Any]:
    free = [whole - size for whole, size in zip(data.shape, sizes, strict=True)]
    return [int(start) for start in np.clip(starts, 0, free)]


def _relax_starts(relax: Any, data: Any, starts: Any, sizes: Sequence[int]) -> list[Any]:
    """Return the clamped start of each axis as a tensor of one element of type int64."""
    wide = relax.astype(starts, "int64")
    found = []
    for axis, (whole, size) in enumerate(zip(data.ty.shape, sizes, strict=True)):
        limits = [scalar(relax, limit, "int64") for limit in (0, int(whole) - size)]
        one = relax.strided_slice(wide, [0], [axis], [axis + 1])
        found.append(relax.minimum(relax.maximum(one, limits[0]), limits[1]))
    return found


@operator(dtypes=None)
def DynamicSlice(need: Need, data: Tensor, starts: Tensor, *, sizes: PerAxis) -> TensorType:
    """The part of `data` of the given `sizes` that begins at `starts`, one for each axis.

    Starts are int32 or int64; any that would leave data are moved to where the part lies inside.
    Source: XLA's DynamicSlice.
    """
    _need_starts(need, data, starts)
    for size, whole in zip(sizes, data.shape, strict=True):
        need(size <= whole, "the part must not be larger than data")
    return data.with_shape(sizes)


@DynamicSlice.numpy
def _dynamic_slice(data: Any, starts: Any, sizes: Any) -> Any:
    begins = _starts(data, starts, sizes)
    return data[tuple(slice(b, b + size) for b, size in zip(begins, sizes, strict=True))]


@DynamicSlice.kernel
def _dynamic_slice_element(
    index: Index, data: Elements, starts: Elements, sizes: Any
) -> Expression:
    def found(before: Index) -> Expression:
        axis = len(before)
        if axis == data.ndim:
            return data[before]
        whole = data.shape[axis]
        place = _clamped(starts[(axis,)], whole - sizes[axis]) + index[axis]
        return chosen(place, whole, lambda i: found((*before, i)))

    return found(())


@DynamicSlice.relax
def _relax_dynamic_slice(relax: Any, data: Any, starts: Any, sizes: Any) -> Any:
    result = data
    for axis, start in enumerate(_relax_starts(relax, data, starts, sizes)):
        places = relax.add(start, constant(relax, np.arange(sizes[axis])))
        result = relax.take(result, places, axis, mode="clip")
    return result


@operator(dtypes=None)
def DynamicUpdateSlice(need: Need, data: Tensor, update: Tensor, starts: Tensor) -> TensorType:
    """Replace the part of `data` that begins at `starts` by `update`, which is not larger.

    Starts are int32 or int64; any that would leave data are moved to where the part lies inside.
    Source: XLA's DynamicUpdateSlice.
    """
    _need_starts(need, data, starts)
    need(equal(data.dtype, update.dtype), "the update must have the dtype of data")
    need(update.ndim == data.ndim, "the update must have the rank of data")
    for size, whole in zip(update.shape, data.shape, strict=False):
        need(size <= whole, "the update must not be larger than data")
    return data


@DynamicUpdateSlice.numpy
def _dynamic_update_slice(data: Any, update: Any, starts: Any) -> Any:
    if not data.ndim:  # NumPy knows no padding of nothing
        return np.where(np.ones((), bool), update, data)
    sides = [
        (begin, whole - begin - size)
        for begin, whole, size in zip(
            _starts(data, starts, update.shape), data.shape, update.shape, strict=True
        )
    ]
    hit = np.pad(np.ones(update.shape, bool), sides)
    return np.where(hit, np.pad(update, sides), data)


@DynamicUpdateSlice.kernel
def _dynamic_update_slice_element(
    index: Index, data: Elements, update: Elements, starts: Elements
) -> Expression:
    places = [
        as_expression(index[axis])
        - _clamped(starts[(axis,)], data.shape[axis] - update.shape[axis])
        for axis in range(data.ndim)
    ]
    sides = [
        side
        for place, size in zip(places, update.shape, strict=True)
        for side in (apply(">=", place, 0), apply("<", place, size))
    ]
    if not sides:
        return update[()]

    def found(before: Index) -> Expression:
        axis = len(before)
        if axis == data.ndim:
            return update[before]
        return chosen(places[axis], update.shape[axis], lambda i: found((*before, i)))

    hit = reduce(lambda one, other: apply("and", one, other), sides)
    return apply("select", hit, found(()), data[index])


@DynamicUpdateSlice.relax
def _relax_dynamic_update_slice(relax: Any, data: Any, update: Any, starts: Any) -> Any:
    sizes = [int(size) for size in update.ty.shape]
    if 0 in sizes or not sizes:
        return relax.add(data, relax.zeros_like(data)) if sizes else update
    filled, mask = update, None
    for axis, start in enumerate(_relax_starts(relax, data, starts, sizes)):
        whole, last = int(data.ty.shape[axis]), scalar(relax, sizes[axis] - 1, "int64")
        places = relax.subtract(constant(relax, np.arange(whole)), start)
        inside = relax.logical_and(
            relax.greater_equal(places, scalar(relax, 0, "int64")), relax.less_equal(places, last)
        )
        behind = list(range(1, data.ty.ndim - axis))
        inside = relax.expand_dims(inside, behind) if behind else inside
        mask = inside if mask is None else relax.logical_and(mask, inside)
        filled = relax.take(filled, places, axis, mode="clip")
    return relax.where(mask, filled, data)


class _Targets(Axes):
    """For each axis of the first operand the axis of the result that it becomes."""

    __slots__ = ()

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept a tuple of ints."""
        if value is None:
            raise ValueError("the axes of the result must be given")
        return super().normalise(value, operands)

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand as many different axes as the operand has, counted from the front."""
        known = len(value) == first_rank(operands) == len(set(value))
        return known and conjunction(*(axis >= 0 for axis in value))

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield the choices of axes among up to two more than the operand has."""
        rank = first_rank(operands)
        found = dict.fromkeys(
            axes for more in range(3) for axes in permutations(range(rank + more), rank)
        )
        yield from sorted(found, key=lambda axes: (sorted(axes) != list(axes), axes))


@operator(dtypes=ALL_DTYPES)
def BroadcastInDim(
    need: Need, data: Tensor, *, shape: Shape, axes: Annotated[Any, _Targets()]
) -> TensorType:
    """Repeat `data` to `shape`; axis i of data is axis `axes[i]` of the result.

    Its size is 1 or that of the result. Source: XLA's BroadcastInDim.
    """
    for axis, size in zip(axes, data.shape, strict=True):
        need(axis < len(shape), "the result must have the axes")
        fits = disjunction(equal(size, 1), equal(size, shape[axis]))
        need(fits, "a size must be 1 or that of the result")
    return data.with_shape(shape)


def _spread(shape: Sequence[int], axes: Sequence[int], rank: int) -> tuple[Any, Any]:
    """Return the order of axes in the result, and the shape with 1 where data has no axis."""
    order = sorted(range(len(axes)), key=axes.__getitem__)
    sizes = dict(zip(axes, shape, strict=True))
    return order, tuple(sizes.get(axis, 1) for axis in range(rank))


@BroadcastInDim.numpy
def _broadcast_in_dim(data: Any, shape: Any, axes: Any) -> Any:
    order, sizes = _spread(data.shape, axes, len(shape))
    return np.broadcast_to(np.reshape(np.transpose(data, order), sizes), shape)


@BroadcastInDim.kernel
def _broadcast_in_dim_element(index: Index, data: Elements, shape: Any, axes: Any) -> Expression:
    places = [
        _stretched_place(size, index[axis]) for size, axis in zip(data.shape, axes, strict=True)
    ]
    return data[tuple(places)]


def _stretched_place(size: Int, place: Int) -> Int:
    """Return the place along an axis that is repeated where its size is 1."""
    if equal(size, 1) is True:
        return 0
    return choose(equal(size, 1), 0, place)


@BroadcastInDim.relax
def _relax_broadcast_in_dim(relax: Any, data: Any, shape: Any, axes: Any) -> Any:
    order, sizes = _spread([int(size) for size in data.ty.shape], axes, len(shape))
    moved = relax.permute_dims(data, order) if len(order) > 1 else data
    return relax.broadcast_to(relax.reshape(moved, sizes), shape)


PerAxisSigned = Annotated[tuple[Any, ...], Sizes(per_axis=1, signed=True)]


@operator(dtypes=ALL_DTYPES)
def DilatedPad(
    need: Need,
    data: Tensor,
    *,
    low: PerAxisSigned,
    high: PerAxisSigned,
    interior: PerAxis,
    pad_value: Number = 0.0,
) -> TensorType:
    """Put `interior` elements between neighbours along each axis, then `low` before, `high` behind.

    All have the value `pad_value`, which the dtype must be able to hold. What a negative `low` or
    `high` counts is cut off, after elements have been put between. Source: XLA's Pad.
    """
    need(data.ndim >= 1, "a tensor without axes cannot be padded")
    need(literal(pad_value, data.dtype), "the dtype must be able to hold the padding")
    sizes = []
    for before, size, after, between in zip(low, data.shape, high, interior, strict=True):
        spread = maximum(size + (size - 1) * between, 0)
        need(before + spread + after >= 0, "no more may be cut off than there is")
        sizes.append(before + spread + after)
    return data.with_shape(tuple(sizes))


def _sources(size: int, low: int, high: int, interior: int) -> tuple[Any, Any]:
    """Return for each place along an axis whether it has an element of the data, and which."""
    length = low + max(size + (size - 1) * interior, 0) + high
    places = np.arange(length) - low
    step = interior + 1
    has = (places % step == 0) & (places >= 0) & (places < size * step)
    return has, np.where(has, places // step, 0)


@DilatedPad.numpy
def _dilated_pad(data: Any, low: Any, high: Any, interior: Any, pad_value: float) -> Any:
    is_computed = data.dtype.name in FLOATING
    value = pad_value if is_computed else np.asarray(pad_value).astype(data.dtype)
    axes = [_sources(*axis) for axis in zip(data.shape, low, high, interior, strict=True)]
    if not data.size:
        lengths = [len(has) for has, _ in axes]
        cut = data[tuple(slice(length) for length in lengths)]
        behind = [(0, length - size) for length, size in zip(lengths, cut.shape, strict=True)]
        return np.pad(cut, behind, constant_values=value)
    along = np.meshgrid(*(has for has, _ in axes), indexing="ij", sparse=True)
    mask = reduce(np.logical_and, along)
    return np.where(mask, data[np.ix_(*(source for _, source in axes))], value)


@DilatedPad.kernel
def _dilated_pad_element(
    index: Index, data: Elements, low: Any, high: Any, interior: Any, pad_value: Any
) -> Expression:
    steps = [between + 1 for between in interior]
    places = [i - before for i, before in zip(index, low, strict=True)]
    sources = tuple(place // step for place, step in zip(places, steps, strict=True))
    has = [
        side
        for place, source, step, size in zip(places, sources, steps, data.shape, strict=True)
        for side in (equal(place % step, 0), source >= 0, source < size)
    ]
    return select(conjunction(*has), data[sources], number(pad_value, data.dtype))


@DilatedPad.relax
def _relax_dilated_pad(
    relax: Any, data: Any, low: Any, high: Any, interior: Any, pad_value: float
) -> Any:
    shape = [int(size) for size in data.ty.shape]
    dtype = str(data.ty.dtype)
    value = constant(relax, np.asarray(pad_value).astype(dtype))
    empty = [width for size in shape for width in (0, int(size == 0))]
    result = relax.nn.pad(data, empty) if any(empty) else data
    for axis, size in enumerate(shape):
        has, source = _sources(size, low[axis], high[axis], interior[axis])
        mask = np.reshape(has, (-1, *(1 for _ in range(len(shape) - axis - 1))))
        taken = relax.take(result, constant(relax, source), axis, mode="clip")
        result = relax.where(constant(relax, mask), taken, value)
    return result
