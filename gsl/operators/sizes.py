"""The sizes of a tensor, as tensors.

Models are read with known sizes, so what these compute there is a constant already; in rules the
sizes are open.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gsl.attr.evaluate import equal
from gsl.kernel.expression import Expression
from gsl.kernel.expression import Number as Value
from gsl.kernel.meaning import Elements, Index, select
from gsl.operators.create import constant
from gsl.operators.declaration import Need, Tensor, operator
from gsl.types import ALL_DTYPES, TensorType


@operator(dtypes=ALL_DTYPES)
def Shape(need: Need, data: Tensor) -> TensorType:
    """The sizes of `data` along its axes: int64, of one axis. Source: ONNX Shape-1.

    A scalar has none, so its result has no elements. A part of the sizes, which ONNX names by
    `start` and `end`, is a `StridedSlice` of the result.
    """
    return TensorType((data.ndim,), "int64")


@operator(dtypes=ALL_DTYPES)
def Size(need: Need, data: Tensor) -> TensorType:
    """The number of elements of `data`: int64, a scalar. Source: ONNX Size-1."""
    return TensorType((), "int64")


@Shape.numpy
def _shape(data: Any) -> Any:
    return np.array(data.shape, np.int64)


@Size.numpy
def _size(data: Any) -> Any:
    return np.array(prod(data.shape), np.int64)


@Shape.kernel
def _shape_element(index: Index, data: Elements) -> Expression:
    found: Expression = Value(0)
    for axis, size in reversed(list(enumerate(data.shape))):
        found = select(equal(index[0], axis), Value(size), found)
    return found


@Size.kernel
def _size_element(index: Index, data: Elements) -> Expression:
    return Value(prod(data.shape))


@Shape.relax
def _relax_shape(relax: Any, data: Any) -> Any:
    return constant(relax, np.array([int(size) for size in data.ty.shape], np.int64))


@Size.relax
def _relax_size(relax: Any, data: Any) -> Any:
    return constant(relax, np.array(prod(int(size) for size in data.ty.shape), np.int64))
