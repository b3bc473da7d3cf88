"""Operators that keep all elements and change the shape or the order in which they are stored."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gsl.attr.evaluate import equal
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.kinds import NewAxes, NewShape, OneAxis, Order, UnitAxes
from gsl.operators.shapes import known_axis
from gsl.types import ALL_DTYPES, TensorType


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


@operator(dtypes=ALL_DTYPES, relax="permute_dims")
def Transpose(need: Need, data: Tensor, *, axes: Order = None) -> TensorType:
    """Axis i of the result is axis `axes[i]` of `data`; None reverses all axes.

    Source: relax.permute_dims.
    """
    return data.with_shape(tuple(data.shape[known_axis(axis, data.ndim)] for axis in axes))


@Transpose.numpy
def _transpose(data: Any, axes: Any) -> Any:
    return np.transpose(data, axes)


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


@operator(dtypes=ALL_DTYPES, relax="flip")
def Flip(need: Need, data: Tensor, *, axis: OneAxis) -> TensorType:
    """Reverse the order of the elements along `axis`; the shape stays. Source: relax.flip."""
    return data


@Flip.numpy
def _flip(data: Any, axis: int) -> Any:
    return np.flip(data, axis)
