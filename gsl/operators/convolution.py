"""Convolutions and their transposes (cross-correlation, as in all deep-learning frameworks)."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.domain import Choice
from gsl.operators.kinds import CountQuad, DtypeOf, Positive, PositivePair
from gsl.operators.shapes import need_rank, window
from gsl.types import NUMERIC, TensorType

DataLayout2D = Annotated[str, Choice(("NCHW", "NHWC"))]
KernelLayout2D = Annotated[str, Choice(("OIHW", "HWIO"))]


def to_layout(values: Any, source: str, target: str) -> Any:
    """Reorder a sequence with one entry per letter of `source` to the letters of `target`."""
    return tuple(values[source.index(letter)] for letter in target)


def transpose_layout(array: Any, source: str, target: str) -> Any:
    """Permute the axes of an array from layout `source` to layout `target`."""
    return np.transpose(array, [source.index(letter) for letter in target])


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
    outputs sees its own group of inputs. Source: relax.nn.conv2d.
    """
    need_rank(need, data.shape, 4, "data")
    need_rank(need, weight.shape, 4, "weight")
    n, c, h, w = to_layout(data.shape, data_layout, "NCHW")
    o, i, kh, kw = to_layout(weight.shape, kernel_layout, "OIHW")
    need(c == i * groups, "channels of data must be input channels of weight times groups")
    need(o % groups == 0, "groups must divide the output channels")
    top, left, bottom, right = padding
    rows = window(need, h, kh, strides[0], dilation[0], top, bottom)
    columns = window(need, w, kw, strides[1], dilation[1], left, right)
    return TensorType(to_layout((n, o, rows, columns), "NCHW", data_layout), out_dtype)


@Conv2D.numpy
def _conv2d(data: Any, weight: Any, **attributes: Any) -> Any:
    data_layout, kernel_layout = attributes["data_layout"], attributes["kernel_layout"]
    result = correlate(
        transpose_layout(data, data_layout, "NCHW").astype(attributes["out_dtype"]),
        transpose_layout(weight, kernel_layout, "OIHW").astype(attributes["out_dtype"]),
        attributes["strides"],
        attributes["padding"],
        attributes["dilation"],
        attributes["groups"],
    )
    return transpose_layout(result, "NCHW", data_layout)


def correlate(
    data: Any, weight: Any, strides: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """Correlate N C spatial... data with O I spatial... weights, one group after the other."""
    spatial = len(strides)
    sides = zip(padding[:spatial], padding[spatial:], strict=True)
    data = np.pad(data, [(0, 0), (0, 0), *sides])
    batch, outputs = data.shape[0], weight.shape[0]
    windows = _windows(data, weight.shape[2:], strides, dilation)
    letters = "hwd"[:spatial], "xyz"[:spatial]
    grouped = np.reshape(windows, (batch, groups, weight.shape[1], *windows.shape[2:]))
    kernels = np.reshape(weight, (groups, outputs // groups, *weight.shape[1:]))
    equation = f"ngi{letters[0]}{letters[1]},goi{letters[1]}->ngo{letters[0]}"
    result = np.einsum(equation, grouped, kernels)
    return np.reshape(result, (batch, outputs, *result.shape[3:]))


def _windows(data: Any, kernel: Any, strides: Any, dilation: Any) -> Any:
    axes = tuple(range(2, data.ndim))
    extents = tuple(d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True))
    every = np.lib.stride_tricks.sliding_window_view(data, extents, axis=axes)
    steps = tuple(slice(None, None, step) for step in (*strides, *dilation))
    return every[(slice(None), slice(None), *steps)]
