"""Convolutions (cross-correlations, as in all deep-learning frameworks)."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from gsl.attr.evaluate import equal
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, cast, total
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.domain import Choice
from gsl.operators.kinds import (
    CountPair,
    CountQuad,
    CountSix,
    DtypeOf,
    Positive,
    PositivePair,
    PositiveSingle,
    PositiveTriple,
)
from gsl.operators.linear import need_accumulator
from gsl.operators.shapes import Shape, need_ranks, window
from gsl.types import NUMERIC, Int, TensorType

DataLayout1D = Annotated[str, Choice(("NCW", "NWC"))]
DataLayout2D = Annotated[str, Choice(("NCHW", "NHWC"))]
DataLayout3D = Annotated[str, Choice(("NCDHW", "NDHWC"))]
KernelLayout1D = Annotated[str, Choice(("OIW", "WIO"))]
KernelLayout2D = Annotated[str, Choice(("OIHW", "HWIO"))]
KernelLayout3D = Annotated[str, Choice(("OIDHW", "DHWIO"))]


def channels_first(layout: str) -> str:
    """Return the data layout NC... with the spatial axes of `layout`."""
    return "NC" + layout.replace("N", "").replace("C", "")


def to_layout(values: Any, source: str, target: str) -> tuple[Any, ...]:
    """Reorder a sequence with one entry per letter of `source` to the letters of `target`."""
    return tuple(values[source.index(letter)] for letter in target)


def transpose_layout(array: Any, source: str, target: str) -> Any:
    """Permute the axes of an array from layout `source` to layout `target`."""
    return np.transpose(array, [source.index(letter) for letter in target])


def sides(padding: Any) -> list[tuple[Int, Int]]:
    """Pair (begins..., ends...) up to one (begin, end) for each spatial axis."""
    half = len(padding) // 2
    return list(zip(padding[:half], padding[half:], strict=True))


@operator(dtypes=NUMERIC, relax="nn.conv1d")
def Conv1D(
    need: Need,
    data: Tensor,
    weight: Tensor,
    *,
    strides: PositiveSingle = (1,),
    padding: CountPair = (0, 0),
    dilation: PositiveSingle = (1,),
    groups: Positive = 1,
    data_layout: DataLayout1D = "NCW",
    kernel_layout: KernelLayout1D = "OIW",
    out_dtype: DtypeOf = None,
) -> TensorType:
    """Cross-correlate signals with kernels; `padding` is (left, right).

    The data has channels groups * I, the weight O output and I input channels, each group of
    outputs sees its own group of inputs. The operands are converted to `out_dtype` first.
    Source: relax.nn.conv1d.
    """
    need_ranks(need, 3, data=data, weight=weight)
    need_accumulator(need, data.dtype, out_dtype)
    layouts = data_layout, kernel_layout
    windows = strides, dilation, sides(padding)
    return TensorType(convolved_shape(need, data, weight, layouts, groups, *windows), out_dtype)


@operator(dtypes=NUMERIC, relax="nn.conv2d")
def Conv2D(
    need: Need,
    data: Tensor,
    weight: Tensor,
    *,
    strides: PositivePair = (1, 1),
    padding: CountQuad = (0, 0, 0, 0),
    dilation: PositivePair = (1, 1),
    groups: Positive = 1,
    data_layout: DataLayout2D = "NCHW",
    kernel_layout: KernelLayout2D = "OIHW",
    out_dtype: DtypeOf = None,
) -> TensorType:
    """Cross-correlate images with kernels; `padding` is (top, left, bottom, right).

    The data has channels groups * I, the weight O output and I input channels, each group of
    outputs sees its own group of inputs. The operands are converted to `out_dtype` first.
    Source: relax.nn.conv2d.
    """
    need_ranks(need, 4, data=data, weight=weight)
    need_accumulator(need, data.dtype, out_dtype)
    layouts = data_layout, kernel_layout
    windows = strides, dilation, sides(padding)
    return TensorType(convolved_shape(need, data, weight, layouts, groups, *windows), out_dtype)


@operator(dtypes=NUMERIC, relax="nn.conv3d")
def Conv3D(
    need: Need,
    data: Tensor,
    weight: Tensor,
    *,
    strides: PositiveTriple = (1, 1, 1),
    padding: CountSix = (0, 0, 0, 0, 0, 0),
    dilation: PositiveTriple = (1, 1, 1),
    groups: Positive = 1,
    data_layout: DataLayout3D = "NCDHW",
    kernel_layout: KernelLayout3D = "OIDHW",
    out_dtype: DtypeOf = None,
) -> TensorType:
    """Cross-correlate volumes with kernels; `padding` is (front, top, left, back, bottom, right).

    For the rest see Conv2D. Source: relax.nn.conv3d.
    """
    need_ranks(need, 5, data=data, weight=weight)
    need_accumulator(need, data.dtype, out_dtype)
    layouts = data_layout, kernel_layout
    windows = strides, dilation, sides(padding)
    return TensorType(convolved_shape(need, data, weight, layouts, groups, *windows), out_dtype)


def convolved_shape(
    need: Need, data: Tensor, weight: Tensor, layouts: tuple[str, str], groups: Int, *windows: Any
) -> Shape:
    """Return the sizes of a convolution; `windows` are strides, dilations and padded sides."""
    plain = channels_first(layouts[0])
    n, c, *sizes = to_layout(data.shape, layouts[0], plain)
    o, i, *kernel = to_layout(weight.shape, layouts[1], "OI" + plain[2:])
    need(equal(c, i * groups), "channels of data must be input channels of weight times groups")
    need(equal(o % groups, 0), "groups must divide the output channels")
    axes = zip(sizes, kernel, *windows, strict=True)
    places = [window(need, *axis, *ends) for *axis, ends in axes]
    return to_layout((n, o, *places), plain, layouts[0])


def _convolve(data: Any, weight: Any, **attributes: Any) -> Any:
    data_layout, kernel_layout = attributes["data_layout"], attributes["kernel_layout"]
    plain = channels_first(data_layout)
    result = correlate(
        transpose_layout(data, data_layout, plain).astype(attributes["out_dtype"]),
        transpose_layout(weight, kernel_layout, "OI" + plain[2:]).astype(attributes["out_dtype"]),
        attributes["strides"],
        sides(attributes["padding"]),
        attributes["dilation"],
        attributes["groups"],
    )
    return transpose_layout(result, plain, data_layout)


def _convolved_element(
    index: Index, data: Elements, weight: Elements, **attributes: Any
) -> Expression:
    layout, kernel_layout = attributes["data_layout"], attributes["kernel_layout"]
    plain, out_dtype = channels_first(layout), attributes["out_dtype"]
    n, o, *places = to_layout(index, layout, plain)
    outputs, inputs, *kernel = to_layout(weight.shape, kernel_layout, "OI" + plain[2:])
    first = group_of(o, outputs, attributes["groups"]) * inputs
    begins = [before for before, _ in sides(attributes["padding"])]

    def product(i: Any, *taps: Any) -> Expression:
        axes = zip(places, attributes["strides"], taps, attributes["dilation"], begins, strict=True)
        pixel = [p * stride + r * dilation - before for p, stride, r, dilation, before in axes]
        one = data.padded(to_layout((n, first + i, *pixel), plain, layout))
        other = weight[to_layout((o, i, *taps), "OI" + plain[2:], kernel_layout)]
        return cast(one, data.dtype, out_dtype) * cast(other, weight.dtype, out_dtype)

    return total([inputs, *kernel], product)


def group_of(channel: Int, channels: Int, groups: Int) -> Int:
    """Return in which of the groups a channel lies."""
    return 0 if equal(groups, 1) is True else channel // (channels // groups)


Conv1D.reference = _convolve
Conv2D.reference = _convolve
Conv3D.reference = _convolve
Conv1D.meaning = _convolved_element
Conv2D.meaning = _convolved_element
Conv3D.meaning = _convolved_element


def correlate(
    data: Any, weight: Any, strides: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """Correlate N C spatial... data with O I spatial... weights, one group after the other."""
    spatial = len(strides)
    data = np.pad(data, [(0, 0), (0, 0), *padding])
    windows = windows_of(data, weight.shape[2:], strides, dilation)
    batch, outputs = data.shape[0], weight.shape[0]
    grouped = np.reshape(windows, (batch, groups, weight.shape[1], *windows.shape[2:]))
    kernels = np.reshape(weight, (groups, outputs // groups, *weight.shape[1:]))
    places, taps = "dhw"[:spatial], "xyz"[:spatial]
    result = np.einsum(f"ngi{places}{taps},goi{taps}->ngo{places}", grouped, kernels)
    return np.reshape(result, (batch, outputs, *result.shape[3:]))


def windows_of(data: Any, kernel: Any, strides: Any, dilation: Any) -> Any:
    """Return the elements each window covers: N C places... taps... of N C spatial... data."""
    axes = tuple(range(2, data.ndim))
    extents = tuple(d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True))
    every = np.lib.stride_tricks.sliding_window_view(data, extents, axis=axes)
    steps = tuple(slice(None, None, step) for step in (*strides, *dilation))
    return every[(slice(None), slice(None), *steps)]
