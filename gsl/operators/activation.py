"""Activation functions of neural networks, applied to every element."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, number
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.domain import Real
from gsl.operators.elementwise import UNARY, erf, unary
from gsl.operators.extrema import larger, smaller
from gsl.operators.kinds import Number
from gsl.operators.ranges import in_range
from gsl.types import FLOATING, NUMERIC, TensorType

Steepness = Annotated[float, Real(low=2.0**-10)]
"""A positive number, large enough to divide by in every floating dtype."""


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
def Clip(need: Need, data: Tensor, *, min: Number, max: Number) -> TensorType:
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
    is_floating = data.dtype.kind == "f"
    low, high = (v if is_floating else _limit(v, data.dtype.name) for v in (min, max))
    return smaller(larger(data, low), high)


@Clip.kernel
def _clip_element(index: Index, data: Elements, min: float, max: float) -> Expression:
    low, high = number(min, data.dtype), number(max, data.dtype)
    return apply("min", apply("max", data[index], low), high)


@Clip.relax
def _relax_clip(relax: Any, data: Any, min: float, max: float) -> Any:
    return relax.clip(data, *(_limit(value, str(data.ty.dtype)) for value in (min, max)))


def _limit(value: float, dtype: str) -> Any:
    return np.dtype(dtype).type(value).item()
