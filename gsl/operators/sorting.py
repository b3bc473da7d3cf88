"""Operators that put elements in order along an axis; equal ones keep the order they have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gsl.attr.evaluate import conjunction
from gsl.dtypes import wider
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, select, total
from gsl.operators.create import constant
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.kinds import Flag, OneAxis, Positive
from gsl.operators.shapes import known_axis, with_size
from gsl.types import NUMERIC, TensorType


def _order(data: Any, axis: int, descending: bool) -> Any:
    """Return the places of the elements in their order, of equal ones the first before others."""
    if not descending:
        return np.argsort(data, axis=axis, kind="stable")
    turned = np.argsort(np.flip(data, axis), axis=axis, kind="stable")
    return np.flip(data.shape[axis] - 1 - turned, axis)


def _place_of(index: Index, data: Elements, along: int, descending: bool) -> Callable[..., Any]:
    """Return the function from an element to how many come before it: its place in the order."""

    def place(own: Any) -> Expression:
        mine = data[with_size(index, along, own)]

        def precedes(other: Any) -> Expression:
            theirs = data[with_size(index, along, other)]
            better = apply(">" if descending else "<", theirs, mine)
            tie = select(other < own, apply("==", theirs, mine), 0)
            return apply("select", better, 1, tie)

        return total([data.shape[along]], precedes)

    return place


def _at_place(
    index: Index, data: Elements, axis: int, descending: bool, value: Callable[..., Any]
) -> Expression:
    """Return what `value` says of the element that comes at a place of the order."""
    along = axis % data.ndim
    place = _place_of(index, data, along, descending)

    def found(own: Any) -> Expression:
        return apply("select", apply("==", place(own), index[along]), value(own), 0)

    return total([data.shape[along]], found)


@operator(dtypes=NUMERIC)
def Sort(need: Need, data: Tensor, *, axis: OneAxis = -1, descending: Flag = False) -> TensorType:
    """Put the elements along `axis` in increasing or `descending` order. Source: relax.sort."""
    return data


@Sort.numpy
def _sort(data: Any, axis: int, descending: bool) -> Any:
    return np.take_along_axis(data, _order(data, axis, descending), axis)


@Sort.kernel
def _sort_element(index: Index, data: Elements, axis: int, descending: bool) -> Expression:
    along = axis % data.ndim
    return _at_place(index, data, axis, descending, lambda i: data[with_size(index, along, i)])


SORTED = ("int32", "int64", "float32", "float64", "float16")
"""The dtypes that TVM 0.27 sorts."""


def _sortable(relax: Any, data: Any) -> Any:
    """Return data in a dtype that TVM sorts, with the same order."""
    dtype = str(data.ty.dtype)
    if dtype == "uint64":
        return relax.astype(relax.subtract(data, _middle(relax)), "int64")
    found = next((one for one in SORTED if one in wider(dtype)), dtype)
    return data if dtype in SORTED else relax.astype(data, found)


def _middle(relax: Any) -> Any:
    return constant(relax, np.array(2**63, np.uint64))


@Sort.relax
def _relax_sort(relax: Any, data: Any, axis: int, descending: bool) -> Any:
    found, dtype = relax.sort(_sortable(relax, data), axis, descending), str(data.ty.dtype)
    if dtype in SORTED:
        return found
    back = relax.astype(found, dtype)
    return relax.add(back, _middle(relax)) if dtype == "uint64" else back


@operator(dtypes=NUMERIC)
def ArgSort(
    need: Need, data: Tensor, *, axis: OneAxis = -1, descending: Flag = False
) -> TensorType:
    """The places along `axis` in the order of the elements there, as int64.

    Of equal elements the first comes first, in both orders. Source: relax.argsort.
    """
    return data.with_dtype("int64")


@ArgSort.numpy
def _argsort(data: Any, axis: int, descending: bool) -> Any:
    return _order(data, axis, descending)


@ArgSort.kernel
def _argsort_element(index: Index, data: Elements, axis: int, descending: bool) -> Expression:
    return _at_place(index, data, axis, descending, lambda place: place)


@ArgSort.relax
def _relax_argsort(relax: Any, data: Any, axis: int, descending: bool) -> Any:
    return relax.argsort(_sortable(relax, data), axis, descending, "int64")


@operator(dtypes=NUMERIC)
def TopK(
    need: Need, data: Tensor, *, k: Positive, axis: OneAxis = -1, largest: Flag = True
) -> list[TensorType]:
    """The `k` largest (or smallest) elements along `axis` in their order, and their places.

    The places are int64; of equal elements the first comes first. Source: onnx.TopK.
    """
    along = known_axis(axis, data.ndim)
    need(k <= data.shape[along], "there must be k elements along the axis")
    found = data.with_shape(with_size(data.shape, along, k))
    return [found, found.with_dtype("int64")]


@TopK.numpy
def _top_k(data: Any, k: int, axis: int, largest: bool) -> Any:
    places = np.take(_order(data, axis, largest), np.arange(k), axis)
    return np.take_along_axis(data, places, axis), places


@TopK.kernel
def _top_k_element(
    field: int, index: Index, data: Elements, k: Any, axis: int, largest: bool
) -> Expression:
    along = axis % data.ndim
    inside = conjunction(index[along] < data.shape[along])
    kernel = _argsort_element if field else _sort_element
    return select(inside, kernel(index, data, axis, largest), 0)


@TopK.relax
def _relax_top_k(relax: Any, data: Any, k: int, axis: int, largest: bool) -> Any:
    if str(data.ty.dtype) in (*SORTED, "int8", "uint8"):
        return relax.topk(data, k, axis, "both", largest, "int64")
    order = _relax_argsort(relax, data, axis, largest)
    places = relax.strided_slice(order, [axis % data.ty.ndim], [0], [k])
    return relax.base.tvm.relax.Tuple([relax.gather_elements(data, places, axis), places])
