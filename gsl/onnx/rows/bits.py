"""Operators on the bits of integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.expr import Call, Expr
from gsl.onnx.build import call
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.rows.arithmetic import floored_quotient, is_signed
from gsl.onnx.rows.direct import alike
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes

for _name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"):
    alike(_name, _name, since=18)

FARTHEST = 62
"""The largest power of two that a signed integer of 64 bits holds."""


@reads("BitShift")
def _bit_shift(site: Site) -> Expr:
    is_left = site.attribute("direction") == "LEFT"
    return call("LeftShift" if is_left else "RightShift", *site.operands())


def _power_of_two(out: Emitter, exponent: Value) -> Any:
    powers = out.constant(np.left_shift(np.int64(1), np.arange(FARTHEST + 1)))
    return out.node("Gather", powers, exponent)


def _in_two(out: Emitter, count: Value) -> list[Value]:
    """Return two numbers of bits whose powers of two can be had, which make up another one."""
    limit = out.constant(np.int64(FARTHEST))
    most = out.node("Min", count, limit)
    return [most, out.node("Min", out.node("Sub", count, most), limit)]


@writes("LeftShift")
def _left_shift(out: Emitter, written: Call, data: Value, count: Value) -> Any:
    if not is_signed(written.dtype):
        return out.node("BitShift", data, count, direction="LEFT")
    # ONNX shifts what has no sign only.
    result = out.cast(data, "int64")
    for bits in _in_two(out, out.cast(count, "int64")):
        result = out.node("Mul", result, _power_of_two(out, bits))
    return out.cast(result, written.dtype)


@writes("RightShift")
def _right_shift(out: Emitter, written: Call, data: Value, count: Value) -> Any:
    if not is_signed(written.dtype):
        return out.node("BitShift", data, count, direction="RIGHT")
    result = out.cast(data, "int64")
    for bits in _in_two(out, out.cast(count, "int64")):
        result = floored_quotient(out, result, _power_of_two(out, bits))
    return out.cast(result, written.dtype)
