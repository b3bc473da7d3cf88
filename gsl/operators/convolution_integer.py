"""Convolutions of integers of 8 bits, with the integers that mean 0, summed in int32."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.attr.evaluate import contains, equal
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, cast, inside, select, total
from gsl.operators.convolution import convolved_shape, correlate, group_of, sides
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.kinds import (
    CountPair,
    CountQuad,
    CountSix,
    Positive,
    PositivePair,
    PositiveSingle,
    PositiveTriple,
)
from gsl.operators.quantize import BYTES
from gsl.operators.shapes import need_ranks
from gsl.types import TensorType

LAYOUTS = {1: ("NCW", "OIW"), 2: ("NCHW", "OIHW"), 3: ("NCDHW", "OIDHW")}
"""Those of data and weight, for so many spatial axes."""


@operator(dtypes=None)
def ConvInteger1D(
    need: Need,
    data: Tensor,
    weight: Tensor,
    data_zero_point: Tensor,
    weight_zero_point: Tensor,
    *,
    strides: PositiveSingle = (1,),
    padding: CountPair = (0, 0),
    dilation: PositiveSingle = (1,),
    groups: Positive = 1,
) -> TensorType:
    """Cross-correlate signals [N, C, W] of int8 or uint8; see ConvInteger2D.

    Source: onnx.ConvInteger.
    """
    zeros = data_zero_point, weight_zero_point
    return _convolved(need, data, weight, zeros, groups, strides, dilation, sides(padding))


@operator(dtypes=None)
def ConvInteger2D(
    need: Need,
    data: Tensor,
    weight: Tensor,
    data_zero_point: Tensor,
    weight_zero_point: Tensor,
    *,
    strides: PositivePair = (1, 1),
    padding: CountQuad = (0, 0, 0, 0),
    dilation: PositivePair = (1, 1),
    groups: Positive = 1,
) -> TensorType:
    """Cross-correlate images [N, C, H, W] and kernels [O, I, H, W] of int8 or uint8, in int32.

    Both are taken without their zero points: that of the data has rank 0, that of the kernels
    rank 0 or one element for each of the O outputs. Padding counts as the zero point of the data.
    For the rest see Conv2D. Source: onnx.ConvInteger.
    """
    zeros = data_zero_point, weight_zero_point
    return _convolved(need, data, weight, zeros, groups, strides, dilation, sides(padding))


@operator(dtypes=None)
def ConvInteger3D(
    need: Need,
    data: Tensor,
    weight: Tensor,
    data_zero_point: Tensor,
    weight_zero_point: Tensor,
    *,
    strides: PositiveTriple = (1, 1, 1),
    padding: CountSix = (0, 0, 0, 0, 0, 0),
    dilation: PositiveTriple = (1, 1, 1),
    groups: Positive = 1,
) -> TensorType:
    """Cross-correlate volumes [N, C, D, H, W] of int8 or uint8; see ConvInteger2D.

    Source: onnx.ConvInteger.
    """
    zeros = data_zero_point, weight_zero_point
    return _convolved(need, data, weight, zeros, groups, strides, dilation, sides(padding))


def _convolved(
    need: Need, data: Tensor, weight: Tensor, zeros: tuple[Tensor, Tensor], groups: Any, *more: Any
) -> TensorType:
    need_ranks(need, 2 + len(more[0]), data=data, weight=weight)
    for tensor, zero in zip((data, weight), zeros, strict=True):
        need(contains(tensor.dtype, BYTES), "the operands must be integers of 8 bits")
        need(equal(tensor.dtype, zero.dtype), "a zero point must have the dtype of its tensor")
    need(zeros[0].ndim == 0, "the zero point of the data must have rank 0")
    need(zeros[1].ndim <= 1, "the zero point of the weight must have rank 0, or 1 for its outputs")
    shape = convolved_shape(need, data, weight, LAYOUTS[len(more[0])], groups, *more)
    if zeros[1].ndim:
        need(equal(zeros[1].shape[0], weight.shape[0]), "zero points must fit to the outputs")
    return TensorType(shape, "int32")


def _convolve(
    data: Any, weight: Any, data_zero_point: Any, weight_zero_point: Any, **attributes: Any
) -> Any:
    zeros = np.reshape(weight_zero_point.astype("int32"), (-1, *(1,) * (weight.ndim - 1)))
    return correlate(
        data.astype("int32") - data_zero_point.astype("int32"),
        weight.astype("int32") - zeros,
        attributes["strides"],
        sides(attributes["padding"]),
        attributes["dilation"],
        attributes["groups"],
    )


def _convolved_element(
    index: Index,
    data: Elements,
    weight: Elements,
    data_zero_point: Elements,
    weight_zero_point: Elements,
    **attributes: Any,
) -> Expression:
    n, o, *places = index
    outputs, inputs, *kernel = weight.shape
    first = group_of(o, outputs, attributes["groups"]) * inputs
    begins = [before for before, _ in sides(attributes["padding"])]
    own_zero = cast(
        weight_zero_point[(o,) if weight_zero_point.ndim else ()], weight.dtype, "int32"
    )

    def product(i: Any, *taps: Any) -> Expression:
        axes = zip(places, attributes["strides"], taps, attributes["dilation"], begins, strict=True)
        pixel = [p * stride + r * dilation - before for p, stride, r, dilation, before in axes]
        place = (n, first + i, *pixel)
        value = cast(data[place], data.dtype, "int32")
        shifted = value - cast(data_zero_point[()], data.dtype, "int32")
        one = select(inside(place, data.shape), shifted, 0)
        return one * (cast(weight[(o, i, *taps)], weight.dtype, "int32") - own_zero)

    return total([inputs, *kernel], product)


def _relax_convolve(
    relax: Any,
    data: Any,
    weight: Any,
    data_zero_point: Any,
    weight_zero_point: Any,
    padding: Any,
    **attributes: Any,
) -> Any:
    spatial = data.ty.ndim - 2
    if weight_zero_point.ty.ndim:
        behind = list(range(1, weight.ty.ndim))
        weight_zero_point = relax.expand_dims(weight_zero_point, behind)
    pairs = (data, data_zero_point), (weight, weight_zero_point)
    shifted, kernels = (
        relax.subtract(relax.astype(tensor, "int32"), relax.astype(zero, "int32"))
        for tensor, zero in pairs
    )
    convolve = getattr(relax.nn, f"conv{spatial}d")
    return convolve(shifted, kernels, padding=padding, **attributes)


for _operator in (ConvInteger1D, ConvInteger2D, ConvInteger3D):
    _operator.reference = _convolve
    _operator.meaning = _convolved_element
    _operator.lowering = _relax_convolve
