"""Expressions that rows put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gsl.expr import Call, Const, Expr, Proj
from gsl.operators.declaration import lookup


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    """Return the call of an operator by its name."""
    return Call(lookup(name), operands, attributes)


def first(name: str, *operands: Expr, **attributes: Any) -> Expr:
    """Return the first field of the call of an operator whose result is a tuple."""
    return Proj(call(name, *operands, **attributes), 0)


def number(value: Any, dtype: str) -> Const:
    """Return a constant of a dtype, rounded to it."""
    with np.errstate(over="ignore"):
        return Const(np.asarray(value).astype(dtype))


def cast(data: Expr, dtype: str) -> Expr:
    """Return the elements of a tensor as another dtype."""
    return data if data.dtype == dtype else call("Cast", data, dtype=dtype)


def reshape(data: Expr, shape: Sequence[int]) -> Expr:
    """Return a tensor in another shape."""
    return data if data.shape == tuple(shape) else call("Reshape", data, shape=tuple(shape))


def transpose(data: Expr, order: Sequence[int]) -> Expr:
    """Return a tensor with its axes in another order."""
    axes = tuple(order)
    return data if axes == tuple(sorted(axes)) else call("Transpose", data, axes=axes)


def squeeze(data: Expr, axes: Sequence[int]) -> Expr:
    """Return a tensor without some axes of size 1."""
    return call("Squeeze", data, axis=tuple(axes)) if axes else data


def expand(data: Expr, axes: Sequence[int]) -> Expr:
    """Return a tensor with new axes of size 1, counted in the result."""
    return call("ExpandDims", data, axis=tuple(axes)) if axes else data


def broadcast(data: Expr, shape: Sequence[int]) -> Expr:
    """Return a tensor repeated along axes until it has a shape."""
    return data if data.shape == tuple(shape) else call("BroadcastTo", data, shape=tuple(shape))


def part(data: Expr, axis: int, begin: int, end: int, stride: int = 1) -> Expr:
    """Return the slices from `begin` up to `end` along an axis that is counted from the front."""
    begins, ends, strides = [0] * data.tensor_type.ndim, list(data.shape), [1] * len(data.shape)
    begins[axis], ends[axis], strides[axis] = begin, max(begin, end), stride
    if begins == [0] * len(begins) and tuple(ends) == data.shape and stride == 1:
        return data
    return call("StridedSlice", data, begin=tuple(begins), end=tuple(ends), strides=tuple(strides))
