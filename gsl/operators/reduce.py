"""Reductions along axes, and the functions that normalise along one axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gsl.operators.declaration import Need, Operator, Tensor, operator
from gsl.operators.kinds import Flag, ManyAxes, OneAxis
from gsl.operators.shapes import Shape, known_axis
from gsl.types import FLOATING, NUMERIC, Int, TensorType


def reduced(shape: Shape, axes: Sequence[Int], keepdims: bool) -> Shape:
    """Return `shape` without `axes`, or with size 1 there when `keepdims`."""
    gone = {known_axis(axis, len(shape)) for axis in axes}
    if keepdims:
        return tuple(1 if axis in gone else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in gone)


def need_elements(need: Need, shape: Shape, axes: Sequence[Int]) -> None:
    """Demand that no axis among `axes` is empty."""
    for axis in axes:
        need(shape[known_axis(axis, len(shape))] >= 1, "an axis that is reduced must not be empty")


def reduction(
    name: str,
    relax: str,
    meaning: str,
    *,
    dtypes: tuple[str, ...] = NUMERIC,
    of_nothing: bool = False,
) -> Operator:
    """Declare a reduction along some axes; `of_nothing` tells whether they may be empty."""

    def rule(
        need: Need, data: Tensor, *, axis: ManyAxes = None, keepdims: Flag = False
    ) -> TensorType:
        if not of_nothing:
            need_elements(need, data.shape, axis)
        return data.with_shape(reduced(data.shape, axis, keepdims))

    rule.__name__ = name
    rule.__doc__ = (
        f"{meaning} along `axis` (all axes when None), which disappears or, with `keepdims`, "
        f"gets size 1. The dtype stays. Source: relax.{relax}."
    )
    return operator(dtypes=dtypes, relax=relax)(rule)


Sum = reduction("Sum", "sum", "The sum", of_nothing=True)
Prod = reduction("Prod", "prod", "The product", of_nothing=True)
Max = reduction("Max", "max", "The largest element")
Min = reduction("Min", "min", "The smallest element")
Mean = reduction("Mean", "mean", "The arithmetic mean", dtypes=FLOATING)
Variance = reduction(
    "Variance", "variance", "The mean squared deviation from the mean", dtypes=FLOATING
)


def _in_dtype(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Undo the widening of small integers: modulo 2^w it makes no difference."""

    def reference(data: Any, axis: Any, keepdims: bool) -> Any:
        return compute(data, axis=axis, keepdims=keepdims).astype(data.dtype)

    return reference


Sum.reference = _in_dtype(np.sum)
Prod.reference = _in_dtype(np.prod)
Max.reference = np.max
Min.reference = np.min
Mean.reference = np.mean


@Variance.numpy
def _variance(data: Any, axis: Any, keepdims: bool) -> Any:
    deviation = data - np.mean(data, axis=axis, keepdims=True)
    return np.mean(np.square(deviation), axis=axis, keepdims=keepdims)


def extremum(name: str, relax: str, meaning: str) -> Operator:
    """Declare the position of an extreme element along one axis."""

    def rule(need: Need, data: Tensor, *, axis: OneAxis, keepdims: Flag = False) -> TensorType:
        need_elements(need, data.shape, (axis,))
        return TensorType(reduced(data.shape, (axis,), keepdims), "int64")

    rule.__name__ = name
    rule.__doc__ = (
        f"The position of the {meaning} element along `axis`, the first of several, as int64. "
        f"The axis disappears or, with `keepdims`, gets size 1. Source: relax.{relax}."
    )
    return operator(dtypes=NUMERIC, relax=relax)(rule)


Argmax = extremum("Argmax", "argmax", "largest")
Argmax.reference = np.argmax
Argmin = extremum("Argmin", "argmin", "smallest")
Argmin.reference = np.argmin


@operator(dtypes=FLOATING, relax="nn.softmax")
def Softmax(need: Need, data: Tensor, *, axis: OneAxis = -1) -> TensorType:
    """Exponentials along `axis`, divided by their sum; the type stays. Source: relax.nn.softmax."""
    need_elements(need, data.shape, (axis,))
    return data


@Softmax.numpy
def _softmax(data: Any, axis: int) -> Any:
    powers = np.exp(data - np.max(data, axis=axis, keepdims=True))
    return powers / np.sum(powers, axis=axis, keepdims=True)


@operator(dtypes=FLOATING, relax="nn.log_softmax")
def LogSoftmax(need: Need, data: Tensor, *, axis: OneAxis = -1) -> TensorType:
    """The logarithm of Softmax along `axis`; the type stays. Source: relax.nn.log_softmax."""
    need_elements(need, data.shape, (axis,))
    return data


@LogSoftmax.numpy
def _log_softmax(data: Any, axis: int) -> Any:
    shifted = data - np.max(data, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
