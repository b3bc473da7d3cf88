"""Pooling: one number for each window of an image or signal.

Frameworks differ about windows without any element of the data, so the operators demand that
there are none: padding is smaller than the window, and no window begins behind the data, which
rounding up (`ceil_mode`) could bring about.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import Any

import numpy as np

from gsl.attr.evaluate import disjunction, equal
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, inside, over, select, total
from gsl.numpy_dtypes import finfo, iinfo, is_floating
from gsl.operators.convolution import (
    DataLayout1D,
    DataLayout2D,
    DataLayout3D,
    channels_first,
    sides,
    to_layout,
    transpose_layout,
    windows_of,
)
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.kinds import (
    CountPair,
    CountQuad,
    CountSix,
    Flag,
    PositivePair,
    PositiveSingle,
    PositiveTriple,
)
from gsl.operators.reduce import need_elements
from gsl.operators.shapes import need_rank, window
from gsl.types import FLOATING, NUMERIC, Int, TensorType


@operator(dtypes=NUMERIC, relax="nn.max_pool1d")
def MaxPool1D(
    need: Need,
    data: Tensor,
    *,
    pool_size: PositiveSingle = (1,),
    strides: PositiveSingle = (1,),
    dilation: PositiveSingle = (1,),
    padding: CountPair = (0, 0),
    ceil_mode: Flag = False,
    layout: DataLayout1D = "NCW",
) -> TensorType:
    """Take the largest element of each window; padding (left, right) never is the largest.

    With `ceil_mode` a last window may reach beyond the padding. Source: relax.nn.max_pool1d.
    """
    windows = pool_size, strides, dilation, sides(padding)
    return _pooled(need, data, layout, ceil_mode, *windows)


@operator(dtypes=NUMERIC, relax="nn.max_pool2d")
def MaxPool2D(
    need: Need,
    data: Tensor,
    *,
    pool_size: PositivePair = (1, 1),
    strides: PositivePair = (1, 1),
    dilation: PositivePair = (1, 1),
    padding: CountQuad = (0, 0, 0, 0),
    ceil_mode: Flag = False,
    layout: DataLayout2D = "NCHW",
) -> TensorType:
    """Take the largest element of each window; padding never is the largest.

    `padding` is (top, left, bottom, right); with `ceil_mode` a last window may reach beyond it.
    Source: relax.nn.max_pool2d.
    """
    windows = pool_size, strides, dilation, sides(padding)
    return _pooled(need, data, layout, ceil_mode, *windows)


@operator(dtypes=NUMERIC, relax="nn.max_pool3d")
def MaxPool3D(
    need: Need,
    data: Tensor,
    *,
    pool_size: PositiveTriple = (1, 1, 1),
    strides: PositiveTriple = (1, 1, 1),
    dilation: PositiveTriple = (1, 1, 1),
    padding: CountSix = (0, 0, 0, 0, 0, 0),
    ceil_mode: Flag = False,
    layout: DataLayout3D = "NCDHW",
) -> TensorType:
    """Take the largest element of each window; padding never is the largest.

    `padding` is (front, top, left, back, bottom, right); see MaxPool2D.
    Source: relax.nn.max_pool3d.
    """
    windows = pool_size, strides, dilation, sides(padding)
    return _pooled(need, data, layout, ceil_mode, *windows)


@operator(dtypes=FLOATING, relax="nn.avg_pool1d")
def AvgPool1D(
    need: Need,
    data: Tensor,
    *,
    pool_size: PositiveSingle = (1,),
    strides: PositiveSingle = (1,),
    dilation: PositiveSingle = (1,),
    padding: CountPair = (0, 0),
    ceil_mode: Flag = False,
    count_include_pad: Flag = False,
    layout: DataLayout1D = "NCW",
) -> TensorType:
    """Average each window; see AvgPool2D. Source: relax.nn.avg_pool1d, which counts padding."""
    windows = pool_size, strides, dilation, sides(padding)
    return _pooled(need, data, layout, ceil_mode, *windows)


@operator(dtypes=FLOATING, relax="nn.avg_pool2d")
def AvgPool2D(
    need: Need,
    data: Tensor,
    *,
    pool_size: PositivePair = (1, 1),
    strides: PositivePair = (1, 1),
    dilation: PositivePair = (1, 1),
    padding: CountQuad = (0, 0, 0, 0),
    ceil_mode: Flag = False,
    count_include_pad: Flag = False,
    layout: DataLayout2D = "NCHW",
) -> TensorType:
    """Average the elements of each window; `padding` is (top, left, bottom, right).

    With `count_include_pad` padding counts as zeros, otherwise it is left out. With `ceil_mode` a
    last window may reach beyond the padding; what lies there is always left out.
    Source: relax.nn.avg_pool2d.
    """
    windows = pool_size, strides, dilation, sides(padding)
    return _pooled(need, data, layout, ceil_mode, *windows)


@operator(dtypes=FLOATING, relax="nn.avg_pool3d")
def AvgPool3D(
    need: Need,
    data: Tensor,
    *,
    pool_size: PositiveTriple = (1, 1, 1),
    strides: PositiveTriple = (1, 1, 1),
    dilation: PositiveTriple = (1, 1, 1),
    padding: CountSix = (0, 0, 0, 0, 0, 0),
    ceil_mode: Flag = False,
    count_include_pad: Flag = False,
    layout: DataLayout3D = "NCDHW",
) -> TensorType:
    """Average each window; `padding` is (front, top, left, back, bottom, right), see AvgPool2D.

    Source: relax.nn.avg_pool3d.
    """
    windows = pool_size, strides, dilation, sides(padding)
    return _pooled(need, data, layout, ceil_mode, *windows)


@operator(dtypes=FLOATING)
def GlobalAvgPool2D(need: Need, data: Tensor, *, layout: DataLayout2D = "NCHW") -> TensorType:
    """Average each channel of an image to size 1 x 1. Source: relax.nn.adaptive_avg_pool2d."""
    need_rank(need, data.shape, 4, "data")
    need_elements(need, data.shape, _spatial(layout))
    n, c, _, _ = to_layout(data.shape, layout, "NCHW")
    return data.with_shape(to_layout((n, c, 1, 1), "NCHW", layout))


@GlobalAvgPool2D.numpy
def _global_average(data: Any, layout: str) -> Any:
    return np.mean(data, axis=_spatial(layout), keepdims=True)


@GlobalAvgPool2D.kernel
def _global_average_element(index: Index, data: Elements, layout: str) -> Expression:
    n, c, _, _ = to_layout(index, layout, "NCHW")
    sizes = to_layout(data.shape, layout, "NCHW")[2:]
    whole = total(sizes, lambda h, w: data[to_layout((n, c, h, w), "NCHW", layout)])
    return apply("/", whole, prod(sizes))


@GlobalAvgPool2D.relax
def _relax_global_average(relax: Any, data: Any, layout: str) -> Any:
    return relax.nn.adaptive_avg_pool2d(data, (1, 1), layout)


def _spatial(layout: str) -> tuple[int, ...]:
    return layout.index("H"), layout.index("W")


def _pooled(need: Need, data: Tensor, layout: str, ceil_mode: bool, *windows: Any) -> TensorType:
    plain = channels_first(layout)
    need_rank(need, data.shape, len(plain), "data")
    n, c, *sizes = to_layout(data.shape, layout, plain)
    axes = zip(sizes, *windows, strict=True)
    places = [_places(need, ceil_mode, *axis, *ends) for *axis, ends in axes]
    return data.with_shape(to_layout((n, c, *places), plain, layout))


def _places(
    need: Need,
    ceil_mode: bool,
    size: Int,
    extent: Int,
    stride: Int,
    dilation: Int,
    before: Int,
    after: Int,
) -> Int:
    need(before < extent, "padding must be smaller than the window")
    need(after < extent, "padding must be smaller than the window")
    met = disjunction(equal(before, 0), dilation <= size)
    need(met, "a window that begins in the padding must not leap over the data")
    count = window(need, size, extent, stride, dilation, before, after, ceil_mode)
    need((count - 1) * stride < before + size, "no window may begin behind the data")
    return count


def _least(dtype: np.dtype[Any]) -> Any:
    """Return what is below all numbers of a dtype: minus infinity, where it has one."""
    if not is_floating(dtype):
        return iinfo(dtype).min
    return dtype.type(-inf) if np.isinf(dtype.type(-inf)) else finfo(dtype).min


def _largest(data: Any, **attributes: Any) -> Any:
    least = _least(data.dtype)
    plain = channels_first(attributes["layout"])
    moved = transpose_layout(data, attributes["layout"], plain)
    result = np.max(_windows(moved, least, least, attributes), axis=_taps(attributes))
    return transpose_layout(result, plain, attributes["layout"])


def _average(data: Any, count_include_pad: bool, **attributes: Any) -> Any:
    plain = channels_first(attributes["layout"])
    moved = transpose_layout(data, attributes["layout"], plain)
    total = np.sum(_windows(moved, 0, 0, attributes), axis=_taps(attributes))
    counted = _windows(np.ones_like(moved), int(count_include_pad), 0, attributes)
    result = total / np.sum(counted, axis=_taps(attributes))
    return transpose_layout(result, plain, attributes["layout"])


MaxPool1D.reference = _largest
MaxPool2D.reference = _largest
MaxPool3D.reference = _largest
AvgPool1D.reference = _average
AvgPool2D.reference = _average
AvgPool3D.reference = _average


def _pixels(places: Sequence[Int], taps: Sequence[Int], attributes: Any) -> Index:
    """Return which pixel each tap of the window at `places` meets; padding has other numbers."""
    steps, begins = attributes["dilation"], [before for before, _ in sides(attributes["padding"])]
    axes = zip(places, attributes["strides"], taps, steps, begins, strict=True)
    return tuple(p * stride + r * step - before for p, stride, r, step, before in axes)


def _largest_element(index: Index, data: Elements, **attributes: Any) -> Expression:
    layout = attributes["layout"]
    plain = channels_first(layout)
    n, c, *places = to_layout(index, layout, plain)

    def seen(*taps: Any) -> Expression:
        place = to_layout((n, c, *_pixels(places, taps, attributes)), plain, layout)
        return select(inside(place, data.shape), data[place], -inf)

    return over("max", attributes["pool_size"], seen)


def _average_element(
    index: Index, data: Elements, count_include_pad: bool, **attributes: Any
) -> Expression:
    layout = attributes["layout"]
    plain = channels_first(layout)
    n, c, *places = to_layout(index, layout, plain)
    sizes = to_layout(data.shape, layout, plain)[2:]
    padding = sides(attributes["padding"]) if count_include_pad else [(0, 0)] * len(sizes)
    widths = [(a, a + size + b) for size, (a, b) in zip(sizes, padding, strict=True)]

    def counted(*taps: Any) -> Expression:
        shifted = zip(_pixels(places, taps, attributes), widths, strict=True)
        place = tuple(pixel + before for pixel, (before, _) in shifted)
        return select(inside(place, tuple(size for _, size in widths)), 1, 0)

    def seen(*taps: Any) -> Expression:
        pixels = _pixels(places, taps, attributes)
        return data.padded(to_layout((n, c, *pixels), plain, layout))

    extents = attributes["pool_size"]
    return total(extents, seen) / total(extents, counted)


MaxPool1D.meaning = _largest_element
MaxPool2D.meaning = _largest_element
MaxPool3D.meaning = _largest_element
AvgPool1D.meaning = _average_element
AvgPool2D.meaning = _average_element
AvgPool3D.meaning = _average_element


def _taps(attributes: Any) -> tuple[int, ...]:
    return tuple(range(-len(attributes["strides"]), 0))


def _windows(data: Any, padding: float, behind: float, attributes: Any) -> Any:
    """Return the windows of N C spatial... data, given what padding and the space behind hold."""
    whole, strides = [(0, 0), (0, 0)], attributes["strides"]
    beyond = [(0, stride - 1 if attributes["ceil_mode"] else 0) for stride in strides]
    padded = np.pad(data, whole + sides(attributes["padding"]), constant_values=padding)
    longer = np.pad(padded, whole + beyond, constant_values=behind)
    return windows_of(longer, attributes["pool_size"], strides, attributes["dilation"])
