"""Real numbers rounded as quantisation would round them, for training and for what it leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.attr.evaluate import conjunction, contains, equal
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, cast
from gsl.operators.create import scalar
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.kinds import AnyInt
from gsl.operators.quantize import (
    SCALE,
    QuantisedAxis,
    need_parameters,
    own_parameter,
    relax_spread_over,
    spread_over,
)
from gsl.types import FLOATING, TensorType

MOST_STEPS = 2**16
"""How far quantised numbers are from 0 at most; float32 has all of them, and their differences."""


@operator(dtypes=None, values=SCALE)
def FakeQuantize(
    need: Need,
    data: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    *,
    quant_min: AnyInt,
    quant_max: AnyInt,
    axis: QuantisedAxis = 0,
) -> TensorType:
    """Quantise to integers from `quant_min` to `quant_max` and back, all as floats.

    That is (min(max(round(data / scale) + zero_point, quant_min), quant_max) - zero_point) * scale,
    halves to even. Scale and zero point have rank 0 or are for places along `axis`; the zero point
    is int32. Source: torch's fake_quantize_per_tensor_affine and per_channel_affine.
    """
    need(contains(data.dtype, FLOATING[:2]), "the data must be float32 or float64")
    need(equal(scale.dtype, data.dtype), "the scale must have the dtype of the data")
    need(equal(zero_point.dtype, "int32"), "the zero point must be int32")
    inside = conjunction(quant_min >= -MOST_STEPS, quant_max <= MOST_STEPS)
    need(conjunction(quant_min <= quant_max, inside), "the limits must be in order, and moderate")
    need_parameters(need, data, {"scale": scale, "zero_point": zero_point}, axis, 0)
    return data


@FakeQuantize.numpy
def _fake_quantize(
    data: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int, axis: int
) -> Any:
    own = spread_over(scale, data.shape, axis, 0)
    zeros = spread_over(zero_point, data.shape, axis, 0).astype(data.dtype)
    shifted = np.rint(data / own) + zeros
    return (np.minimum(np.maximum(shifted, quant_min), quant_max) - zeros) * own


@FakeQuantize.kernel
def _fake_quantize_element(
    index: Index,
    data: Elements,
    scale: Elements,
    zero_point: Elements,
    quant_min: Any,
    quant_max: Any,
    axis: int,
) -> Expression:
    step = own_parameter(scale, index, axis, 0)
    zero = cast(own_parameter(zero_point, index, axis, 0), "int32", data.dtype)
    shifted = apply("round", data[index] / step) + zero
    return (apply("min", apply("max", shifted, quant_min), quant_max) - zero) * step


@FakeQuantize.relax
def _relax_fake_quantize(
    relax: Any,
    data: Any,
    scale: Any,
    zero_point: Any,
    quant_min: int,
    quant_max: int,
    axis: int,
) -> Any:
    dtype = str(data.ty.dtype)
    own = relax_spread_over(relax, scale, data, axis, 0)
    zeros = relax.astype(relax_spread_over(relax, zero_point, data, axis, 0), dtype)
    limits = [scalar(relax, limit, dtype) for limit in (quant_min, quant_max)]
    shifted = relax.add(relax.round(relax.divide(data, own)), zeros)
    inside = relax.minimum(relax.maximum(shifted, limits[0]), limits[1])
    return relax.multiply(relax.subtract(inside, zeros), own)
