"""Operators that keep all elements and change the shape or the order in which they are stored."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gsl.attr.evaluate import equal
from gsl.attr.term import Term
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.kinds import NewAxes, NewShape, OneAxis, Order, UnitAxes
from gsl.operators.shapes import known_axis, with_size
from gsl.types import ALL_DTYPES, Int, TensorType


@operator(dtypes=ALL_DTYPES, relax="reshape")
def Reshape(need: Need, data: Tensor, *, shape: NewShape) -> TensorType:
    """The elements of `data` in row-major order as a tensor of `shape`.

    Both have the same number of elements. One size may be written as -1, which stands for the
    size that fits. Source: relax.reshape.
    """
    need(equal(prod(data.shape), prod(shape)), "a new shape must keep the number of elements")
    return data.with_shape(shape)


@Reshape.numpy
def _reshape(data: Any, shape: Any) -> Any:
    return np.reshape(data, shape)


@Reshape.kernel
def _reshape_element(index: Index, data: Elements, shape: Any) -> Expression:
    return data[reshaped(index, tuple(shape), data.shape)]


def reshaped(index: Index, source: Index, target: Index) -> Index:
    """Return where element `index` of shape `source` lies in `target`, in row-major order.

    Axes that both shapes begin or end with are left alone.
    """
    before, after = _common(source, target), _common(source[::-1], target[::-1])
    after = min(after, len(source) - before, len(target) - before)
    rest = slice(before, len(source) - after), slice(before, len(target) - after)
    moved = _unravelled(_ravelled(index[rest[0]], source[rest[0]]), target[rest[1]])
    return (*index[:before], *moved, *index[len(source) - after :])


def _common(source: Index, target: Index) -> int:
    same = (equal(a, b) is True for a, b in zip(source, target, strict=False))
    return next((n for n, is_same in enumerate(same) if not is_same), min(len(source), len(target)))


def _ravelled(index: Index, shape: Index) -> Int:
    place: Int = 0
    for i, size in zip(index, shape, strict=True):
        if equal(size, 1) is not True:
            place = place * size + i if isinstance(place, Term) or place else i
    return place


def _unravelled(place: Int, shape: Index) -> Index:
    """Split a place into an index; the first axis of more than one element takes the rest."""
    index: list[Int] = []
    first = next((n for n, size in enumerate(shape) if equal(size, 1) is not True), len(shape))
    for axis in reversed(range(len(shape))):
        size = shape[axis]
        if axis < first or equal(size, 1) is True:
            index.append(0)
        elif axis == first:
            index.append(place)
        else:
            index.append(place % size)
            place = place // size
    return tuple(reversed(index))


@Reshape.relax
def _relax_reshape(relax: Any, data: Any, shape: Any) -> Any:
    # In relax.reshape 0 means "as before", so that an empty result has to be made anew.
    return relax.reshape(data, shape) if prod(shape) else relax.zeros(shape, data.ty.dtype)


@operator(dtypes=ALL_DTYPES, relax="flatten")
def Flatten(need: Need, data: Tensor) -> TensorType:
    """All elements of `data` in row-major order as one axis. Source: relax.flatten."""
    return data.with_shape((data.size,))


@Flatten.numpy
def _flatten(data: Any) -> Any:
    return np.reshape(data, (-1,))


@Flatten.kernel
def _flatten_element(index: Index, data: Elements) -> Expression:
    return data[reshaped(index, (data.type.size,), data.shape)]


@operator(dtypes=ALL_DTYPES, relax="permute_dims")
def Transpose(need: Need, data: Tensor, *, axes: Order = None) -> TensorType:
    """Axis i of the result is axis `axes[i]` of `data`; None reverses all axes.

    In graphs axes are counted from the front. Source: relax.permute_dims.
    """
    return data.with_shape(tuple(data.shape[known_axis(axis, data.ndim)] for axis in axes))


@Transpose.numpy
def _transpose(data: Any, axes: Any) -> Any:
    return np.transpose(data, axes)


@Transpose.kernel
def _transpose_element(index: Index, data: Elements, axes: Any) -> Expression:
    places = {axis % data.ndim: i for axis, i in zip(axes, index, strict=True)}
    return data[tuple(places[axis] for axis in range(data.ndim))]


@operator(dtypes=ALL_DTYPES, relax="expand_dims")
def ExpandDims(need: Need, data: Tensor, *, axis: NewAxes) -> TensorType:
    """Insert axes of size 1, which are the axes `axis` of the result. Source: relax.expand_dims."""
    rank = data.ndim + len(axis)
    new = {known_axis(position, rank) for position in axis}
    sizes = iter(data.shape)
    return data.with_shape(tuple(1 if i in new else next(sizes) for i in range(rank)))


@ExpandDims.numpy
def _expand_dims(data: Any, axis: Any) -> Any:
    return np.expand_dims(data, axis)


@ExpandDims.kernel
def _expand_dims_element(index: Index, data: Elements, axis: Any) -> Expression:
    new = {position % len(index) for position in axis}
    return data[tuple(i for position, i in enumerate(index) if position not in new)]


@operator(dtypes=ALL_DTYPES, relax="squeeze")
def Squeeze(need: Need, data: Tensor, *, axis: UnitAxes = None) -> TensorType:
    """Remove the axes `axis`, which must have size 1; None removes all axes of size 1.

    Source: relax.squeeze.
    """
    gone = {known_axis(position, data.ndim) for position in axis}
    for position in gone:
        need(equal(data.shape[position], 1), "an axis that is squeezed must have size 1")
    return data.with_shape(tuple(s for i, s in enumerate(data.shape) if i not in gone))


@Squeeze.numpy
def _squeeze(data: Any, axis: Any) -> Any:
    return np.squeeze(data, axis)


@Squeeze.kernel
def _squeeze_element(index: Index, data: Elements, axis: Any) -> Expression:
    gone, kept = {position % data.ndim for position in axis}, iter(index)
    return data[tuple(0 if position in gone else next(kept) for position in range(data.ndim))]


@operator(dtypes=ALL_DTYPES, relax="flip")
def Flip(need: Need, data: Tensor, *, axis: OneAxis) -> TensorType:
    """Reverse the order of the elements along `axis`; the shape stays. Source: relax.flip."""
    return data


@Flip.numpy
def _flip(data: Any, axis: int) -> Any:
    return np.flip(data, axis)


@Flip.kernel
def _flip_element(index: Index, data: Elements, axis: int) -> Expression:
    along = axis % data.ndim
    return data[with_size(index, along, data.shape[along] - 1 - index[along])]
