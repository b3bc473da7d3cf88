"""Pooling: one number for each window of an image or signal."""

from __future__ import annotations

from typing import Any

from gsl.expr import Call, Expr
from gsl.onnx.build import call
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.rows.windows import inverse, listed, padding, per_axis, to_channels_first
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes
from gsl.operators.adaptive_pool import averages


def _windows(site: Site, data: Expr) -> dict[str, Any]:
    sizes = data.shape[2:]
    extents = tuple(int(one) for one in site.attribute("kernel_shape"))
    strides, dilations = (per_axis(site, name, len(sizes)) for name in ("strides", "dilations"))
    return {
        "pool_size": extents,
        "strides": strides,
        "dilation": dilations,
        "padding": padding(site, sizes, extents, strides, dilations),
        "ceil_mode": bool(site.attribute("ceil_mode", 0)),
    }


@reads("MaxPool")
def _max_pool(site: Site) -> Expr:
    data = site.operand()
    site.attribute("storage_order", 0)  # about the second result alone
    return call(f"MaxPool{len(data.shape) - 2}D", data, **_windows(site, data))


@reads("AveragePool")
def _average_pool(site: Site) -> Expr:
    data = site.operand()
    counted = bool(site.attribute("count_include_pad", 0))
    name = f"AvgPool{len(data.shape) - 2}D"
    return call(name, data, count_include_pad=counted, **_windows(site, data))


@reads("GlobalAveragePool")
def _global_average(site: Site) -> Expr:
    data = site.operand()
    if len(data.shape) == 4:
        return call("GlobalAvgPool2D", data)
    return call("Mean", data, axis=tuple(range(2, len(data.shape))), keepdims=True)


@reads("GlobalMaxPool")
def _global_max(site: Site) -> Expr:
    data = site.operand()
    return call("Max", data, axis=tuple(range(2, len(data.shape))), keepdims=True)


@writes("MaxPool1D", "MaxPool2D", "MaxPool3D")
def _write_max_pool(out: Emitter, written: Call, data: Value) -> Value:
    return _pooled(out, written, "MaxPool", data, **listed(written.attributes, "dilation"))


@writes("AvgPool1D", "AvgPool2D", "AvgPool3D")
def _write_old_average_pool(out: Emitter, written: Call, data: Value) -> Value:
    counted = int(written.attributes["count_include_pad"])
    return _pooled(out, written, "AveragePool", data, count_include_pad=counted)


@writes("AvgPool1D", "AvgPool2D", "AvgPool3D", since=19)
def _write_average_pool(out: Emitter, written: Call, data: Value) -> Value:
    counted = int(written.attributes["count_include_pad"])
    dilated = listed(written.attributes, "dilation")
    return _pooled(out, written, "AveragePool", data, count_include_pad=counted, **dilated)


@writes("GlobalAvgPool2D")
def _write_global_average(out: Emitter, written: Call, data: Value) -> Value:
    order = to_channels_first(written.attributes["layout"])
    made = out.node("GlobalAveragePool", out.transpose(data, order))
    return out.transpose(made, inverse(order))


@writes("AdaptiveAvgPool2D")
def _write_adaptive_average(out: Emitter, written: Call, data: Value) -> Value:
    """Windows that do not overlap are those of a pool; others are products with averages."""
    order = to_channels_first(written.attributes["layout"])
    counts, shape = written.attributes["output_size"], written.operands[0].shape
    sizes = [shape[axis] for axis in order[2:]]
    moved = out.transpose(data, order)
    if all(size % count == 0 for size, count in zip(sizes, counts, strict=True)):
        windows = [size // count for size, count in zip(sizes, counts, strict=True)]
        made = out.node("AveragePool", moved, kernel_shape=windows, strides=windows)
    else:
        rows, columns = (averages(*axis) for axis in zip(sizes, counts, strict=True))
        across = out.node("MatMul", moved, out.constant(columns.T.astype(written.dtype)))
        made = out.node("MatMul", out.constant(rows.astype(written.dtype)), across)
    return out.transpose(made, inverse(order))


def _pooled(out: Emitter, written: Call, name: str, data: Value, **more: Any) -> Value:
    attributes = written.attributes
    order = to_channels_first(attributes["layout"])
    how = listed(attributes, "pool_size", "strides", "padding")
    made = out.node(
        name, out.transpose(data, order), ceil_mode=int(attributes["ceil_mode"]), **how, **more
    )
    return out.transpose(made, inverse(order))
