"""Products and convolutions of quantised tensors: sums in int32, and those quantised again."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.expr import Call, Expr
from gsl.onnx.build import call, cast, number, reshape
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.rows.convolution import convolved
from gsl.onnx.rows.windows import listed
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes


def _zero(site: Site, place: int, tensor: Expr) -> Expr:
    """Return a zero point: one number where all are known to be the same."""
    zero = site.optional(place)
    if zero is None:
        return number(0, tensor.dtype)
    known = site.known(zero)
    if known is not None and known.size and np.all(known == known.flat[0]):
        return number(known.flat[0], zero.dtype)
    return _single(zero)


def _single(parameter: Expr) -> Expr:
    """Return one number as a tensor of rank 0."""
    return reshape(parameter, ()) if parameter.shape == (1,) else parameter


def _requantised(site: Site, sums: Expr, scales: tuple[Expr, Expr], place: int) -> Expr:
    """Return sums as integers of 8 bits; the scale of the result and its zero point are operands.

    The scales broadcast to the sums. What is computed in between is float32, as in ONNX.
    """
    one, other, own = (cast(one, "float32") for one in (*scales, _single(site.operand(place))))
    factor = call("Divide", call("Multiply", one, other), own)
    real = call("Multiply", cast(sums, "float32"), factor)
    zero = _single(site.operand(place + 1))
    return call("QuantizeLinear", real, number(1, "float32"), zero, axis=0)


@reads("MatMulInteger", since=10)
def _matmul_integer(site: Site) -> Expr:
    left, right = site.operand(0), site.operand(1)
    return call("MatMulInteger", left, right, _zero(site, 2, left), _zero(site, 3, right))


@reads("QLinearMatMul", since=10)
def _quantised_matmul(site: Site) -> Expr:
    left, left_scale, right, right_scale = (site.operand(place) for place in (0, 1, 3, 4))
    sums = call("MatMulInteger", left, right, _zero(site, 2, left), _zero(site, 5, right))
    rows = _single(left_scale)
    rows = reshape(rows, (*rows.shape, 1)) if rows.shape else rows
    return _requantised(site, sums, (rows, _single(right_scale)), 6)


@reads("ConvInteger", since=10)
def _conv_integer(site: Site) -> Expr:
    data, weight = site.operand(0), site.operand(1)
    zeros = _zero(site, 2, data), _zero(site, 3, weight)
    return convolved(site, "ConvInteger", data, weight, *zeros)


@reads("QLinearConv", since=10)
def _quantised_conv(site: Site) -> Expr:
    data, data_scale, weight, weight_scale = (site.operand(place) for place in (0, 1, 3, 4))
    bias = site.optional(8)
    zeros = _zero(site, 2, data), _zero(site, 5, weight)
    sums = convolved(site, "ConvInteger", data, weight, *zeros)
    if bias is not None:
        sums = call("BiasAdd", sums, bias, axis=1)
    outputs = _single(weight_scale)
    behind = (1,) * (len(data.shape) - 2) if outputs.shape else ()
    outputs = reshape(outputs, (*outputs.shape, *behind))
    return _requantised(site, sums, (_single(data_scale), outputs), 6)


@writes("MatMulInteger")
def _write_matmul_integer(out: Emitter, written: Call, *operands: Value) -> Any:
    left, right, *zeros = operands
    wide = [out.cast(one, "int32") for one in zeros]
    if len(written.operands[2].shape):
        wide[0] = out.unsqueeze(wide[0], [1])
    pair = zip((left, right), wide, strict=True)
    shifted = [out.node("Sub", out.cast(one, "int32"), zero) for one, zero in pair]
    if any(len(one.shape) for one in written.operands[2:]):
        return out.node("MatMul", *shifted)
    return out.node("MatMulInteger", *operands)


@writes("ConvInteger1D", "ConvInteger2D", "ConvInteger3D")
def _write_conv_integer(
    out: Emitter, written: Call, data: Value, weight: Value, zero: Value, own: Value
) -> Any:
    """onnxruntime knows one zero point for all kernels: what several are worth is subtracted."""
    how = listed(written.attributes, "strides", "padding", "dilation")
    how["group"] = written.attributes["groups"]
    kernels = written.operands[1]
    if not written.operands[3].shape:
        return out.node("ConvInteger", data, weight, zero, own, **how)
    nothing, ones = (out.number(0, weight), out.filled(kernels.shape, 1, kernels.dtype))
    sums = out.node("ConvInteger", data, ones, zero, nothing, **how)
    behind = out.unsqueeze(out.cast(own, "int32"), range(1, len(written.shape) - 1))
    plain = out.node("ConvInteger", data, weight, zero, nothing, **how)
    return out.node("Sub", plain, out.node("Mul", sums, behind))
