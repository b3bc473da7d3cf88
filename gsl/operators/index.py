"""Operators that select, surround or add up elements along axes."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from gsl.attr.evaluate import ceil_divide, conjunction, contains, disjunction, equal, negation
from gsl.dtypes import DTYPES
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, inside, number, over, select, total
from gsl.numpy_dtypes import is_floating
from gsl.operators.create import scalar
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.defined import Attributes, Elsewhere, ValueRule, Values
from gsl.operators.kinds import (
    DtypeOf,
    Element,
    Flag,
    NewAxis,
    OneAxis,
    PerSide,
    Positions,
    Positive,
    Steps,
)
from gsl.operators.ranges import in_range
from gsl.operators.shapes import known_axis, with_size
from gsl.types import ALL_DTYPES, ANY_FLOAT, FLOATING, NUMERIC, Bool, TensorType, Type

INDEX_DTYPES = ("int32", "int64")


def need_indices(need: Need, indices: TensorType) -> None:
    """Demand that a tensor can be used as indices."""
    need(contains(indices.dtype, INDEX_DTYPES), "indices must be int32 or int64")


def along_axis(types: tuple[Type, ...], attributes: Attributes) -> Values:
    """Return the indices that exist along `axis` of the first operand."""
    data = types[0]
    assert isinstance(data, TensorType)
    return Values(low=0, high=data.shape[attributes["axis"]] - 1)


def from_either_end(types: tuple[Type, ...], attributes: Attributes) -> Values:
    """Return the indices that exist along `axis` where negative ones count from the end."""
    return mirrored(along_axis(types, attributes))


def mirrored(values: Values) -> Values:
    """Return indices with those that count from the end."""
    assert values.high is not None
    lows = tuple(-high - 1 for high in values.highs)
    return Values(low=-values.high - 1, high=values.high, lows=lows, highs=values.highs)


def from_end(limits: ValueRule) -> Elsewhere:
    """Return what a system says of indices that also takes negative ones, down to `limits`."""
    return Elsewhere("negative indices count from the end", {"indices": limits})


def literal(value: Any, dtype: Any) -> Bool:
    """Return the condition that `dtype` can hold a number, give or take a fraction or rounding."""
    if isinstance(value, float) and not isfinite(value):
        return contains(dtype, ANY_FLOAT)
    a_bool = disjunction(equal(value, 0), equal(value, 1))
    fits = [in_range(value, dtype), disjunction(negation(equal(dtype, "bool")), a_bool)]
    for name in ANY_FLOAT:
        most = DTYPES[name].largest
        inside = conjunction(value >= -most, value <= most)
        fits.append(disjunction(negation(equal(dtype, name)), inside))
    return conjunction(*fits)


@operator(dtypes=ALL_DTYPES)
def StridedSlice(
    need: Need, data: Tensor, *, begin: Positions, end: Positions, strides: Steps = None
) -> TensorType:
    """Every `strides[i]`-th slice along each axis i from `begin[i]` up to, without, `end[i]`.

    Positions count and are clamped as in Python slices, but none may end before it begins;
    strides are positive, None is all 1. In graphs they are counted from the front and within the
    size; -1, or 2**63 - 1 for the end, in a rule stands for the position that it is there.
    Source: relax.strided_slice.
    """
    sizes = []
    for first, last, stride in zip(begin, end, strides, strict=True):
        need(first <= last, "a slice must not end before it begins")
        sizes.append(ceil_divide(last - first, stride))
    return data.with_shape(tuple(sizes))


@StridedSlice.numpy
def _strided_slice(data: Any, begin: Any, end: Any, strides: Any) -> Any:
    return data[tuple(map(slice, begin, end, strides))]


@StridedSlice.kernel
def _strided_slice_element(
    index: Index, data: Elements, begin: Any, end: Any, strides: Any
) -> Expression:
    axes = zip(index, begin, strides, strict=True)
    return data[tuple(first + stride * i for i, first, stride in axes)]


@StridedSlice.relax
def _relax_strided_slice(relax: Any, data: Any, begin: Any, end: Any, strides: Any) -> Any:
    axes = list(range(len(begin)))
    # What is not a number yet lies inside, because attributes have been normalised.
    inbound = not all(isinstance(number, int) for number in (*begin, *end, *strides))
    return relax.strided_slice(data, axes, begin, end, strides, assume_inbound=inbound)


@operator(
    dtypes=None,
    relax="take",
    values={"indices": along_axis},
    elsewhere={
        "onnx": from_end(from_either_end),
        "tvm": Elsewhere("indices outside are moved inside"),
        "xla": Elsewhere("indices outside are moved inside"),
    },
)
def Take(need: Need, data: Tensor, indices: Tensor, *, axis: OneAxis) -> TensorType:
    """The slices of `data` along `axis` at `indices`, whose axes replace that axis.

    Indices are int32 or int64, not negative and less than the size. Source: relax.take.
    """
    need_indices(need, indices)
    along = known_axis(axis, data.ndim)
    need(data.shape[along] >= 1, "an axis to take from must not be empty")
    return data.with_shape((*data.shape[:along], *indices.shape, *data.shape[along + 1 :]))


@Take.numpy
def _take(data: Any, indices: Any, axis: int) -> Any:
    return np.take(data, indices, axis)


@Take.kernel
def _take_element(index: Index, data: Elements, indices: Elements, axis: int) -> Expression:
    along = axis % data.ndim
    place = indices[index[along : along + indices.ndim]]
    before, behind = index[:along], index[along + indices.ndim :]
    return chosen(place, data.shape[along], lambda i: data[(*before, i, *behind)])


def chosen(place: Expression, size: Any, element: Any) -> Expression:
    """Return the element at a place that is a value: the sum of all, all but one of them 0."""
    return total([size], lambda i: apply("select", apply("==", place, i), element(i), 0))


@Take.relax
def _relax_take(relax: Any, data: Any, indices: Any, axis: int) -> Any:
    return relax.take(data, indices, axis, mode="clip")


@operator(
    dtypes=None,
    relax="gather_elements",
    values={"indices": along_axis},
    elsewhere={"onnx": from_end(from_either_end)},
)
def GatherElements(need: Need, data: Tensor, indices: Tensor, *, axis: OneAxis = 0) -> TensorType:
    """For every index the element of `data` in the same place, but at the index along `axis`.

    The result has the shape of `indices`, which is not empty along `axis` and nowhere else larger
    than `data`. Indices are int32 or int64, not negative and less than the size.
    Source: relax.gather_elements.
    """
    need_indices(need, indices)
    need(indices.ndim == data.ndim, "indices must have the rank of data")
    along = known_axis(axis, data.ndim)
    for position, (given, size) in enumerate(zip(indices.shape, data.shape, strict=True)):
        if position == along:
            need(conjunction(given >= 1, size >= 1), "the axis must not be empty")
        else:
            need(given <= size, "indices must not reach outside data")
    return data.with_shape(indices.shape)


@GatherElements.numpy
def _gather_elements(data: Any, indices: Any, axis: int) -> Any:
    within = [slice(size) for size in indices.shape]
    within[axis] = slice(None)
    return np.take_along_axis(data[tuple(within)], indices, axis)


@GatherElements.kernel
def _gather_elements_element(
    index: Index, data: Elements, indices: Elements, axis: int
) -> Expression:
    along = axis % data.ndim
    size = data.shape[along]
    return chosen(indices[index], size, lambda i: data[with_size(index, along, i)])


@operator(dtypes=ALL_DTYPES)
def Pad(need: Need, data: Tensor, *, pad_width: PerSide, pad_value: Element = 0.0) -> TensorType:
    """Surround `data` with `pad_value`; widths are (before, after, before, after, ...) by axis.

    The dtype must be able to hold the value; integers drop its fraction. Source: relax.nn.pad.
    """
    need(data.ndim >= 1, "a tensor without axes cannot be padded")
    need(literal(pad_value, data.dtype), "the dtype must be able to hold the padding")
    sides = zip(pad_width[::2], data.shape, pad_width[1::2], strict=True)
    return data.with_shape(tuple(before + size + after for before, size, after in sides))


@Pad.numpy
def _pad(data: Any, pad_width: Any, pad_value: float) -> Any:
    held: Any = np.asarray(pad_value)
    if data.dtype.name not in FLOATING:
        held = held.astype(data.dtype)
    value = float(held) if is_floating(data.dtype) else held
    sides = list(zip(pad_width[::2], pad_width[1::2], strict=True))
    return np.pad(data, sides, constant_values=value)


@Pad.relax
def _relax_pad(relax: Any, data: Any, pad_width: Any, pad_value: float) -> Any:
    if float(pad_value) == pad_value or pad_value != pad_value:
        return relax.nn.pad(data, pad_width, pad_value=float(pad_value))
    # relax.nn.pad has a float64, which not every int64 is.
    inside = relax.astype(relax.nn.pad(relax.ones_like(data), pad_width), "bool")
    around = scalar(relax, pad_value, str(data.ty.dtype))
    return relax.where(inside, relax.nn.pad(data, pad_width), around)


@Pad.kernel
def _pad_element(index: Index, data: Elements, pad_width: Any, pad_value: Any) -> Expression:
    place = tuple(i - before for i, before in zip(index, pad_width[::2], strict=True))
    return select(inside(place, data.shape), data[place], number(pad_value, data.dtype))


def below_depth(types: tuple[Type, ...], attributes: Attributes) -> Values:
    """Return the indices that have a place among `depth` many."""
    return Values(low=0, high=attributes["depth"] - 1)


@operator(
    dtypes=None,
    values={"indices": below_depth},
    elsewhere={
        "onnx": Elsewhere(
            "negative indices count from the end, those beyond either end give `off_value`", {}
        ),
        "tvm": Elsewhere("all other indices give `off_value`"),
    },
)
def OneHot(
    need: Need,
    indices: Tensor,
    *,
    depth: Positive,
    axis: NewAxis = -1,
    on_value: Element = 1.0,
    off_value: Element = 0.0,
    dtype: DtypeOf = "float32",
) -> TensorType:
    """Spell every index as `depth` values along a new axis: `on_value` there, else `off_value`.

    The axis is `axis` of the result. Indices are int32 or int64, not negative and less than
    `depth`. Source: relax.one_hot.
    """
    need_indices(need, indices)
    for value in (on_value, off_value):
        need(literal(value, dtype), "the dtype must be able to hold both values")
    along = known_axis(axis, indices.ndim + 1)
    return TensorType((*indices.shape[:along], depth, *indices.shape[along:]), dtype)


@OneHot.numpy
def _one_hot(
    indices: Any, depth: int, axis: int, on_value: float, off_value: float, dtype: str
) -> Any:
    shape = with_size((1,) * (indices.ndim + 1), axis % (indices.ndim + 1), depth)
    counted = np.where(indices < 0, indices + depth, indices)
    chosen = np.expand_dims(counted, axis) == np.reshape(np.arange(depth), shape)
    on, off = (np.asarray(value).astype(dtype) for value in (on_value, off_value))
    return np.where(chosen, on, off)


@OneHot.kernel
def _one_hot_element(
    index: Index,
    indices: Elements,
    depth: Any,
    axis: int,
    on_value: Any,
    off_value: Any,
    dtype: Any,
) -> Expression:
    along = axis % len(index)
    place = indices[(*index[:along], *index[along + 1 :])]
    on, off = number(on_value, dtype), number(off_value, dtype)
    return apply("select", apply("==", place, index[along]), on, off)


@OneHot.relax
def _relax_one_hot(
    relax: Any, indices: Any, depth: int, axis: int, on_value: float, off_value: float, dtype: str
) -> Any:
    # relax.one_hot has no dtype, and takes no negative axis but -1.
    chosen = relax.one_hot(indices, 1, 0, depth, axis % (indices.ty.ndim + 1))
    on, off = scalar(relax, on_value, dtype), scalar(relax, off_value, dtype)
    return relax.where(relax.astype(chosen, "bool"), on, off)


@operator(dtypes=NUMERIC, relax="cumsum")
def Cumsum(need: Need, data: Tensor, *, axis: OneAxis, exclusive: Flag = False) -> TensorType:
    """The sums of all elements before each one along `axis`, itself included unless `exclusive`.

    The type stays; integers wrap. Source: relax.cumsum.
    """
    return data


@Cumsum.numpy
def _cumsum(data: Any, axis: int, exclusive: bool) -> Any:
    sums = np.cumsum(data, axis).astype(data.dtype)
    if not exclusive:
        return sums
    before = (slice(None),) * (axis % data.ndim)
    nothing = np.zeros_like(data[(*before, slice(1))])
    return np.concatenate([nothing, sums[(*before, slice(-1))]], axis)


@Cumsum.kernel
def _cumsum_element(index: Index, data: Elements, axis: int, exclusive: bool) -> Expression:
    along = axis % data.ndim

    def counted(i: Any) -> Expression:
        before = i < index[along] if exclusive else i <= index[along]
        return select(before, data[with_size(index, along, i)], 0)

    return total([data.shape[along]], counted)


@operator(dtypes=NUMERIC)
def CumProd(need: Need, data: Tensor, *, axis: OneAxis, exclusive: Flag = False) -> TensorType:
    """The products of all elements before each one along `axis`, itself unless `exclusive`.

    The type stays; integers wrap. Source: relax.cumprod.
    """
    return data


@CumProd.numpy
def _cumprod(data: Any, axis: int, exclusive: bool) -> Any:
    pieces = [np.take(data, [i], axis) for i in range(data.shape[axis])]
    found: list[Any] = [np.ones_like(piece) for piece in pieces[:1]] if exclusive else pieces[:1]
    for piece in pieces[:-1] if exclusive else pieces[1:]:
        found.append(found[-1] * piece)
    return np.concatenate(found, axis) if found else data


@CumProd.kernel
def _cumprod_element(index: Index, data: Elements, axis: int, exclusive: bool) -> Expression:
    along = axis % data.ndim

    def counted(i: Any) -> Expression:
        before = i < index[along] if exclusive else i <= index[along]
        return select(before, data[with_size(index, along, i)], 1)

    return over("product", [data.shape[along]], counted)


@CumProd.relax
def _relax_cumprod(relax: Any, data: Any, axis: int, exclusive: bool) -> Any:
    # relax.cumprod divides by the number of elements.
    empty = 0 in map(int, data.ty.shape)
    return relax.zeros_like(data) if empty else relax.cumprod(data, axis, None, exclusive)


@Cumsum.relax
def _relax_cumsum(relax: Any, data: Any, axis: int, exclusive: bool) -> Any:
    # relax.cumsum divides by the number of elements.
    empty = 0 in map(int, data.ty.shape)
    return relax.zeros_like(data) if empty else relax.cumsum(data, axis, None, exclusive)
