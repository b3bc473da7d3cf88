"""Activation functions of neural networks, applied to every element."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, number
from gsl.numpy_dtypes import is_floating
from gsl.operators.create import constant, scalar
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.domain import Real
from gsl.operators.elementwise import UNARY, erf, unary
from gsl.operators.extrema import larger, smaller
from gsl.operators.kinds import Element, Number
from gsl.operators.ranges import in_range
from gsl.types import FLOATING, NUMERIC, TensorType

Steepness = Annotated[float, Real(low=2.0**-10)]
"""A positive number, large enough to divide by in every floating dtype."""

ROOT, CUBIC = math.sqrt(2 / math.pi), 0.044715
"""Numbers of the approximation of a normal distribution by a hyperbolic tangent."""


def _relu(data: Any) -> Any:
    return larger(data, 0)


def _sigmoid(data: Any) -> Any:
    return 1 / (1 + np.exp(-data))


def _silu(data: Any) -> Any:
    return data * _sigmoid(data)


def _gelu(data: Any) -> Any:
    return 0.5 * data * (1 + erf(data / math.sqrt(2)))


Relu = unary(
    "Relu",
    "nn.relu",
    _relu,
    "The larger of an element and 0.",
    element=lambda x: apply("max", x, 0),
    dtypes=NUMERIC,
)
Sigmoid = unary(
    "Sigmoid",
    "sigmoid",
    _sigmoid,
    "1 over 1 plus the exponential of -data.",
    element="sigmoid",
)
Silu = unary(
    "Silu",
    "nn.silu",
    _silu,
    "An element times its sigmoid; also known as swish.",
    element=lambda x: x * apply("sigmoid", x),
)
Gelu = unary(
    "Gelu",
    "nn.gelu",
    _gelu,
    "An element times its normal distribution function.",
    element=lambda x: 0.5 * x * (1 + apply("erf", x / math.sqrt(2))),
)


def _gelu_tanh(data: Any) -> Any:
    return 0.5 * data * (1 + np.tanh(ROOT * (data + CUBIC * (data * data * data))))


def _softsign(data: Any) -> Any:
    return data / (1 + np.abs(data))


def _mish(data: Any) -> Any:
    # From 20 on a hyperbolic tangent is 1 in every dtype.
    return data * np.tanh(np.log(1 + np.exp(np.minimum(data, 20))))


def _mish_element(x: Expression) -> Expression:
    return x * apply("tanh", apply("log", 1 + apply("exp", apply("min", x, 20))))


GeluTanh = unary(
    "GeluTanh",
    "nn.gelu_tanh",
    _gelu_tanh,
    "Gelu with its distribution function approximated by a hyperbolic tangent.",
    element=lambda x: 0.5 * x * (1 + apply("tanh", ROOT * (x + CUBIC * (x * x * x)))),
)
Softsign = unary(
    "Softsign",
    "",
    _softsign,
    "An element over 1 plus its absolute value.",
    element=lambda x: x / (1 + apply("abs", x)),
    source="onnx.Softsign",
)
Mish = unary(
    "Mish",
    "",
    _mish,
    "An element times the hyperbolic tangent of its softplus.",
    element=_mish_element,
    source="onnx.Mish",
)


@Softsign.relax
def _relax_softsign(relax: Any, data: Any) -> Any:
    one = scalar(relax, 1, str(data.ty.dtype))
    return relax.divide(data, relax.add(one, relax.abs(data)))


@Mish.relax
def _relax_mish(relax: Any, data: Any) -> Any:
    return relax.multiply(data, relax.tanh(relax.nn.softplus(data, 1.0, 20.0)))


@operator(dtypes=FLOATING, traits=UNARY)
def HardSigmoid(need: Need, data: Tensor, *, alpha: Number = 0.2, beta: Number = 0.5) -> TensorType:
    """Limit alpha * data + beta to the interval from 0 to 1. Source: onnx.HardSigmoid."""
    return data


@HardSigmoid.numpy
def _hard_sigmoid(data: Any, alpha: float, beta: float) -> Any:
    return smaller(larger(data * alpha + beta, 0), 1)


@HardSigmoid.kernel
def _hard_sigmoid_element(index: Index, data: Elements, alpha: Any, beta: Any) -> Expression:
    return apply("min", apply("max", data[index] * alpha + beta, 0), 1)


@HardSigmoid.relax
def _relax_hard_sigmoid(relax: Any, data: Any, alpha: float, beta: float) -> Any:
    factor, shift = (scalar(relax, value, str(data.ty.dtype)) for value in (alpha, beta))
    return relax.clip(relax.add(relax.multiply(data, factor), shift), 0, 1)


def _hard_swish(data: Any) -> Any:
    return data * smaller(larger(data / 6 + 0.5, 0), 1)


HardSwish = unary(
    "HardSwish",
    "",
    _hard_swish,
    "An element times data / 6 + 1/2, limited to the interval from 0 to 1.",
    element=lambda x: x * apply("min", apply("max", x / 6 + 0.5, 0), 1),
    source="onnx.HardSwish",
)


@HardSwish.relax
def _relax_hard_swish(relax: Any, data: Any) -> Any:
    six, half = (scalar(relax, value, str(data.ty.dtype)) for value in (6, 0.5))
    return relax.multiply(data, relax.clip(relax.add(relax.divide(data, six), half), 0, 1))


@operator(dtypes=FLOATING, relax="nn.leakyrelu", traits=UNARY)
def LeakyRelu(need: Need, data: Tensor, *, alpha: Number = 0.01) -> TensorType:
    """Keep what is positive and multiply the rest by `alpha`. Source: relax.nn.leakyrelu."""
    return data


@LeakyRelu.numpy
def _leaky_relu(data: Any, alpha: float) -> Any:
    return np.where(data > 0, data, data * alpha)


@LeakyRelu.kernel
def _leaky_relu_element(index: Index, data: Elements, alpha: float) -> Expression:
    x = data[index]
    return apply("select", apply(">", x, 0), x, x * alpha)


@operator(dtypes=FLOATING, relax="nn.softplus", traits=UNARY)
def Softplus(
    need: Need, data: Tensor, *, beta: Steepness = 1.0, threshold: Number = 20.0
) -> TensorType:
    """Compute log(1 + exp(beta * data)) / beta, a smooth form of relu.

    Where beta * data exceeds `threshold` the result is the element itself.
    Source: relax.nn.softplus.
    """
    return data


@Softplus.numpy
def _softplus(data: Any, beta: float, threshold: float) -> Any:
    scaled = data * beta
    smooth = np.log(1 + np.exp(np.minimum(scaled, threshold))) / beta
    return np.where(scaled > threshold, data, smooth)


@Softplus.kernel
def _softplus_element(index: Index, data: Elements, beta: float, threshold: float) -> Expression:
    x = data[index]
    smooth = apply("log", 1 + apply("exp", apply("min", x * beta, threshold))) / beta
    return apply("select", apply(">", x * beta, threshold), x, smooth)


@operator(dtypes=NUMERIC, traits=UNARY)
def Clip(need: Need, data: Tensor, *, min: Element, max: Element) -> TensorType:
    """Limit the elements to the interval from `min` to `max`.

    For an integer dtype the limits are rounded towards zero; the dtype must be able to hold
    them. Source: relax.clip.
    """
    need(min <= max, "min must not exceed max")
    need(in_range(min, data.dtype), "the dtype of the data must be able to hold min")
    need(in_range(max, data.dtype), "the dtype of the data must be able to hold max")
    return data


@Clip.numpy
def _clip(data: Any, min: float, max: float) -> Any:
    # Floats mean themselves, as a constant of the same number beside an operator does.
    is_real = is_floating(data.dtype)
    low, high = (float(v) if is_real else _limit(v, data.dtype.name) for v in (min, max))
    return smaller(larger(data, low), high)


@Clip.kernel
def _clip_element(index: Index, data: Elements, min: float, max: float) -> Expression:
    low, high = number(min, data.dtype), number(max, data.dtype)
    return apply("min", apply("max", data[index], low), high)


@Clip.relax
def _relax_clip(relax: Any, data: Any, min: float, max: float) -> Any:
    dtype = str(data.ty.dtype)
    low, high = (_limit(value, dtype) for value in (min, max))
    if dtype == "uint64" and high >= 2**63:
        # TVM 0.27 keeps the limits of its clip in signed integers.
        least, most = (constant(relax, np.array(limit, dtype)) for limit in (low, high))
        return relax.minimum(relax.maximum(data, least), most)
    return relax.clip(data, low, high)


def _limit(value: float, dtype: str) -> Any:
    return np.dtype(dtype).type(value).item()
