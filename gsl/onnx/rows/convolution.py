"""Convolutions and their transposes."""

from __future__ import annotations

from typing import Any

from gsl.expr import Call, Expr
from gsl.onnx.build import call
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.errors import RowError
from gsl.onnx.rows.windows import inverse, listed, padding, per_axis, to_channels_first
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes


def _check_kernel(site: Site, kernel: tuple[int, ...]) -> None:
    declared = site.attribute("kernel_shape", None)
    if declared is not None and tuple(declared) != kernel:
        raise RowError(f"its kernel_shape {tuple(declared)} is not that of its weight, {kernel}")


def _biased(site: Site, result: Expr) -> Expr:
    bias = site.optional(2)
    return result if bias is None else call("BiasAdd", result, bias, axis=1)


def convolved(site: Site, name: str, data: Expr, weight: Expr, *more: Expr) -> Expr:
    """Return the call of a convolution for as many axes as there are, with attributes of a node.

    Raises RowError where these do not go together.
    """
    sizes, kernel = data.shape[2:], weight.shape[2:]
    _check_kernel(site, kernel)
    strides, dilations = (per_axis(site, one, len(sizes)) for one in ("strides", "dilations"))
    return call(
        f"{name}{len(sizes)}D",
        data,
        weight,
        *more,
        strides=strides,
        padding=padding(site, sizes, kernel, strides, dilations),
        dilation=dilations,
        groups=site.attribute("group", 1),
    )


@reads("Conv")
def _conv(site: Site) -> Expr:
    return _biased(site, convolved(site, "Conv", site.operand(0), site.operand(1)))


@reads("ConvTranspose")
def _conv_transpose(site: Site) -> Expr:
    data, weight = site.operand(0), site.operand(1)
    sizes, kernel = data.shape[2:], weight.shape[2:]
    _check_kernel(site, kernel)
    count = len(sizes)
    strides, dilations = (per_axis(site, name, count) for name in ("strides", "dilations"))
    extra = tuple(site.attribute("output_padding", None) or (0,) * count)
    full = [
        (size - 1) * stride + dilation * (extent - 1) + 1 + more
        for size, extent, stride, dilation, more in zip(
            sizes, kernel, strides, dilations, extra, strict=True
        )
    ]
    result = call(
        f"Conv{count}DTranspose",
        data,
        weight,
        strides=strides,
        padding=_shortened(site, sizes, strides, full),
        output_padding=extra,
        dilation=dilations,
        groups=site.attribute("group", 1),
    )
    return _biased(site, result)


def _shortened(
    site: Site, sizes: tuple[int, ...], strides: tuple[int, ...], full: list[int]
) -> tuple[int, ...]:
    """Return how much of a transposed convolution is cut off: begins, then ends."""
    mode, wanted = site.attribute("auto_pad", "NOTSET"), site.attribute("output_shape", None)
    given = tuple(site.attribute("pads", None) or (0,) * (2 * len(sizes)))
    if wanted is None and not mode.startswith("SAME"):
        return given if mode == "NOTSET" else (0,) * len(given)
    if wanted is None:
        wanted = [size * stride for size, stride in zip(sizes, strides, strict=True)]
    begins, ends = [], []
    for size, asked in zip(full, list(wanted)[-len(sizes) :], strict=True):
        total = size - asked
        half = total // 2 if mode == "SAME_UPPER" else total - total // 2
        begins.append(half)
        ends.append(total - half)
    return (*begins, *ends)


@writes("Conv1D", "Conv2D", "Conv3D")
def _write_conv(out: Emitter, written: Call, data: Value, weight: Value, *bias: Value) -> Any:
    attributes = written.attributes
    layout, dtype = attributes["data_layout"], attributes["out_dtype"]
    spatial = layout.replace("N", "").replace("C", "")
    kernel = [attributes["kernel_layout"].index(letter) for letter in f"OI{spatial}"]
    order = to_channels_first(layout)
    made = out.node(
        "Conv",
        out.transpose(out.cast(data, dtype), order),
        out.transpose(out.cast(weight, dtype), kernel),
        *bias,
        group=attributes["groups"],
        **listed(attributes, "strides", "padding", "dilation"),
    )
    return out.transpose(made, inverse(order))


@writes("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose")
def _write_conv_transpose(
    out: Emitter, written: Call, data: Value, weight: Value, *bias: Value
) -> Any:
    attributes = written.attributes
    order, dtype = to_channels_first(attributes["data_layout"]), attributes["out_dtype"]
    made = out.node(
        "ConvTranspose",
        out.transpose(out.cast(data, dtype), order),
        out.cast(weight, dtype),
        *bias,
        group=attributes["groups"],
        **listed(attributes, "strides", "padding", "dilation", "output_padding"),
    )
    return out.transpose(made, inverse(order))
