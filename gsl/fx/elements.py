"""Operators of single elements, and reductions."""

from __future__ import annotations

from typing import Any

from gsl.fx.table import ROWS, Row, Site, writes
from gsl.types import STORED

ALIKE = {
    "Abs": "abs",
    "Negative": "neg",
    "LogicalNot": "logical_not",
    "Add": "add",
    "Subtract": "sub",
    "Multiply": "mul",
    "Equal": "eq",
    "NotEqual": "ne",
    "Less": "lt",
    "LessEqual": "le",
    "Greater": "gt",
    "GreaterEqual": "ge",
    "LogicalAnd": "logical_and",
    "LogicalOr": "logical_or",
    "LogicalXor": "logical_xor",
    "Maximum": "maximum",
    "Minimum": "minimum",
    "Where": "where",
    "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
    "BitwiseNot": "bitwise_not",
}
"""What PyTorch computes alike on all dtypes."""

FLOATS = {
    "Exp": "exp",
    "Log": "log",
    "Sqrt": "sqrt",
    "Rsqrt": "rsqrt",
    "Erf": "erf",
    "Sin": "sin",
    "Cos": "cos",
    "Tanh": "tanh",
    "Floor": "floor",
    "Ceil": "ceil",
    "Trunc": "trunc",
    "Round": "round",
    "Sigmoid": "sigmoid",
    "Relu": "relu",
    "Divide": "div",
    "Power": "pow",
    "IsNaN": "isnan",
    "IsInf": "isinf",
    "IsFinite": "isfinite",
    "Square": "square",
    "Sinh": "sinh",
    "Cosh": "cosh",
    "Tan": "tan",
    "Asin": "asin",
    "Acos": "acos",
    "Atan": "atan",
    "Asinh": "asinh",
    "Acosh": "acosh",
    "Atanh": "atanh",
}
"""What it computes alike on floats."""


def _alike(function: str, of_floats: bool) -> Row:
    def row(site: Site, *operands: Any) -> Any:
        if of_floats and not site.is_floating:
            return NotImplemented
        return getattr(site.torch, function)(*operands)

    return row


ROWS.update({name: _alike(function, False) for name, function in ALIKE.items()})
ROWS.update({name: _alike(function, True) for name, function in FLOATS.items()})


@writes("Cast")
def _cast(site: Site, data: Any) -> Any:
    if {site.call.operands[0].dtype, site["dtype"]} & set(STORED):
        return NotImplemented
    return data.to(site.dtype(site["dtype"]))


@writes("FloorDivide", "Mod")
def _floored(site: Site, left: Any, right: Any) -> Any:
    if site.is_floating:
        return NotImplemented
    if site.call.operator.name == "Mod":
        return site.torch.remainder(left, right)
    return site.torch.div(left, right, rounding_mode="floor")


@writes("Clip")
def _clip(site: Site, data: Any) -> Any:
    if not site.is_floating:
        return NotImplemented
    return site.torch.clamp(data, site["min"], site["max"])


@writes("Max", "Min")
def _extreme(site: Site, data: Any) -> Any:
    if site.call.dtype == "bool" or not site["axis"]:
        return NotImplemented
    function = {"Max": "amax", "Min": "amin"}[site.call.operator.name]
    return getattr(site.torch, function)(data, tuple(site["axis"]), keepdim=site["keepdims"])


@writes("Sum", "Mean")
def _summed(site: Site, data: Any) -> Any:
    if not site.is_floating or not site["axis"]:
        return NotImplemented
    function = getattr(site.torch, site.call.operator.name.lower())
    return function(data, tuple(site["axis"]), keepdim=site["keepdims"])


@writes("Softmax", "LogSoftmax")
def _softmax(site: Site, data: Any) -> Any:
    name = {"Softmax": "softmax", "LogSoftmax": "log_softmax"}[site.call.operator.name]
    return getattr(site.torch, name)(data, site["axis"])


@writes("LogSumExp", "Variance", "ReduceL1", "ReduceL2", "SumSquare")
def _reduced(site: Site, data: Any) -> Any:
    axis, keep = tuple(site["axis"]), site["keepdims"]
    if not site.is_floating or not axis:
        return NotImplemented
    match site.call.operator.name:
        case "LogSumExp":
            return site.torch.logsumexp(data, axis, keepdim=keep)
        case "Variance":
            return site.torch.var(data, axis, correction=0, keepdim=keep)
        case "SumSquare":
            return site.torch.sum(data * data, axis, keepdim=keep)
        case name:
            order = {"ReduceL1": 1, "ReduceL2": 2}[name]
            return site.torch.linalg.vector_norm(data, order, axis, keepdim=keep)


@writes("Argmax", "Argmin")
def _extreme_place(site: Site, data: Any) -> Any:
    if not isinstance(site["axis"], int) or site.call.operands[0].dtype == "bool":
        return NotImplemented
    function = getattr(site.torch, site.call.operator.name.lower())
    return function(data, site["axis"], keepdim=site["keepdims"])


@writes("Cumsum", "CumProd")
def _cumulated(site: Site, data: Any) -> Any:
    if site["exclusive"] or site.call.dtype != site.call.operands[0].dtype:
        return NotImplemented
    function = getattr(site.torch, site.call.operator.name.lower())
    return function(data, site["axis"], dtype=site.dtype(site.call.dtype))
