"""Tensors made from nothing but their type and one number."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.attr.evaluate import ceil_divide, conjunction, contains, equal, maximum
from gsl.kernel.expression import Expression
from gsl.kernel.expression import Number as Value
from gsl.kernel.meaning import Elements, Index, number, select
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.kinds import AnyInt, Count, DtypeOf, Element, Positive, Shape
from gsl.operators.ranges import in_range
from gsl.types import ALL_DTYPES, NUMERIC, TensorType

HOLDABLE = "the dtype must be able to hold the fill value"


def scalar(relax: Any, value: float, dtype: str) -> Any:
    """Return a Relax constant of rank 0; `relax` is the namespace given to lowerings."""
    return relax.base.tvm.relax.const(value, dtype)


def constant(relax: Any, array: Any) -> Any:
    """Return a NumPy array as a Relax constant of its dtype."""
    return relax.base.tvm.relax.const(array, array.dtype.name)


def filled(relax: Any, shape: Any, value: float, dtype: str) -> Any:
    """Return a Relax tensor of one repeated value."""
    constant = scalar(relax, value, dtype)
    if np.isfinite(np.full((), value, dtype)):
        return relax.full(shape, constant, dtype)
    # TVM 0.27 does not compile relax.full of an infinity or of NaN.
    return relax.broadcast_to(constant, shape)


@operator(dtypes=None, relax="zeros")
def Zeros(need: Need, *, shape: Shape, dtype: DtypeOf = "float32") -> TensorType:
    """A tensor of zeros of type `dtype` and `shape`. Source: relax.zeros."""
    return TensorType(shape, dtype)


@operator(dtypes=None, relax="ones")
def Ones(need: Need, *, shape: Shape, dtype: DtypeOf = "float32") -> TensorType:
    """A tensor of ones of type `dtype` and `shape`. Source: relax.ones."""
    return TensorType(shape, dtype)


@operator(dtypes=None)
def Full(
    need: Need, *, shape: Shape, fill_value: Element, dtype: DtypeOf = "float32"
) -> TensorType:
    """A tensor of `dtype` and `shape` whose elements all are `fill_value`.

    An integer dtype must be able to hold the value and drops its fraction; True stands for 1.
    Source: relax.full.
    """
    need(in_range(fill_value, dtype), HOLDABLE)
    return TensorType(shape, dtype)


@Zeros.numpy
def _zeros(shape: Any, dtype: str) -> Any:
    return np.zeros(shape, dtype)


@Ones.numpy
def _ones(shape: Any, dtype: str) -> Any:
    return np.ones(shape, dtype)


@Full.numpy
def _full(shape: Any, fill_value: float, dtype: str) -> Any:
    return np.full(shape, fill_value, dtype)


@Zeros.kernel
def _zeros_element(index: Index, shape: Any, dtype: Any) -> Expression:
    return Value(0)


@Ones.kernel
def _ones_element(index: Index, shape: Any, dtype: Any) -> Expression:
    return Value(1)


@Full.kernel
def _full_element(index: Index, shape: Any, fill_value: Any, dtype: Any) -> Expression:
    return number(fill_value, dtype)


@Full.relax
def _relax_full(relax: Any, shape: Any, fill_value: float, dtype: str) -> Any:
    return filled(relax, shape, fill_value, dtype)


@operator(dtypes=ALL_DTYPES, relax="zeros_like")
def ZerosLike(need: Need, data: Tensor, *, dtype: DtypeOf = None) -> TensorType:
    """Zeros in the shape of `data`; the dtype too unless it is given. Source: relax.zeros_like."""
    return data.with_dtype(dtype)


@operator(dtypes=ALL_DTYPES, relax="ones_like")
def OnesLike(need: Need, data: Tensor, *, dtype: DtypeOf = None) -> TensorType:
    """Ones in the shape of `data`; the dtype too unless it is given. Source: relax.ones_like."""
    return data.with_dtype(dtype)


@operator(dtypes=ALL_DTYPES)
def FullLike(need: Need, data: Tensor, *, fill_value: Element, dtype: DtypeOf = None) -> TensorType:
    """Many times `fill_value` in the shape of `data`; the dtype too unless it is given.

    An integer dtype must be able to hold the value and drops its fraction; True stands for 1.
    Source: relax.full_like.
    """
    need(in_range(fill_value, dtype), HOLDABLE)
    return data.with_dtype(dtype)


@ZerosLike.numpy
def _zeros_like(data: Any, dtype: str) -> Any:
    return np.zeros_like(data, dtype=dtype)


@OnesLike.numpy
def _ones_like(data: Any, dtype: str) -> Any:
    return np.ones_like(data, dtype=dtype)


@FullLike.numpy
def _full_like(data: Any, fill_value: float, dtype: str) -> Any:
    return np.full_like(data, fill_value, dtype=dtype)


@ZerosLike.kernel
def _zeros_like_element(index: Index, data: Elements, dtype: Any) -> Expression:
    return Value(0)


@OnesLike.kernel
def _ones_like_element(index: Index, data: Elements, dtype: Any) -> Expression:
    return Value(1)


@FullLike.kernel
def _full_like_element(index: Index, data: Elements, fill_value: Any, dtype: Any) -> Expression:
    return number(fill_value, dtype)


@FullLike.relax
def _relax_full_like(relax: Any, data: Any, fill_value: float, dtype: str) -> Any:
    return filled(relax, data.ty.shape, fill_value, dtype)


@operator(dtypes=None, relax="eye")
def Eye(need: Need, *, n: Count, m: Count, k: AnyInt = 0, dtype: DtypeOf = "float32") -> TensorType:
    """A matrix of `n` rows and `m` columns, 1 on diagonal `k` and 0 elsewhere.

    Diagonal 0 starts in the first row and column; those above are positive. Source: relax.eye.
    """
    return TensorType((n, m), dtype)


@Eye.numpy
def _eye(n: int, m: int, k: int, dtype: str) -> Any:
    return np.eye(n, m, k, dtype)


@Eye.kernel
def _eye_element(index: Index, n: Any, m: Any, k: Any, dtype: Any) -> Expression:
    row, column = index
    return select(equal(column - row, k), 1, 0)


@operator(dtypes=None, relax="arange")
def Arange(
    need: Need, *, start: AnyInt = 0, end: AnyInt, step: Positive = 1, dtype: DtypeOf = "int64"
) -> TensorType:
    """The whole numbers `start`, `start + step`, ... before `end`, as a tensor of one axis.

    The dtype is a number type that can hold those from `start` up to `end` - 1; floats round.
    Source: relax.arange.
    """
    need(contains(dtype, NUMERIC), "there are ranges of numbers only")
    need(start <= end, "a range must not end before it begins")
    limits = in_range(start, dtype), in_range(maximum(start, end - 1), dtype)
    need(conjunction(*limits), "the dtype must be able to hold the numbers")
    count = ceil_divide(end - start, step)
    need(count < 2**63, "a tensor has fewer than 2^63 elements")
    return TensorType((count,), dtype)


@Arange.numpy
def _arange(start: int, end: int, step: int, dtype: str) -> Any:
    return np.arange(start, end, step).astype(dtype)


@Arange.kernel
def _arange_element(index: Index, start: Any, end: Any, step: Any, dtype: Any) -> Expression:
    return Value(start + step * index[0])
