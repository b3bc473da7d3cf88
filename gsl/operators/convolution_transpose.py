"""Transposes of convolutions: every element of the data adds a scaled kernel to the result."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from gsl.attr.evaluate import conjunction, equal
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, cast, inside, select, total
from gsl.operators.convolution import (
    DataLayout1D,
    DataLayout2D,
    DataLayout3D,
    channels_first,
    correlate,
    sides,
    to_layout,
    transpose_layout,
)
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.domain import Choice
from gsl.operators.kinds import (
    CountPair,
    CountQuad,
    CountSingle,
    CountSix,
    CountTriple,
    DtypeOf,
    Positive,
    PositivePair,
    PositiveSingle,
    PositiveTriple,
)
from gsl.operators.linear import need_accumulator
from gsl.operators.shapes import Shape, need_ranks
from gsl.types import NUMERIC, Int, TensorType

TransposedKernel1D = Annotated[str, Choice(("IOW",))]
TransposedKernel2D = Annotated[str, Choice(("IOHW",))]
TransposedKernel3D = Annotated[str, Choice(("IODHW",))]


@operator(dtypes=NUMERIC)
def Conv1DTranspose(
    need: Need,
    data: Tensor,
    weight: Tensor,
    *,
    strides: PositiveSingle = (1,),
    padding: CountPair = (0, 0),
    output_padding: CountSingle = (0,),
    dilation: PositiveSingle = (1,),
    groups: Positive = 1,
    data_layout: DataLayout1D = "NCW",
    kernel_layout: TransposedKernel1D = "IOW",
    out_dtype: DtypeOf = None,
) -> TensorType:
    """Transpose Conv1D as a function of its data; `padding` (left, right) shortens the result.

    The weight has I input channels, those of the data, and O output channels for each group, the
    result has O * groups. `output_padding` lengthens the result at its end, by less than a
    stride. The operands are converted to `out_dtype` first. Source: relax.nn.conv1d_transpose.
    """
    need_ranks(need, 3, data=data, weight=weight)
    need_accumulator(need, data.dtype, out_dtype)
    windows = strides, dilation, output_padding, sides(padding)
    return TensorType(_transposed(need, data, weight, data_layout, groups, *windows), out_dtype)


@operator(dtypes=NUMERIC)
def Conv2DTranspose(
    need: Need,
    data: Tensor,
    weight: Tensor,
    *,
    strides: PositivePair = (1, 1),
    padding: CountQuad = (0, 0, 0, 0),
    output_padding: CountPair = (0, 0),
    dilation: PositivePair = (1, 1),
    groups: Positive = 1,
    data_layout: DataLayout2D = "NCHW",
    kernel_layout: TransposedKernel2D = "IOHW",
    out_dtype: DtypeOf = None,
) -> TensorType:
    """Transpose Conv2D as a function of its data.

    `padding` (top, left, bottom, right) shortens the result. The weight has I input channels,
    those of the data, and O output channels for each group, the result has O * groups.
    `output_padding` lengthens the result at the bottom and right, by less than a stride. The
    operands are converted to `out_dtype` first. Source: relax.nn.conv2d_transpose.
    """
    need_ranks(need, 4, data=data, weight=weight)
    need_accumulator(need, data.dtype, out_dtype)
    windows = strides, dilation, output_padding, sides(padding)
    return TensorType(_transposed(need, data, weight, data_layout, groups, *windows), out_dtype)


@operator(dtypes=NUMERIC)
def Conv3DTranspose(
    need: Need,
    data: Tensor,
    weight: Tensor,
    *,
    strides: PositiveTriple = (1, 1, 1),
    padding: CountSix = (0, 0, 0, 0, 0, 0),
    output_padding: CountTriple = (0, 0, 0),
    dilation: PositiveTriple = (1, 1, 1),
    groups: Positive = 1,
    data_layout: DataLayout3D = "NCDHW",
    kernel_layout: TransposedKernel3D = "IODHW",
    out_dtype: DtypeOf = None,
) -> TensorType:
    """Transpose Conv3D as a function of its data.

    `padding` (front, top, left, back, bottom, right) shortens the result. For the rest see
    Conv2DTranspose. Source: relax.nn.conv3d_transpose.
    """
    need_ranks(need, 5, data=data, weight=weight)
    need_accumulator(need, data.dtype, out_dtype)
    windows = strides, dilation, output_padding, sides(padding)
    return TensorType(_transposed(need, data, weight, data_layout, groups, *windows), out_dtype)


def _transposed(
    need: Need, data: Tensor, weight: Tensor, layout: str, groups: Int, *windows: Any
) -> Shape:
    plain = channels_first(layout)
    n, c, *sizes = to_layout(data.shape, layout, plain)
    i, o, *kernel = weight.shape
    need(equal(c, i), "channels of data and input channels of weight must agree")
    need(equal(i % groups, 0), "groups must divide the input channels")
    places = [_extent(need, *axis) for axis in zip(sizes, kernel, *windows, strict=True)]
    return to_layout((n, o * groups, *places), plain, layout)


def _extent(
    need: Need,
    size: Int,
    kernel: Int,
    stride: Int,
    dilation: Int,
    extra: Int,
    padding: tuple[Int, Int],
) -> Int:
    need(size >= 1, "the data must not be empty")
    need(kernel >= 1, "the window must not be empty")
    need(extra < stride, "output_padding must be smaller than the stride")
    extent = (size - 1) * stride + dilation * (kernel - 1) + 1 + extra - padding[0] - padding[1]
    need(extent >= 1, "the padding must leave something of the result")
    return extent


def _transpose_convolve(data: Any, weight: Any, **attributes: Any) -> Any:
    layout, out_dtype = attributes["data_layout"], attributes["out_dtype"]
    plain = channels_first(layout)
    dilation, groups = attributes["dilation"], attributes["groups"]
    overlaps = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:], strict=True)]
    longer = zip(overlaps, attributes["output_padding"], strict=True)
    result = correlate(
        _spread(transpose_layout(data, layout, plain).astype(out_dtype), attributes["strides"]),
        _mirrored(weight.astype(out_dtype), groups),
        (1,) * len(overlaps),
        [(overlap, overlap + extra) for overlap, extra in longer],
        dilation,
        groups,
    )
    kept = zip(sides(attributes["padding"]), result.shape[2:], strict=True)
    crop = [slice(before, size - after) for (before, after), size in kept]
    return transpose_layout(result[(slice(None), slice(None), *crop)], plain, layout)


def _spread(data: Any, strides: Any) -> Any:
    """Put stride - 1 zeros between neighbours along the spatial axes."""
    for axis, stride in enumerate(strides, start=2):
        shape = data.shape
        gaps = [(0, 0)] * (axis + 1) + [(0, stride - 1)] + [(0, 0)] * (data.ndim - axis - 1)
        padded = np.pad(np.expand_dims(data, axis + 1), gaps)
        merged = np.reshape(padded, (*shape[:axis], shape[axis] * stride, *shape[axis + 1 :]))
        data = merged[(slice(None),) * axis + (slice(0, (shape[axis] - 1) * stride + 1),)]
    return data


def _mirrored(weight: Any, groups: int) -> Any:
    """Flip I O spatial... kernels and reorder them to O I spatial... within each group."""
    inputs, outputs, *kernel = weight.shape
    grouped = np.reshape(weight, (groups, inputs // groups, outputs, *kernel))
    flipped = np.flip(
        np.transpose(grouped, (0, 2, 1, *range(3, grouped.ndim))), tuple(range(3, grouped.ndim))
    )
    return np.reshape(flipped, (groups * outputs, inputs // groups, *kernel))


def _transposed_element(
    index: Index, data: Elements, weight: Elements, **attributes: Any
) -> Expression:
    layout, out_dtype = attributes["data_layout"], attributes["out_dtype"]
    plain = channels_first(layout)
    n, channel, *places = to_layout(index, layout, plain)
    inputs, outputs, *kernel = weight.shape
    each = inputs // attributes["groups"]
    first, begins = (
        channel // outputs * each,
        [before for before, _ in sides(attributes["padding"])],
    )
    strides = attributes["strides"]

    def product(i: Any, *taps: Any) -> Expression:
        axes = zip(places, taps, attributes["dilation"], begins, strict=True)
        reached = [p + before - r * dilation for p, r, dilation, before in axes]
        pixel = [place // stride for place, stride in zip(reached, strides, strict=True)]
        hit = [equal(place % stride, 0) for place, stride in zip(reached, strides, strict=True)]
        place = to_layout((n, first + i, *pixel), plain, layout)
        value = cast(data[place], data.dtype, out_dtype)
        one = select(conjunction(*hit, inside(place, data.shape)), value, 0)
        other = weight[(first + i, channel % outputs, *taps)]
        return one * cast(other, weight.dtype, out_dtype)

    return total([each, *kernel], product)


def _lower_to(kernel: str) -> Any:
    """Return a lowering to the Relax operator `kernel`, which wants the channels first."""

    def lowering(relax: Any, data: Any, weight: Any, **attributes: Any) -> Any:
        layout = attributes.pop("data_layout")
        plain = channels_first(layout)
        moved = _permuted(relax, data, layout, plain)
        result = getattr(relax.nn, kernel)(moved, weight, data_layout=plain, **attributes)
        return _permuted(relax, result, plain, layout)

    return lowering


def _permuted(relax: Any, data: Any, source: str, target: str) -> Any:
    if source == target:
        return data
    return relax.permute_dims(data, [source.index(letter) for letter in target])


for _axes, _operator in enumerate((Conv1DTranspose, Conv2DTranspose, Conv3DTranspose), start=1):
    _operator.reference = _transpose_convolve
    _operator.meaning = _transposed_element
    _operator.lowering = _lower_to(f"conv{_axes}d_transpose")
