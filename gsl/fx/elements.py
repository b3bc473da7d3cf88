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


@writes("Silu")
def _silu(site: Site, data: Any) -> Any:
    return site.functional.silu(data)


@writes("Gelu")
def _gelu(site: Site, data: Any) -> Any:
    return site.functional.gelu(data)


@writes("GeluTanh")
def _gelu_tanh(site: Site, data: Any) -> Any:
    return site.functional.gelu(data, approximate="tanh")


@writes("Cast")
def _cast(site: Site, data: Any) -> Any:
    if {site.call.operands[0].dtype, site["dtype"]} & set(STORED):
        return NotImplemented
    return data.to(site.dtype(site["dtype"]))


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
