"""Comparisons, logic on truth values, and the choice between two tensors."""

from __future__ import annotations

from math import inf

from gsl.expr import Call, Expr
from gsl.onnx.build import call, cast, number
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.rows.direct import alike
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes

for _name, _onnx_name in {
    "LogicalAnd": "And",
    "LogicalOr": "Or",
    "LogicalNot": "Not",
    "LogicalXor": "Xor",
    "IsNaN": "IsNaN",
    "Less": "Less",
    "LessEqual": "LessOrEqual",
    "Greater": "Greater",
    "GreaterEqual": "GreaterOrEqual",
    "Where": "Where",
}.items():
    alike(_name, _onnx_name)


@reads("Equal")
def _equal(site: Site) -> Expr:
    left, right = site.operands()
    if left.dtype == "bool":
        left, right = cast(left, "uint8"), cast(right, "uint8")
    return call("Equal", left, right)


@reads("IsInf")
def _is_inf(site: Site) -> Expr:
    data = site.operand()
    signs = {1: site.attribute("detect_positive", 1), -1: site.attribute("detect_negative", 1)}
    wanted = [sign for sign, is_wanted in signs.items() if is_wanted]
    if len(wanted) == 1:
        return call("Equal", data, number(wanted[0] * inf, data.dtype))
    return call("IsInf", data) if wanted else call("Zeros", shape=data.shape, dtype="bool")


@writes("IsInf")
def _write_is_inf(out: Emitter, written: Call, data: Value) -> Value:
    result: Value = out.node("IsInf", data)
    return result


@writes("IsFinite")
def _is_finite(out: Emitter, written: Call, data: Value) -> Value:
    either = out.node("Or", out.node("IsNaN", data), out.node("IsInf", data))
    result: Value = out.node("Not", either)
    return result


@writes("Equal")
def _write_equal(out: Emitter, written: Call, left: Value, right: Value) -> Value:
    result: Value = out.node("Equal", left, right)
    return result


@writes("NotEqual")
def _not_equal(out: Emitter, written: Call, left: Value, right: Value) -> Value:
    result: Value = out.node("Not", out.node("Equal", left, right))
    return result
