"""Activation functions of neural networks."""

from __future__ import annotations

import math
from math import inf, isnan
from typing import Any

import numpy as np

from gsl.expr import Call, Expr
from gsl.numpy_dtypes import iinfo
from gsl.onnx.build import call, number
from gsl.onnx.emitter import Emitter, Value, dtype_of
from gsl.onnx.errors import RowError
from gsl.onnx.rows.direct import alike
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes
from gsl.types import FLOATING

alike("Sigmoid", "Sigmoid")
alike("Softsign", "Softsign")
alike("Mish", "Mish", since=18)
reads("HardSwish")(lambda site: call("HardSwish", site.operand()))
alike("HardSigmoid", "HardSigmoid", alpha=0.2, beta=0.5)
alike("Elu", "Elu", alpha=1.0)
alike("Selu", "Selu", alpha=1.6732632423543772, gamma=1.0507009873554805)
reads("Celu")(lambda site: call("Celu", site.operand(), alpha=site.attribute("alpha", 1.0)))
alike("PRelu", "PRelu")
alike("ThresholdedRelu", "ThresholdedRelu", since=10, alpha=1.0)
alike("Shrink", "Shrink", since=9, lambd=0.5, bias=0.0)
reads("Relu")(lambda site: call("Relu", site.operand()))

FIRST_WITH_LIMITS = 11
"""The first opset whose Clip has its limits as inputs; they are attributes before it."""

SMOOTH_UP_TO = {"bfloat16": 20.0, "float16": 11.0, "float32": 20.0, "float64": 40.0}
"""From here on softplus is the number itself, to the last digit of a dtype."""


@reads("LeakyRelu")
def _leaky_relu(site: Site) -> Expr:
    return call("LeakyRelu", site.operand(), alpha=site.attribute("alpha", 0.01))


@reads("Softplus")
def _softplus(site: Site) -> Expr:
    data = site.operand()
    return call("Softplus", data, beta=1.0, threshold=SMOOTH_UP_TO[data.dtype])


@reads("Gelu", since=20)
def _gelu(site: Site) -> Expr:
    data = site.operand()
    if site.attribute("approximate", "none") == "none":
        return call("Gelu", data)
    return call("GeluTanh", data)


@reads("Swish", since=24)
def _swish(site: Site) -> Expr:
    data, alpha = site.operand(), site.attribute("alpha", 1.0)
    if alpha == 1:
        return call("Silu", data)
    return call(
        "Multiply", data, call("Sigmoid", call("Multiply", data, number(alpha, data.dtype)))
    )


@reads("Clip")
def _clip(site: Site) -> Expr:
    data = site.operand()
    low, high = _limits(site, data.dtype)
    if low is None and high is None:
        return data
    least, most = _ends(data.dtype)
    lower, upper = least if low is None else low, most if high is None else high
    if lower <= upper and float(lower) == lower and float(upper) == upper:
        return call("Clip", data, min=lower, max=upper)
    # Constants of the dtype itself hold every one of its numbers.
    if low is not None:
        data = call("Maximum", data, number(low, data.dtype))
    return data if high is None else call("Minimum", data, number(high, data.dtype))


def _limits(site: Site, dtype: str) -> tuple[Any, Any]:
    if site.opset < FIRST_WITH_LIMITS:
        found = [site.attribute(name, None) for name in ("min", "max")]
    else:
        arrays = [site.optional_constant(place) for place in (1, 2)]
        found = [None if array is None else _single(array) for array in arrays]
    if any(one is not None and isnan(one) for one in found):
        raise RowError("a limit is NaN")
    return found[0], found[1]


def _single(array: Any) -> Any:
    if array.size != 1:
        raise RowError("a limit is no single number")
    return array.item()


def _ends(dtype: str) -> tuple[Any, Any]:
    if dtype in FLOATING:
        return -inf, inf
    limits = iinfo(dtype)
    return int(limits.min), int(limits.max)


@writes("Relu")
def _write_relu(out: Emitter, written: Call, data: Value) -> Any:
    if dtype_of(data) in FLOATING:
        return out.node("Relu", data)
    return out.node("Max", data, out.number(0, data))


@writes("Silu")
def _silu(out: Emitter, written: Call, data: Value) -> Any:
    return out.node("Mul", data, out.node("Sigmoid", data))


