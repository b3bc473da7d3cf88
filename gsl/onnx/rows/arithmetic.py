"""Arithmetic and elementary functions."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
import onnx_ir as ir

from gsl.expr import Call, Const, Expr
from gsl.numpy_dtypes import kind_of
from gsl.onnx.build import call, cast, number
from gsl.onnx.emitter import Emitter, Value, dtype_of
from gsl.onnx.errors import RowError
from gsl.onnx.inputs import KNOWN
from gsl.onnx.rows.direct import alike
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes
from gsl.types import FLOATING, SATURATING

MOST_FACTORS = 64
"""Up to this exponent an integer power is a product."""

alike("Add", "Add", given=Site.summands)
alike("Subtract", "Sub", given=Site.summands)
alike("Multiply", "Mul", given=Site.factors)

for _name, _onnx_name in {
    "Abs": "Abs",
    "Negative": "Neg",
    "Sign": "Sign",
    "Sqrt": "Sqrt",
    "Exp": "Exp",
    "Log": "Log",
    "Sin": "Sin",
    "Cos": "Cos",
    "Tanh": "Tanh",
    "Erf": "Erf",
    "Floor": "Floor",
    "Ceil": "Ceil",
    "Round": "Round",
    "Tan": "Tan",
    "Asin": "Asin",
    "Acos": "Acos",
    "Atan": "Atan",
    "Sinh": "Sinh",
    "Cosh": "Cosh",
    "Asinh": "Asinh",
    "Acosh": "Acosh",
    "Atanh": "Atanh",
}.items():
    alike(_name, _onnx_name)


def is_signed(dtype: str) -> bool:
    """Tell whether a dtype has negative integers."""
    return kind_of(np.dtype(dtype)) == "i"


@reads("Div")
def _div(site: Site) -> Expr:
    left, right = site.factors()
    return call("Divide" if left.dtype in FLOATING else "TruncDivide", left, right)


@reads("Mod")
def _mod(site: Site) -> Expr:
    return call("Remainder" if site.attribute("fmod", 0) else "Mod", *site.operands())


@reads("Pow")
def _pow(site: Site) -> Expr:
    base, exponent = site.factors()
    if base.dtype in FLOATING:
        known = site.known(exponent) if isinstance(exponent, Const) else None
        same = cast(exponent, base.dtype) if known is None else number(known, base.dtype)
        return call("Power", base, same)
    known = site.known(exponent)
    if known is None or known.ndim or not (1 <= known <= MOST_FACTORS) or known != int(known):
        raise RowError("powers of integers are read for one known exponent from 1 on")
    factors: list[Expr] = [base] * int(known)
    return reduce(lambda product, factor: call("Multiply", product, factor), factors)


@reads("Reciprocal")
def _reciprocal(site: Site) -> Expr:
    data = site.operand()
    if isinstance(data, Call) and data.operator.name == "Sqrt":
        return call("Rsqrt", *data.operands)
    return call("Divide", number(1, data.dtype), data)


@reads("Max")
def _max(site: Site) -> Expr:
    return reduce(lambda left, right: call("Maximum", left, right), site.operands())


@reads("Min")
def _min(site: Site) -> Expr:
    return reduce(lambda left, right: call("Minimum", left, right), site.operands())


@reads("Sum")
def _sum(site: Site) -> Expr:
    return reduce(lambda left, right: call("Add", left, right), site.operands())


@reads("Mean")
def _mean(site: Site) -> Expr:
    total = reduce(lambda left, right: call("Add", left, right), site.operands())
    return call("Divide", total, number(len(site), total.dtype))


@reads("Cast")
def _cast(site: Site) -> Expr:
    site.attribute("round_mode", "up")
    wanted = dtype_named(site.attribute("to"))
    refuse_overflow(site, wanted)
    return cast(site.operand(), wanted)


@reads("CastLike")
def _cast_like(site: Site) -> Expr:
    site.attribute("round_mode", "up")
    data, like = site.operands()
    refuse_overflow(site, like.dtype)
    return cast(data, like.dtype)


def refuse_overflow(site: Site, dtype: str) -> None:
    """Refuse conversions in which too large a number becomes an infinity or NaN."""
    if not site.attribute("saturate", 1) and dtype in SATURATING:
        raise RowError(f"what is too large for {dtype} is to become no number")


def dtype_named(kind: int) -> str:
    """Return the NumPy name of an element type of ONNX; raise RowError for texts and the like."""
    known = ir.DataType(kind)
    if known not in KNOWN:
        raise RowError(f"GSL has no elements of {known.name}")
    return KNOWN[known]


@writes("Divide")
def _divide(out: Emitter, written: Call, left: Value, right: Value) -> Value:
    result: Value = out.node("Div", left, right)
    return result


@writes("Maximum")
def _maximum(out: Emitter, written: Call, left: Value, right: Value) -> Value:
    result: Value = out.node("Max", left, right)
    return result


@writes("Minimum")
def _minimum(out: Emitter, written: Call, left: Value, right: Value) -> Value:
    result: Value = out.node("Min", left, right)
    return result


@writes("Power")
def _power(out: Emitter, written: Call, left: Value, right: Value) -> Value:
    result: Value = out.node("Pow", left, right)
    return result


@writes("Square")
def _square(out: Emitter, written: Call, data: Value) -> Value:
    result: Value = out.node("Mul", data, data)
    return result


@writes("Rsqrt")
def _rsqrt(out: Emitter, written: Call, data: Value) -> Value:
    result: Value = out.node("Reciprocal", out.node("Sqrt", data))
    return result


@writes("Cast")
def _write_cast(out: Emitter, written: Call, data: Value) -> Value:
    return out.cast(data, written.attributes["dtype"])


@writes("FloorDivide")
def _floor_divide(out: Emitter, written: Call, left: Value, right: Value) -> Any:
    return floored_quotient(out, left, right)


def floored_quotient(out: Emitter, left: Value, right: Value) -> Any:
    """Return the quotient of two values rounded down."""
    dtype = dtype_of(left)
    quotient = out.node("Div", left, right)
    if dtype in FLOATING:
        return out.node("Floor", quotient)
    if not is_signed(dtype):
        return quotient
    rest = out.node("Sub", left, out.node("Mul", quotient, right))
    zero = out.number(0, left)
    differ = out.node("Xor", out.node("Less", rest, zero), out.node("Less", right, zero))
    inexact = out.node("Not", out.node("Equal", rest, zero))
    return out.node("Sub", quotient, out.cast(out.node("And", inexact, differ), dtype))


@writes("Mod")
def _write_mod(out: Emitter, written: Call, left: Value, right: Value) -> Any:
    if dtype_of(left) not in FLOATING:
        return out.node("Mod", left, right)
    quotient = out.node("Floor", out.node("Div", left, right))
    return out.node("Sub", left, out.node("Mul", right, quotient))


def _truncated(out: Emitter, data: Value) -> Any:
    below = out.node("Less", data, out.number(0, data))
    return out.node("Where", below, out.node("Ceil", data), out.node("Floor", data))


@writes("Trunc")
def _trunc(out: Emitter, written: Call, data: Value) -> Any:
    return _truncated(out, data)


@writes("TruncDivide")
def _trunc_divide(out: Emitter, written: Call, left: Value, right: Value) -> Any:
    quotient = out.node("Div", left, right)
    return _truncated(out, quotient) if dtype_of(left) in FLOATING else quotient


@writes("Remainder")
def _remainder(out: Emitter, written: Call, left: Value, right: Value) -> Any:
    if dtype_of(left) not in FLOATING:
        return out.node("Mod", left, right, fmod=1)
    whole = _truncated(out, out.node("Div", left, right))
    return out.node("Sub", left, out.node("Mul", right, whole))
