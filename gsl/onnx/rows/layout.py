"""Operators that move elements without computing with them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from gsl.expr import Call, Expr
from gsl.onnx.build import call, expand, reshape, squeeze, transpose
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.errors import NotReadableError, RowError
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes

FARTHEST = 2**63 - 1
"""The position that ONNX takes for the end of every axis."""


@reads("Identity")
def _identity(site: Site) -> Expr:
    return site.operand()


@reads("Dropout")
def _dropout(site: Site) -> Expr | Sequence[Expr]:
    data = site.operand()
    site.attribute("seed", 0)
    site.attribute("ratio", 0.5)
    ratio, mode = site.optional(1), site.optional_constant(2)
    if mode is not None and bool(mode) and (ratio is None or site.constant(1)):
        raise NotReadableError("it draws random numbers; export the model for inference")
    return data, call("Ones", shape=data.shape, dtype="bool")


@reads("Reshape")
def _reshape(site: Site) -> Expr:
    data = site.operand()
    wanted = site.attribute("shape", None) if site.opset < 5 else site.integers(1)
    assert wanted is not None
    if not site.attribute("allowzero", 0):
        wanted = [data.shape[place] if size == 0 else size for place, size in enumerate(wanted)]
    if -1 in wanted:
        rest = prod(size for size in wanted if size != -1)
        whole = prod(data.shape)
        if not rest:
            raise RowError("a size of an empty tensor cannot be told from the others")
        wanted = [whole // rest if size == -1 else size for size in wanted]
    return reshape(data, wanted)


@reads("Flatten")
def _flatten(site: Site) -> Expr:
    data, axis = site.operand(), site.attribute("axis", 1)
    cut = axis if axis >= 0 else axis + len(data.shape)
    return reshape(data, (prod(data.shape[:cut]), prod(data.shape[cut:])))


@reads("Transpose")
def _transpose(site: Site) -> Expr:
    data = site.operand()
    return transpose(data, site.attribute("perm", range(len(data.shape))[::-1]))


@reads("Unsqueeze")
def _unsqueeze(site: Site) -> Expr:
    data, axes = site.operand(), site.axes(1, 13)
    if axes is None:
        raise RowError("it has no axes")
    rank = len(data.shape) + len(axes)
    return expand(data, sorted(axis % rank for axis in axes))


@reads("Squeeze")
def _squeeze(site: Site) -> Expr:
    data, axes = site.operand(), site.axes(1, 13)
    if axes is None:
        axes = [axis for axis, size in enumerate(data.shape) if size == 1]
    return squeeze(data, sorted(axis % len(data.shape) for axis in axes))


@reads("DepthToSpace")
def _depth_to_space(site: Site) -> Expr:
    block, mode = site.attribute("blocksize"), site.attribute("mode", "DCR")
    return call("DepthToSpace", site.operand(), block_size=block, mode=mode)


@reads("SpaceToDepth")
def _space_to_depth(site: Site) -> Expr:
    data, block = site.operand(), site.attribute("blocksize")
    if site.attribute("mode", "DCR") == "DCR":
        return call("SpaceToDepth", data, block_size=block)
    n, c, h, w = data.shape
    moved = reshape(data, (n, c, h // block, block, w // block, block))
    apart = transpose(moved, (0, 1, 3, 5, 2, 4))
    return reshape(apart, (n, c * block * block, h // block, w // block))


@writes("DepthToSpace")
def _write_depth_to_space(out: Emitter, written: Call, data: Value) -> Any:
    block, mode = written.attributes["block_size"], written.attributes["mode"]
    return out.node("DepthToSpace", data, blocksize=block, mode=mode)


@writes("SpaceToDepth")
def _write_space_to_depth(out: Emitter, written: Call, data: Value) -> Any:
    return out.node("SpaceToDepth", data, blocksize=written.attributes["block_size"])


@writes("BroadcastInDim")
def _broadcast_in_dim(out: Emitter, written: Call, data: Value) -> Any:
    shape, axes = written.attributes["shape"], written.attributes["axes"]
    if 0 in shape:
        return out.filled(shape, 0, written.dtype)
    order = sorted(range(len(axes)), key=axes.__getitem__)
    sizes = dict(zip(axes, written.operands[0].shape, strict=True))
    moved = out.reshape(out.transpose(data, order), [sizes.get(a, 1) for a in range(len(shape))])
    return out.node("Expand", moved, out.integers(shape))


@writes("Reshape")
def _write_reshape(out: Emitter, written: Call, data: Value) -> Value:
    return out.reshape(data, written.shape)


@writes("Flatten")
def _write_flatten(out: Emitter, written: Call, data: Value) -> Value:
    return out.reshape(data, written.shape)


@writes("Transpose")
def _write_transpose(out: Emitter, written: Call, data: Value) -> Value:
    rank = len(written.shape)
    return out.transpose(data, [axis % rank for axis in written.attributes["axes"]])


@writes("ExpandDims")
def _write_expand_dims(out: Emitter, written: Call, data: Value) -> Value:
    return out.unsqueeze(data, written.attributes["axis"])


@writes("Squeeze")
def _write_squeeze(out: Emitter, written: Call, data: Value) -> Any:
    axes = written.attributes["axis"]
    return out.node("Squeeze", data, out.integers(axes)) if axes else data


@writes("Flip")
def _write_flip(out: Emitter, written: Call, data: Value) -> Value:
    axis = written.attributes["axis"]
    return out.slice(data, axis, -1, -FARTHEST, -1)
