"""Pooling to a given size: windows as equal as can be, which cover the data and may overlap."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from gsl.attr.evaluate import ceil_divide
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, select, total
from gsl.operators.convolution import DataLayout2D, to_layout, transpose_layout
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.domain import Integers
from gsl.operators.shapes import need_rank
from gsl.types import FLOATING, Int, TensorType

OutputSize = Annotated[Any, Integers(2, low=1)]


@operator(dtypes=FLOATING, relax="nn.adaptive_avg_pool2d")
def AdaptiveAvgPool2D(
    need: Need, data: Tensor, *, output_size: OutputSize = (1, 1), layout: DataLayout2D = "NCHW"
) -> TensorType:
    """Average the windows of an image so that there are as many as `output_size` says.

    Window i of n along an axis of m elements begins at floor(i m / n) and ends before
    ceil((i + 1) m / n). No axis of the image may be empty. Source: relax.nn.adaptive_avg_pool2d,
    torch.nn.AdaptiveAvgPool2d.
    """
    need_rank(need, data.shape, 4, "data")
    n, c, *sizes = to_layout(data.shape, layout, "NCHW")
    for size in sizes:
        need(size >= 1, "no axis of the image may be empty")
    return data.with_shape(to_layout((n, c, *output_size), "NCHW", layout))


def bounds(place: Int, size: Int, count: Int) -> tuple[Int, Int]:
    """Return where a window begins and before which element it ends."""
    return place * size // count, ceil_divide((place + 1) * size, count)


def averages(size: int, count: int) -> Any:
    """Return a matrix of `count` rows, each of which averages one window of `size` elements."""
    result = np.zeros((count, size))
    for place in range(count):
        begin, end = bounds(place, size, count)
        result[place, begin:end] = 1 / (end - begin)
    return result


@AdaptiveAvgPool2D.numpy
def _averaged(data: Any, output_size: Any, layout: str) -> Any:
    result = transpose_layout(data, layout, "NCHW")
    for axis, count in ((2, output_size[0]), (3, output_size[1])):
        result = _averaged_along(result, axis, count)
    return transpose_layout(result, "NCHW", layout)


def _averaged_along(data: Any, axis: int, count: int) -> Any:
    """Return the averages of windows along an axis; those of one length are taken together."""
    begins, ends = np.array([bounds(place, data.shape[axis], count) for place in range(count)]).T
    lengths = ends - begins
    before: tuple[Any, ...] = (slice(None),) * axis
    parts, order = [], []
    for length in np.unique(lengths):
        places = np.flatnonzero(lengths == length)
        pixels = begins[places, None] + np.arange(length)
        parts.append(np.mean(data[(*before, pixels)], axis=axis + 1))
        order.append(places)
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts, axis=axis)[(*before, np.argsort(np.concatenate(order)))]


@AdaptiveAvgPool2D.kernel
def _averaged_element(index: Index, data: Elements, output_size: Any, layout: str) -> Expression:
    n, c, *places = to_layout(index, layout, "NCHW")
    sizes = to_layout(data.shape, layout, "NCHW")[2:]
    axes = list(zip(places, sizes, output_size, strict=True))
    windows = [bounds(*axis) for axis in axes]

    def seen(*taps: Any) -> Expression:
        pixels = [begin + tap for (begin, _), tap in zip(windows, taps, strict=True)]
        value = data.padded(to_layout((n, c, *pixels), "NCHW", layout))
        for pixel, (_, end) in zip(pixels, windows, strict=True):
            value = select(pixel < end, value, 0)
        return value

    whole = total([ceil_divide(size, count) + 1 for _, size, count in axes], seen)
    (top, bottom), (left, right) = windows
    return apply("/", whole, (bottom - top) * (right - left))
