"""Activation functions that keep what is positive and bend the rest: linear units."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.attr.evaluate import conjunction, equal
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, stretched
from gsl.operators.activation import Steepness
from gsl.operators.create import scalar
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.elementwise import UNARY
from gsl.operators.extrema import larger, smaller
from gsl.operators.kinds import Epsilon, Number
from gsl.operators.shapes import broadcast
from gsl.types import FLOATING, NUMERIC, TensorType


def _bent(value: Expression, below: Any) -> Expression:
    """Return what is positive, elsewhere `below`."""
    return apply("select", apply(">", value, 0), value, below)


def _growth(data: Any) -> Any:
    """Return exp(x) - 1 of what is negative, elsewhere 0."""
    return np.exp(smaller(data, 0)) - 1


def _growth_element(value: Expression) -> Expression:
    return apply("exp", apply("min", value, 0)) - 1


def _relax_growth(relax: Any, data: Any, dtype: str) -> Any:
    powers = relax.exp(relax.minimum(data, scalar(relax, 0, dtype)))
    return relax.subtract(powers, scalar(relax, 1, dtype))


@operator(dtypes=FLOATING, traits=UNARY)
def Elu(need: Need, data: Tensor, *, alpha: Number = 1.0) -> TensorType:
    """Keep what is positive; the rest becomes alpha * (exp(data) - 1). Source: onnx.Elu."""
    return data


@Elu.numpy
def _elu(data: Any, alpha: float) -> Any:
    return np.where(data > 0, data, _growth(data) * alpha)


@Elu.kernel
def _elu_element(index: Index, data: Elements, alpha: Any) -> Expression:
    x = data[index]
    return _bent(x, _growth_element(x) * alpha)


@Elu.relax
def _relax_elu(relax: Any, data: Any, alpha: float) -> Any:
    dtype = str(data.ty.dtype)
    bent = relax.multiply(_relax_growth(relax, data, dtype), scalar(relax, alpha, dtype))
    return relax.where(relax.greater(data, scalar(relax, 0, dtype)), data, bent)


@operator(dtypes=FLOATING, traits=UNARY)
def Selu(
    need: Need,
    data: Tensor,
    *,
    alpha: Number = 1.6732632423543772,
    gamma: Number = 1.0507009873554805,
) -> TensorType:
    """Compute gamma times the Elu of `alpha`; the defaults keep mean 0 and variance 1.

    Source: onnx.Selu; relax.nn.selu for the defaults.
    """
    return data


@Selu.numpy
def _selu(data: Any, alpha: float, gamma: float) -> Any:
    return _elu(data, alpha) * gamma


@Selu.kernel
def _selu_element(index: Index, data: Elements, alpha: Any, gamma: Any) -> Expression:
    scaled: Expression = _elu_element(index, data, alpha) * gamma
    return scaled


@Selu.relax
def _relax_selu(relax: Any, data: Any, alpha: float, gamma: float) -> Any:
    unscaled = _relax_elu(relax, data, alpha)
    return relax.multiply(unscaled, scalar(relax, gamma, str(data.ty.dtype)))


@operator(dtypes=FLOATING, traits=UNARY)
def Celu(need: Need, data: Tensor, *, alpha: Steepness = 1.0) -> TensorType:
    """Keep what is positive; the rest becomes alpha * (exp(data / alpha) - 1).

    Source: onnx.Celu.
    """
    return data


@Celu.numpy
def _celu(data: Any, alpha: float) -> Any:
    return larger(data, 0) + _growth(data / alpha) * alpha


@Celu.kernel
def _celu_element(index: Index, data: Elements, alpha: Any) -> Expression:
    x = data[index]
    below: Expression = _growth_element(apply("/", x, alpha)) * alpha
    return apply("max", x, 0) + below


@Celu.relax
def _relax_celu(relax: Any, data: Any, alpha: float) -> Any:
    dtype = str(data.ty.dtype)
    factor = scalar(relax, alpha, dtype)
    bent = relax.multiply(_relax_growth(relax, relax.divide(data, factor), dtype), factor)
    return relax.add(relax.nn.relu(data), bent)


@operator(dtypes=NUMERIC)
def PRelu(need: Need, data: Tensor, slope: Tensor) -> TensorType:
    """Keep what is positive and multiply the rest by `slope`, which broadcasts to `data`.

    Source: onnx.PRelu.
    """
    shape = broadcast(need, data.shape, slope.shape)
    need(len(shape) == data.ndim, "the slope must broadcast to the data")
    pairs = zip(shape, data.shape, strict=False)
    same = conjunction(*(equal(one, other) for one, other in pairs))
    need(same, "the slope must broadcast to the data")
    return data


@PRelu.numpy
def _prelu(data: Any, slope: Any) -> Any:
    return np.where(data > 0, data, data * slope)


@PRelu.kernel
def _prelu_element(index: Index, data: Elements, slope: Elements) -> Expression:
    x = data[index]
    return _bent(x, x * slope[stretched(index, slope.shape, [data.shape])])


@PRelu.relax
def _relax_prelu(relax: Any, data: Any, slope: Any) -> Any:
    is_positive = relax.greater(data, scalar(relax, 0, str(data.ty.dtype)))
    return relax.where(is_positive, data, relax.multiply(data, slope))


@operator(dtypes=FLOATING, traits=UNARY)
def ThresholdedRelu(need: Need, data: Tensor, *, alpha: Number = 1.0) -> TensorType:
    """Keep what exceeds `alpha`; the rest becomes 0. Source: onnx.ThresholdedRelu."""
    return data


@ThresholdedRelu.numpy
def _thresholded_relu(data: Any, alpha: float) -> Any:
    return np.where(data > alpha, data, np.zeros_like(data))


@ThresholdedRelu.kernel
def _thresholded_relu_element(index: Index, data: Elements, alpha: Any) -> Expression:
    return apply("select", apply(">", data[index], alpha), data[index], 0)


@ThresholdedRelu.relax
def _relax_thresholded_relu(relax: Any, data: Any, alpha: float) -> Any:
    above = relax.greater(data, scalar(relax, alpha, str(data.ty.dtype)))
    return relax.where(above, data, relax.zeros_like(data))


@operator(dtypes=FLOATING, traits=UNARY)
def Shrink(need: Need, data: Tensor, *, lambd: Epsilon = 0.5, bias: Number = 0.0) -> TensorType:
    """Move by `bias` towards 0 what lies farther than `lambd` from it; the rest becomes 0.

    Source: onnx.Shrink, for a `lambd` that is not negative.
    """
    return data


@Shrink.numpy
def _shrink(data: Any, lambd: float, bias: float) -> Any:
    above = np.where(data > lambd, data - bias, np.zeros_like(data))
    return np.where(data < -lambd, data + bias, above)


@Shrink.kernel
def _shrink_element(index: Index, data: Elements, lambd: Any, bias: Any) -> Expression:
    x = data[index]
    above = apply("select", apply(">", x, lambd), x - bias, 0)
    return apply("select", apply("<", x, -lambd), x + bias, above)


@Shrink.relax
def _relax_shrink(relax: Any, data: Any, lambd: float, bias: float) -> Any:
    limit, least, shift = (
        scalar(relax, value, str(data.ty.dtype)) for value in (lambd, -lambd, bias)
    )
    inner = relax.zeros_like(data)
    above = relax.where(relax.greater(data, limit), relax.subtract(data, shift), inner)
    return relax.where(relax.less(data, least), relax.add(data, shift), above)
