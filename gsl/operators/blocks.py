"""Operators that exchange blocks of pixels for channels, and sums over neighbouring channels."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from gsl.attr.evaluate import equal
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, total
from gsl.operators.activation import Steepness
from gsl.operators.create import scalar
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.domain import Choice
from gsl.operators.kinds import Epsilon, Number, Positive
from gsl.operators.shapes import need_rank, with_size
from gsl.types import ALL_DTYPES, FLOATING, TensorType

BlockOrder = Annotated[str, Choice(("DCR", "CRD"))]


@operator(dtypes=ALL_DTYPES)
def DepthToSpace(
    need: Need, data: Tensor, *, block_size: Positive, mode: BlockOrder = "DCR"
) -> TensorType:
    """Spread channels over blocks of pixels: [N, C b b, H, W] to [N, C, H b, W b], b `block_size`.

    With `mode` "DCR" the place in the block counts before the channel, with "CRD" behind it.
    Source: onnx.DepthToSpace.
    """
    need_rank(need, data.shape, 4, "data")
    n, c, h, w = data.shape
    need(equal(c % (block_size * block_size), 0), "blocks must divide the channels")
    return data.with_shape((n, c // (block_size * block_size), h * block_size, w * block_size))


def _spread(shape: Any, block: int, mode: str) -> tuple[tuple[int, ...], ...]:
    """Return the shape with blocks of its own, the order of these axes, and the result's shape."""
    n, c, h, w = shape
    channels = c // (block * block)
    result = n, channels, h * block, w * block
    if mode == "DCR":
        return (n, block, block, channels, h, w), (0, 3, 4, 1, 5, 2), result
    return (n, channels, block, block, h, w), (0, 1, 4, 2, 5, 3), result


@DepthToSpace.numpy
def _depth_to_space(data: Any, block_size: int, mode: str) -> Any:
    blocks, order, result = _spread(data.shape, block_size, mode)
    return np.reshape(np.transpose(np.reshape(data, blocks), order), result)


@DepthToSpace.kernel
def _depth_to_space_element(index: Index, data: Elements, block_size: Any, mode: str) -> Expression:
    n, c, y, x = index
    inner = (y % block_size) * block_size + x % block_size
    channels = data.shape[1] // (block_size * block_size)
    channel = inner * channels + c if mode == "DCR" else c * block_size * block_size + inner
    return data[n, channel, y // block_size, x // block_size]


@DepthToSpace.relax
def _relax_depth_to_space(relax: Any, data: Any, block_size: int, mode: str) -> Any:
    shape = tuple(map(int, data.ty.shape))
    blocks, order, result = _spread(shape, block_size, mode)
    return relax.reshape(relax.permute_dims(relax.reshape(data, blocks), order), result)


@operator(dtypes=ALL_DTYPES)
def SpaceToDepth(need: Need, data: Tensor, *, block_size: Positive) -> TensorType:
    """Make blocks of pixels channels: [N, C, H b, W b] to [N, b b C, H, W], b `block_size`.

    It undoes DepthToSpace of `mode` "DCR". Source: onnx.SpaceToDepth.
    """
    need_rank(need, data.shape, 4, "data")
    n, c, h, w = data.shape
    for size in (h, w):
        need(equal(size % block_size, 0), "blocks must divide height and width")
    return data.with_shape((n, c * block_size * block_size, h // block_size, w // block_size))


def _gathered(shape: Any, block: int) -> tuple[tuple[int, ...], ...]:
    n, c, h, w = shape
    result = n, c * block * block, h // block, w // block
    return (n, c, h // block, block, w // block, block), (0, 3, 5, 1, 2, 4), result


@SpaceToDepth.numpy
def _space_to_depth(data: Any, block_size: int) -> Any:
    blocks, order, result = _gathered(data.shape, block_size)
    return np.reshape(np.transpose(np.reshape(data, blocks), order), result)


@SpaceToDepth.kernel
def _space_to_depth_element(index: Index, data: Elements, block_size: Any) -> Expression:
    n, channel, y, x = index
    channels = data.shape[1]
    inner, c = channel // channels, channel % channels
    below, right = inner // block_size, inner % block_size
    return data[n, c, y * block_size + below, x * block_size + right]


@SpaceToDepth.relax
def _relax_space_to_depth(relax: Any, data: Any, block_size: int) -> Any:
    blocks, order, result = _gathered(tuple(map(int, data.ty.shape)), block_size)
    return relax.reshape(relax.permute_dims(relax.reshape(data, blocks), order), result)


@operator(dtypes=FLOATING)
def LRN(
    need: Need,
    data: Tensor,
    *,
    size: Positive,
    alpha: Epsilon = 0.0001,
    beta: Number = 0.75,
    bias: Steepness = 1.0,
) -> TensorType:
    """Divide by (bias + alpha / size * sum of squares) ** beta, the local response normalisation.

    The sum is over `size` channels (axis 1) around each, of which (size - 1) // 2 lie before it;
    channels that do not exist count as 0. Source: onnx.LRN.
    """
    need(data.ndim >= 2, "`data` must have batches and channels")
    return data


@LRN.numpy
def _lrn(data: Any, size: int, alpha: float, beta: float, bias: float) -> Any:
    before, channels = (size - 1) // 2, data.shape[1]
    # One window more than there are channels, as there may be none.
    sides = [(before, size - before) if axis == 1 else (0, 0) for axis in range(data.ndim)]
    squares = np.pad(np.square(data), sides)
    windows = np.lib.stride_tricks.sliding_window_view(squares, size, axis=1)[:, :channels]
    return data / np.power(bias + np.sum(windows, axis=-1) * (alpha / size), beta)


@LRN.kernel
def _lrn_element(
    index: Index, data: Elements, size: Any, alpha: Any, beta: Any, bias: Any
) -> Expression:
    first = index[1] - (size - 1) // 2

    def square(place: Any) -> Expression:
        value = data.padded(with_size(index, 1, first + place))
        return value * value

    return data[index] / apply("pow", bias + total([size], square) * (alpha / size), beta)


@LRN.relax
def _relax_lrn(relax: Any, data: Any, size: int, alpha: float, beta: float, bias: float) -> Any:
    dtype, channels, before = str(data.ty.dtype), int(data.ty.shape[1]), (size - 1) // 2
    squares = relax.square(data)
    after = size - 1 - before
    # The sum over a window is that of all up to its end without that of all before it; it is
    # written as a sum of shifted tensors because differences would cancel.
    width = [0, 0, before, after, *[0, 0] * (data.ty.ndim - 2)]
    padded = relax.nn.pad(squares, width)
    sums = relax.strided_slice(padded, [1], [0], [channels])
    for start in range(1, size):
        sums = relax.add(sums, relax.strided_slice(padded, [1], [start], [start + channels]))
    factor, shift, power = (scalar(relax, value, dtype) for value in (alpha / size, bias, beta))
    scaled = relax.add(relax.multiply(sums, factor), shift)
    return relax.divide(data, relax.power(scaled, power))