@writes("Gelu")
def _write_gelu(out: Emitter, written: Call, data: Value) -> Any:
    scaled = out.node("Div", data, out.number(math.sqrt(2), data))
    one = out.node("Add", out.node("Erf", scaled), out.number(1, data))
    return out.node("Mul", out.node("Mul", data, one), out.number(0.5, data))


@writes("Gelu", since=20)
def _write_new_gelu(out: Emitter, written: Call, data: Value) -> Any:
    return out.node("Gelu", data)


@writes("LeakyRelu")
def _write_leaky_relu(out: Emitter, written: Call, data: Value) -> Any:
    alpha = written.attributes["alpha"]
    if float(np.float32(alpha)) == alpha:
        return out.node("LeakyRelu", data, alpha=alpha)
    if dtype_of(data) != "float64":
        return out.node("LeakyRelu", data, alpha=alpha)
    # Attributes of ONNX are single floats, which a double would show.
    below = out.node("Less", data, out.number(0, data))
    return out.node("Where", below, out.node("Mul", data, out.number(alpha, data)), data)


@writes("Softplus")
def _write_softplus(out: Emitter, written: Call, data: Value) -> Any:
    beta, threshold = (written.attributes[name] for name in ("beta", "threshold"))
    if beta == 1 and threshold == SMOOTH_UP_TO[dtype_of(data)]:
        return out.node("Softplus", data)
    limit, one = out.number(threshold, data), out.number(1, data)
    scaled = out.node("Mul", data, out.number(beta, data))
    power = out.node("Exp", out.node("Min", scaled, limit))
    smooth = out.node("Div", out.node("Log", out.node("Add", power, one)), out.number(beta, data))
    return out.node("Where", out.node("Greater", scaled, limit), data, smooth)


@writes("Clip")
def _write_clip(out: Emitter, written: Call, data: Value) -> Any:
    limits = [written.attributes[name] for name in ("min", "max")]
    dtype = dtype_of(data)
    return _between(out, data, *(one if dtype in FLOATING else int(one) for one in limits))


@writes("GeluTanh")
def _write_gelu_tanh(out: Emitter, written: Call, data: Value) -> Any:
    cube = out.node("Mul", out.node("Mul", data, data), data)
    inner = out.node("Add", data, out.node("Mul", cube, out.number(0.044715, data)))
    scaled = out.node("Mul", inner, out.number(math.sqrt(2 / math.pi), data))
    one = out.node("Add", out.node("Tanh", scaled), out.number(1, data))
    return out.node("Mul", out.node("Mul", data, one), out.number(0.5, data))


@writes("GeluTanh", since=20)
def _write_new_gelu_tanh(out: Emitter, written: Call, data: Value) -> Any:
    if dtype_of(data) == "float64":  # ONNX computes it with constants of single precision
        return _write_gelu_tanh(out, written, data)
    return out.node("Gelu", data, approximate="tanh")


@writes("Mish")
def _write_mish(out: Emitter, written: Call, data: Value) -> Any:
    return out.node("Mul", data, out.node("Tanh", out.node("Softplus", data)))


@writes("HardSwish")
def _write_hard_swish(out: Emitter, written: Call, data: Value) -> Any:
    scaled = out.node("Div", data, out.number(6, data))
    raised = out.node("Add", scaled, out.number(0.5, data))
    return out.node("Mul", data, _between(out, raised, 0, 1))


@writes("HardSwish", since=14)
def _write_new_hard_swish(out: Emitter, written: Call, data: Value) -> Any:
    if dtype_of(data) == "float64":  # one sixth is an attribute of single precision in ONNX
        return _write_hard_swish(out, written, data)
    return out.node("HardSwish", data)


@writes("Celu")
def _write_celu(out: Emitter, written: Call, data: Value) -> Any:
    alpha = written.attributes["alpha"]
    if dtype_of(data) != "float64":
        return out.node("Celu", data, alpha=alpha)
    zero, factor = out.number(0, data), out.number(alpha, data)
    power = out.node("Exp", out.node("Div", out.node("Min", data, zero), factor))
    bent = out.node("Mul", out.node("Sub", power, out.number(1, data)), factor)
    return out.node("Add", out.node("Max", data, zero), bent)


def _between(out: Emitter, data: Value, low: Any, high: Any) -> Any:
    return out.node("Clip", data, out.number(low, data), out.number(high, data))
