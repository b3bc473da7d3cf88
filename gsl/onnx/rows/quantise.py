"""Quantisation: real numbers as integers of few bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.dtypes import DTYPES
from gsl.expr import Call, Expr, Proj
from gsl.onnx.build import call, number, reshape
from gsl.onnx.emitter import Emitter, Value, dtype_of
from gsl.onnx.errors import NotWritableError, RowError
from gsl.onnx.rows.arithmetic import dtype_named, refuse_overflow
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes
from gsl.operators.quantize import FLOAT8, WORDS

FIRST_WITH_BLOCKS = 21
SINCE = {
    **dict.fromkeys(FLOAT8, 19),
    **dict.fromkeys((*WORDS, "int4", "uint4"), 21),
}
"""The first opset that quantises to a dtype, if that is none of bytes."""

NATIVE = {13: ("float32",), 19: ("float32", "float16")}
"""The dtypes of real numbers that ONNX quantises, from an opset on."""


def _parameters(site: Site, data: Expr, dtype: str) -> tuple[Expr, Expr, dict[str, Any]]:
    """Return scale and zero point of one rank, and the attributes about their axes."""
    scale, zero = site.operand(1), site.optional(2)
    axis, block = site.attribute("axis", 1), site.attribute("block_size", 0)
    if zero is None:
        zero = number(np.zeros(scale.shape), dtype)
    rank = len(data.shape)
    along = axis if -rank <= axis < rank else 0
    if scale.shape == (1,) and not block and (not rank or data.shape[along] != 1):
        scale, zero = reshape(scale, ()), reshape(zero, ())
    return scale, zero, {"axis": along, "block_size": block}


@reads("QuantizeLinear", since=10)
def _quantize(site: Site) -> Expr:
    data, kind = site.operand(0), site.attribute("output_dtype", 0)
    site.attribute("precision", 0)
    scale, zero, how = _parameters(site, data, dtype_named(kind) if kind else "uint8")
    refuse_overflow(site, zero.dtype)
    if kind and zero.dtype != dtype_named(kind):
        raise RowError("its output_dtype is not that of its zero point")
    return call("QuantizeLinear", data, scale, zero, **how)


@reads("DequantizeLinear", since=10)
def _dequantize(site: Site) -> Expr:
    data, kind = site.operand(0), site.attribute("output_dtype", 0)
    scale, zero, how = _parameters(site, data, data.dtype)
    if kind and scale.dtype != dtype_named(kind):
        raise RowError("its output_dtype is not that of its scale")
    return call("DequantizeLinear", data, scale, zero, **how)


@reads("DynamicQuantizeLinear", since=11)
def _dynamic(site: Site) -> list[Expr]:
    made = call("DynamicQuantizeLinear", site.operand())
    return [Proj(made, place) for place in range(3)]


def _is_native(out: Emitter, dtype: str, quantised: str, block: int) -> bool:
    known = NATIVE[19] if out.opset >= 19 else NATIVE[13]
    if block and (dtype not in known or out.opset < FIRST_WITH_BLOCKS):
        raise NotWritableError(f"blocks of {dtype} are not quantised in opset {out.opset}")
    return dtype in known and out.opset >= SINCE.get(quantised, 0)


def _attributes(written: Call) -> dict[str, Any]:
    attributes = written.attributes
    own = {"axis": attributes["axis"]} if len(written.operands[1].shape) else {}
    return {**own, "block_size": attributes["block_size"]} if attributes["block_size"] else own


def _spread(out: Emitter, written: Call, parameter: Value) -> Value:
    """Return a scale or zero point so that it broadcasts to the data."""
    rank, data = len(written.operands[1].shape), len(written.shape)
    if not rank:
        return parameter
    return out.unsqueeze(parameter, range(1, data - written.attributes["axis"] % data))


@writes("QuantizeLinear")
def _write_quantize(out: Emitter, written: Call, data: Value, scale: Value, zero: Value) -> Any:
    dtype, wanted = dtype_of(data), dtype_of(zero)
    if _is_native(out, dtype, wanted, written.attributes["block_size"]):
        return out.node("QuantizeLinear", data, scale, zero, **_attributes(written))
    steps = out.node("Div", data, _spread(out, written, scale))
    rounded = steps if wanted in FLOAT8 else out.node("Round", steps)
    zeros = out.cast(_spread(out, written, zero), dtype)
    shifted, limits = out.node("Add", rounded, zeros), DTYPES[wanted]
    ends = (out.number(end, data) for end in (limits.lowest, limits.largest))
    return out.cast(out.node("Clip", shifted, *ends), wanted)


@writes("DequantizeLinear")
def _write_dequantize(out: Emitter, written: Call, data: Value, scale: Value, zero: Value) -> Any:
    dtype = dtype_of(scale)
    is_native = _is_native(out, dtype, dtype_of(data), written.attributes["block_size"])
    if is_native and dtype_of(data) != "int32":  # of int32 ONNX has no zero point
        how = _attributes(written)
        return out.node("DequantizeLinear", data, scale, zero, dtype=dtype, **how)
    computed = dtype if dtype_of(data) in FLOAT8 else "int32"
    zeros = out.cast(_spread(out, written, zero), computed)
    shifted = out.node("Sub", out.cast(data, computed), zeros)
    return out.node("Mul", out.cast(shifted, dtype), _spread(out, written, scale))


@writes("DynamicQuantizeLinear")
def _write_dynamic(out: Emitter, written: Call, data: Value) -> Any:
    return out.node("DynamicQuantizeLinear", data, results=3)
