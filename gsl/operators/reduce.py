"""Reductions along axes, and the functions that normalise along one axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, over, total
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
    source: str = "",
) -> Operator:
    """Declare a reduction along some axes; `of_nothing` tells whether they may be empty.

    `source` says who defines it if it is not the operator of Relax.
    """

    def rule(
        need: Need, data: Tensor, *, axis: ManyAxes = None, keepdims: Flag = False
    ) -> TensorType:
        if not of_nothing:
            need_elements(need, data.shape, axis)
        return data.with_shape(reduced(data.shape, axis, keepdims))

    rule.__name__ = name
    rule.__doc__ = (
        f"{meaning} along `axis` (all axes when None), which disappears or, with `keepdims`, "
        f"gets size 1. The dtype stays. Source: {source or f'relax.{relax}'}."
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


def placed(index: Index, inner: Index, rank: int, axes: Sequence[Int], keepdims: bool) -> Index:
    """Return the index of an element of the data: `inner` on `axes`, `index` on the others."""
    gone = {axis % rank for axis in axes}
    kept, own = iter(index), dict(zip(sorted(gone), inner, strict=True))
    return tuple(
        own[axis] if axis in gone else outer
        for axis in range(rank)
        for outer in [None if axis in gone and not keepdims else next(kept)]
    )


def sizes_of(data: Elements, axes: Sequence[Int]) -> list[Int]:
    """Return the sizes of the axes, counted from the front, in increasing order."""
    return [data.shape[axis] for axis in sorted({axis % data.ndim for axis in axes})]


def _over(function: str) -> Callable[..., Any]:
    def kernel(index: Index, data: Elements, axis: Any, keepdims: bool) -> Expression:
        def element(*inner: Any) -> Expression:
            return data[placed(index, inner, data.ndim, axis, keepdims)]

        return over(function, sizes_of(data, axis), element)

    return kernel


Sum.meaning = _over("sum")
Prod.meaning = _over("product")
Max.meaning = _over("max")
Min.meaning = _over("min")


@Mean.kernel
def _mean_element(index: Index, data: Elements, axis: Any, keepdims: bool) -> Expression:
    whole = Sum.element(index, [data], {"axis": axis, "keepdims": keepdims}, None)
    return apply("/", whole, prod(sizes_of(data, axis)))


@Variance.kernel
def _variance_element(index: Index, data: Elements, axis: Any, keepdims: bool) -> Expression:
    average = _mean_element(index, data, axis, keepdims)

    def square(*inner: Any) -> Expression:
        deviation: Expression = data[placed(index, inner, data.ndim, axis, keepdims)] - average
        return deviation * deviation

    sizes = sizes_of(data, axis)
    return apply("/", total(sizes, square), prod(sizes))


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


def _first(function: str) -> Callable[..., Any]:
    """Return the kernel that looks for the first index of what `function` reduces to."""

    def kernel(index: Index, data: Elements, axis: int, keepdims: bool) -> Expression:
        def element(i: Any) -> Expression:
            return data[placed(index, (i,), data.ndim, (axis,), keepdims)]

        sizes = sizes_of(data, (axis,))
        most = over(function, sizes, element)
        return over(
            "min", sizes, lambda i: apply("select", apply("==", element(i), most), i, sizes[0])
        )

    return kernel


Argmax.meaning = _first("max")
Argmin.meaning = _first("min")


@operator(dtypes=FLOATING, relax="nn.softmax")
def Softmax(need: Need, data: Tensor, *, axis: OneAxis = -1) -> TensorType:
    """Exponentials along `axis`, divided by their sum; the type stays. Source: relax.nn.softmax."""
    need_elements(need, data.shape, (axis,))
    return data


@Softmax.numpy
def _softmax(data: Any, axis: int) -> Any:
    powers = np.exp(data - np.max(data, axis=axis, keepdims=True))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def _powers(index: Index, data: Elements, axis: int) -> Expression:
    along = axis % data.ndim

    def power(i: Any) -> Expression:
        return apply("exp", data[(*index[:along], i, *index[along + 1 :])])

    return total([data.shape[along]], power)


@Softmax.kernel
def _softmax_element(index: Index, data: Elements, axis: int) -> Expression:
    return apply("exp", data[index]) / _powers(index, data, axis)


@operator(dtypes=FLOATING, relax="nn.log_softmax")
def LogSoftmax(need: Need, data: Tensor, *, axis: OneAxis = -1) -> TensorType:
    """The logarithm of Softmax along `axis`; the type stays. Source: relax.nn.log_softmax."""
    need_elements(need, data.shape, (axis,))
    return data


@LogSoftmax.numpy
def _log_softmax(data: Any, axis: int) -> Any:
    shifted = data - np.max(data, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


@LogSoftmax.kernel
def _log_softmax_element(index: Index, data: Elements, axis: int) -> Expression:
    return data[index] - apply("log", _powers(index, data, axis))
