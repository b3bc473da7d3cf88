"""Operands and attributes of what works on windows and channels: see `operands`."""

from __future__ import annotations

import numpy as np

from gslverify.adapters.onnx_graphs.leaves import Attributes, Known, array
from gslverify.networks.choices import NothingDrawnError


def _window(known: Known, spatial: int, kernel: tuple[int, ...]) -> Attributes:
    drawing = known.drawing
    made: Attributes = {"kernel_shape": kernel} if known.maybe() else {}
    padding = drawing.pick(("none", "zero", "one", "SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"))
    if padding in ("zero", "one"):
        made["pads"] = (0 if padding == "zero" else 1,) * (2 * spatial)
    elif padding != "none":
        made["auto_pad"] = padding
    if known.maybe():
        made["strides"] = (drawing.pick((1, 2)),) * spatial
    return made


def conv(known: Known) -> Attributes:
    """Filters, and maybe a bias or zero points."""
    drawing, data = known.drawing, known.value(0)
    if data.ndim < 3:
        raise NothingDrawnError("a convolution needs channels and positions")
    spatial, channels = data.ndim - 2, data.shape[1]
    kernel = (drawing.pick((1, 2)),) * spatial
    filters = drawing.axis_sizes(1)[0]
    is_transposed = known.step.operator == "ConvTranspose"
    weights = (channels, filters, *kernel) if is_transposed else (filters, channels, *kernel)
    made = _window(known, spatial, kernel)
    if known.step.operator == "ConvInteger":
        known.add(1, weights, "uint8")
        if known.maybe():
            known.constant(2, np.uint8(drawing.pick((0, 3))))
            if known.maybe():
                known.constant(3, np.uint8(drawing.pick((0, 2))))
        return made
    if known.is_free(1):
        name = known.name(1)
        drawing.leaf(name, array(drawing, weights, data.dtype.name), drawing.choices.number(3) < 3)
    if len(known.step.operands) > 2 or known.maybe():
        zeros = np.zeros((filters,), data.dtype.name)
        if known.maybe():
            known.constant(2, zeros)
        else:
            known.constant(2, array(drawing, (filters,), data.dtype.name))
    return made


def quantised_conv(known: Known) -> Attributes:
    """Filters, scales and zero points."""
    drawing, data = known.drawing, known.value(0)
    scale = np.float32(0.5)
    filters = drawing.axis_sizes(1)[0]
    kernel = (1,) * (data.ndim - 2)
    weights = array(drawing, (filters, data.shape[1], *kernel), "uint8")
    numbers = (scale, np.uint8(2), weights, scale, np.uint8(1), scale, np.uint8(0))
    for place, value in enumerate(numbers, 1):
        known.constant(place, value)
    bias = np.zeros((filters,), np.int32) + drawing.pick((0, 1))
    known.constant(8, bias.astype(np.int32))
    return {}


def pool(known: Known) -> Attributes:
    """A window and how it goes beyond the edges."""
    spatial = known.value(0).ndim - 2
    kernel = (known.drawing.pick((2, 1, 3)),) * spatial
    made = _window(known, spatial, kernel) | {"kernel_shape": kernel}
    if known.maybe():
        made["ceil_mode"] = known.drawing.pick((0, 1))
    if known.step.operator == "AveragePool" and known.maybe():
        made["count_include_pad"] = known.drawing.pick((0, 1))
    return made


def normalised(known: Known) -> Attributes:
    """Statistics and factors of channels."""
    data = known.value(0)
    if data.ndim < 2:
        raise NothingDrawnError("there are no channels")
    size = (data.shape[1],)
    for place in range(1, 5):
        numbers = array(known.drawing, size, data.dtype.name)
        known.constant(place, np.abs(numbers) + 1 if place == 4 else numbers)
    return {"epsilon": known.drawing.pick((1e-5, 0.5))} if known.maybe() else {}


def pad(known: Known) -> Attributes:
    """Widths as one list, or for named axes."""
    drawing, rank = known.drawing, known.value(0).ndim
    spatial = tuple(1 if axis >= rank - 2 else 0 for axis in range(rank))
    axes: tuple[int, ...] = ()
    options = (spatial * 2, (0,) * rank + spatial, (0,) * (2 * rank), (1,) * (2 * rank))
    pads = drawing.pick(options)
    value = drawing.pick((0, None, 1))
    if drawing.opset >= 18 and known.maybe() and rank > 1:
        axes = drawing.pick(((rank - 2, rank - 1), (-2, -1), (rank - 1, rank - 2)))
        pads = drawing.pick(((0, 1, 0, 1), (1, 1, 1, 1), (0, 0, 0, 0)))
    known.constant(1, np.array(pads, np.int64))
    if value is not None:
        known.constant(2, np.array(value, known.value(0).dtype))
    if axes:
        if value is None:
            known.names.append(None)
        known.constant(3, np.array(axes, np.int64))
    if not known.step.others:
        return {}
    return {"mode": "constant"} if known.maybe() else {}
