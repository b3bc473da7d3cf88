"""Normalisations by mean and variance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsl.expr import Call, Expr
from gsl.onnx.build import broadcast, call, first, number
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.errors import RowError
from gsl.onnx.rows.direct import alike
from gsl.onnx.site import REQUIRED, Site
from gsl.onnx.table import reads, writes


@reads("BatchNormalization", since=7)
def _batch_norm(site: Site) -> Expr:
    site.attribute("momentum", 0.9)
    if site.attribute("training_mode", 0) or not site.attribute("spatial", 1):
        raise RowError("it normalises by the statistics of the batch, or of each pixel")
    return first("BatchNorm", *site.operands(), axis=1, epsilon=site.attribute("epsilon", 1e-5))


def _trailing(site: Site, data: Expr) -> tuple[int, ...]:
    rank = len(data.shape)
    return tuple(range(site.attribute("axis", -1) % rank, rank))


@reads("LayerNormalization")
def _layer_norm(site: Site) -> Expr:
    data, bias = site.operand(0), site.optional(2)
    site.attribute("stash_type", 1)  # the dtype of statistics, which references take as it comes
    axes = _trailing(site, data)
    sizes = data.shape[axes[0] :]
    gamma = broadcast(site.operand(1), sizes)
    centred = bias is not None
    beta = gamma if bias is None else broadcast(bias, sizes)
    epsilon = site.attribute("epsilon", 1e-5)
    return call("LayerNorm", data, gamma, beta, axes=axes, epsilon=epsilon, center=centred)


@reads("RMSNormalization")
def _rms_norm(site: Site) -> Expr:
    data = site.operand(0)
    site.attribute("stash_type", 1)
    axes = _trailing(site, data)
    weight = broadcast(site.operand(1), data.shape[axes[0] :])
    return call("RmsNorm", data, weight, axes=axes, epsilon=site.attribute("epsilon", 1e-5))


@reads("InstanceNormalization")
def _instance_norm(site: Site) -> Expr:
    data, gamma, beta = site.operands()
    axes = tuple(range(2, len(data.shape)))
    epsilon = site.attribute("epsilon", 1e-5)
    return call("InstanceNorm", data, gamma, beta, channel_axis=1, axes=axes, epsilon=epsilon)


@reads("GroupNormalization", since=21)
def _group_norm(site: Site) -> Expr:
    return _grouped(site, 1)


@reads("GroupNormalization", since=18)
def _old_group_norm(site: Site) -> Expr:
    return _grouped(site, site.operand().shape[1] // site.attribute("num_groups"))


def _grouped(site: Site, repeats: int) -> Expr:
    data, *vectors = site.operands()
    site.attribute("stash_type", 1)
    if repeats > 1:
        vectors = [call("Repeat", vector, repeats=repeats, axis=0) for vector in vectors]
    return call(
        "GroupNorm",
        data,
        *vectors,
        num_groups=site.attribute("num_groups"),
        channel_axis=1,
        axes=tuple(range(2, len(data.shape))),
        epsilon=site.attribute("epsilon", 1e-5),
    )


@reads("LpNormalization")
def _lp_norm(site: Site) -> Expr:
    data, axis = site.operand(), site.attribute("axis", -1)
    how = {"axis": (axis,), "keepdims": True}
    if site.attribute("p", 2) == 1:
        norm = call("Sum", call("Abs", data), **how)
    else:
        norm = call("Sqrt", call("Sum", call("Square", data), **how))
    zero = number(0, data.dtype)
    safe = call("Where", call("Equal", norm, zero), number(1, data.dtype), norm)
    return call("Divide", data, safe)


alike("LRN", "LRN", size=REQUIRED, alpha=1e-4, beta=0.75, bias=1.0)


@reads("MeanVarianceNormalization", since=9)
def _mean_variance(site: Site) -> Expr:
    data, axes = site.operand(), tuple(site.attribute("axes", (0, 2, 3)))
    mean = call("Mean", data, axis=axes, keepdims=True)
    variance = call("Variance", data, axis=axes, keepdims=True)
    spread = call("Add", call("Sqrt", variance), number(1e-9, data.dtype))
    return call("Divide", call("Subtract", data, mean), spread)


@writes("BatchNorm")
def _write_batch_norm(out: Emitter, written: Call, data: Value, *vectors: Value) -> list[Value]:
    attributes, rank = written.attributes, len(written.operands[0].shape)
    gamma, beta, mean, variance = vectors
    axis = attributes["axis"] % rank
    if rank < 2:
        spread = _root(out, variance, attributes["epsilon"])
        result = out.node("Div", out.node("Sub", data, mean), spread)
        return [_affine(out, written, result, gamma, beta), mean, variance]
    order = [0 if axis else 1, axis, *(a for a in range(1 if axis else 2, rank) if a != axis)]
    vector = written.operands[1]
    scale = gamma if attributes["scale"] else out.filled(vector.shape, 1, vector.dtype)
    shift = beta if attributes["center"] else out.filled(vector.shape, 0, vector.dtype)
    made = out.node(
        "BatchNormalization",
        out.transpose(data, order),
        scale,
        shift,
        mean,
        variance,
        epsilon=attributes["epsilon"],
    )
    return [out.transpose(made, [order.index(a) for a in range(rank)]), mean, variance]


def _affine(
    out: Emitter, written: Call, data: Value, gamma: Value, beta: Value, axes: Sequence[int] = ()
) -> Any:
    """Scale and shift by tensors that lack some axes."""
    if written.attributes.get("scale", True):
        data = out.node("Mul", data, out.unsqueeze(gamma, axes))
    if written.attributes.get("center", True):
        data = out.node("Add", data, out.unsqueeze(beta, axes))
    return data


def _standardised(out: Emitter, data: Value, axes: Sequence[int], epsilon: float) -> Any:
    deviation = out.node("Sub", data, out.reduce("ReduceMean", data, axes, True))
    square = out.node("Mul", deviation, deviation)
    variance = out.reduce("ReduceMean", square, axes, True)
    return out.node("Div", deviation, _root(out, variance, epsilon))


def _root(out: Emitter, variance: Value, epsilon: float) -> Any:
    return out.node("Sqrt", out.node("Add", variance, out.number(epsilon, variance)))


def _others(written: Call, axes: Sequence[int]) -> list[int]:
    rank = len(written.shape)
    return [axis for axis in range(rank) if axis not in {a % rank for a in axes}]


def _is_trailing(written: Call) -> bool:
    rank = len(written.shape)
    counted = [axis % rank for axis in written.attributes["axes"]]
    return counted == list(range(rank - len(counted), rank))


@writes("LayerNorm")
def _write_plain_layer_norm(
    out: Emitter, written: Call, data: Value, gamma: Value, beta: Value
) -> Any:
    axes = written.attributes["axes"]
    result = _standardised(out, data, axes, written.attributes["epsilon"])
    return _affine(out, written, result, gamma, beta, _others(written, axes))


@writes("LayerNorm", since=17)
def _write_layer_norm(out: Emitter, written: Call, data: Value, gamma: Value, beta: Value) -> Any:
    attributes = written.attributes
    if not _is_trailing(written) or not attributes["scale"]:
        return _write_plain_layer_norm(out, written, data, gamma, beta)
    bias = (beta,) if attributes["center"] else ()
    axis = len(written.shape) - len(attributes["axes"])
    return out.node(
        "LayerNormalization", data, gamma, *bias, axis=axis, epsilon=attributes["epsilon"]
    )


@writes("RmsNorm")
def _write_plain_rms_norm(out: Emitter, written: Call, data: Value, weight: Value) -> Any:
    axes = written.attributes["axes"]
    square = out.reduce("ReduceMean", out.node("Mul", data, data), axes, True)
    result = out.node("Div", data, _root(out, square, written.attributes["epsilon"]))
    return out.node("Mul", result, out.unsqueeze(weight, _others(written, axes)))


@writes("RmsNorm", since=23)
def _write_rms_norm(out: Emitter, written: Call, data: Value, weight: Value) -> Any:
    attributes = written.attributes
    if not _is_trailing(written):
        return _write_plain_rms_norm(out, written, data, weight)
    axis = len(written.shape) - len(attributes["axes"])
    return out.node("RMSNormalization", data, weight, axis=axis, epsilon=attributes["epsilon"])


@writes("GroupNorm")
def _write_group_norm(out: Emitter, written: Call, data: Value, gamma: Value, beta: Value) -> Any:
    attributes, shape = written.attributes, written.shape
    rank, groups = len(shape), attributes["num_groups"]
    channel = attributes["channel_axis"] % rank
    split = (*shape[:channel], groups, shape[channel] // groups, *shape[channel + 1 :])
    counted = (axis % rank for axis in attributes["axes"])
    axes = [channel + 1, *(axis + 1 if axis > channel else axis for axis in counted)]
    grouped = out.reshape(data, split)
    result = out.reshape(_standardised(out, grouped, axes, attributes["epsilon"]), shape)
    return _affine(out, written, result, gamma, beta, _others(written, [channel]))


def _covers_pixels(written: Call) -> bool:
    rank = len(written.shape)
    counted = sorted(axis % rank for axis in written.attributes["axes"])
    return (
        rank > 2
        and written.attributes["channel_axis"] % rank == 1
        and counted == list(range(2, rank))
        and written.attributes["scale"]
        and written.attributes["center"]
    )


@writes("InstanceNorm")
def _write_instance_norm(
    out: Emitter, written: Call, data: Value, gamma: Value, beta: Value
) -> Any:
    attributes = written.attributes
    if _covers_pixels(written):
        how = {"epsilon": attributes["epsilon"]}
        return out.node("InstanceNormalization", data, gamma, beta, **how)
    plain = _standardised(out, data, attributes["axes"], attributes["epsilon"])
    others = _others(written, [attributes["channel_axis"]])
    return _affine(out, written, plain, gamma, beta, others)


@writes("GroupNorm", since=21)
def _write_new_group_norm(
    out: Emitter, written: Call, data: Value, gamma: Value, beta: Value
) -> Any:
    attributes = written.attributes
    if not _covers_pixels(written):
        return _write_group_norm(out, written, data, gamma, beta)
    if written.dtype == "float64":  # ONNX takes the statistics in single precision
        return _write_group_norm(out, written, data, gamma, beta)
    how = {"epsilon": attributes["epsilon"], "num_groups": attributes["num_groups"]}
    return out.node("GroupNormalization", data, gamma, beta, **how)
