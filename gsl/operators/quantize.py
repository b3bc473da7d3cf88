"""Quantisation: real numbers as integers of few bits, with a scale and the integer that means 0.

A scale and a zero point are for the whole tensor (rank 0), for each place along one axis (rank 1),
or for blocks along it (the rank of the data, and a `block_size`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from gsl.attr.evaluate import (
    ceil_divide,
    choose,
    conjunction,
    contains,
    disjunction,
    equal,
    negation,
)
from gsl.attr.term import Term
from gsl.dtypes import DTYPES
from gsl.kernel.expression import Expression, Number
from gsl.kernel.meaning import Elements, Index, apply, cast, over, select, total
from gsl.numpy_dtypes import iinfo
from gsl.operators.create import scalar
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.defined import Values
from gsl.operators.domain import Fresh, Integer, integer
from gsl.operators.domain_axes import Axis
from gsl.operators.shapes import known_axis
from gsl.types import FLOATING, Bool, Int, TensorType, Type

BYTES = ("int8", "uint8")
"""The dtypes whose products are summed in int32."""

WORDS = ("int16", "uint16")
"""The dtypes that only WIDE holds all numbers of."""

FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
"""The dtypes that need no rounding to whole steps."""

QUANTISED = (*BYTES, *WORDS, "int4", "uint4", *FLOAT8)
"""The dtypes of quantised tensors."""

WIDE = ("float32", "float64")

DEQUANTISED = (*QUANTISED, "int32")
"""The dtypes that are turned into real numbers; int32 is that of sums of products."""

SCALE = {"scale": Values(low=2.0**-10, high=2.0**10)}
"""Scales are positive, and neither so small nor so large that a dtype loses them."""


@dataclass(frozen=True, slots=True)
class _QuantisedAxis(Axis):
    """An axis, which is 0 where the scale is for the whole tensor and no axis is looked at."""

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept an int."""
        return 0 if _is_for_all(operands) else integer(value)

    def written(self, value: Any, operands: Sequence[Any]) -> Any:
        """Return 0 where the scale of a match has no axes."""
        return value if value == 0 else choose(operands[1].ndim == 0, 0, value)

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand that the axis exists, if one is looked at."""
        return True if _is_for_all(operands) else Axis.claim(self, value, operands)

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield all axes, or 0."""
        yield from (0,) if _is_for_all(operands) else Axis.instances(self, operands, fresh)


def _is_for_all(operands: tuple[Type, ...]) -> bool:
    return len(operands) > 1 and isinstance(operands[1], TensorType) and operands[1].ndim == 0


QuantisedAxis = Annotated[int, _QuantisedAxis()]


@dataclass(frozen=True, slots=True)
class _BlockSize(Integer):
    """The length of blocks along an axis, or 0 where there are none."""

    low: int | None = 0

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield 0, and a symbol for all lengths."""
        yield 0
        yield fresh("", low=1)


BlockSize = Annotated[Any, _BlockSize()]


def has_blocks(block_size: Int) -> bool:
    """Tell whether there are blocks; where their length is unknown there are."""
    return isinstance(block_size, Term) or bool(block_size)


def need_parameters(
    need: Need, data: TensorType, parameters: dict[str, TensorType], axis: int, block_size: Int
) -> None:
    """Demand that scales and zero points fit to the data."""
    ranks = {one.ndim for one in parameters.values()}
    need(len(ranks) == 1, "scale and zero point must have one rank")
    (rank,) = ranks
    for name, one in parameters.items():
        if rank == 0:
            continue
        along = known_axis(axis, data.ndim)
        if rank == 1 and not has_blocks(block_size):
            size = data.shape[along]
            need(equal(one.shape[0], size), f"`{name}` must have one element for each place")
            continue
        need(rank == data.ndim, f"`{name}` must be for the tensor, an axis, or blocks along it")
        need(block_size >= 1, "blocks must have a size")
        for place, (own, size) in enumerate(zip(one.shape, data.shape, strict=True)):
            blocks = ceil_divide(size, block_size) if place == along else size
            need(equal(own, blocks), f"`{name}` must have one element for each block")


def spread_over(parameter: Any, shape: tuple[int, ...], axis: int, block_size: int) -> Any:
    """Return a scale or zero point so that it broadcasts to a shape."""
    if parameter.ndim == 0:
        return parameter
    along = axis % len(shape)
    if parameter.ndim == 1 and not has_blocks(block_size):
        return np.reshape(parameter, (-1, *(1 for _ in shape[along + 1 :])))
    return np.take(parameter, np.arange(shape[along]) // block_size, along)


def own_parameter(parameter: Elements, index: Index, axis: int, block_size: Any) -> Expression:
    """Return the scale or zero point of one element."""
    if parameter.ndim == 0:
        return parameter[()]
    along = axis % len(index)
    if parameter.ndim == 1 and not has_blocks(block_size):
        return parameter[(index[along],)]
    return parameter[(*index[:along], index[along] // block_size, *index[along + 1 :])]


def relax_spread_over(relax: Any, parameter: Any, data: Any, axis: int, block_size: int) -> Any:
    """Return a scale or zero point in Relax so that it broadcasts to the data."""
    rank, along = parameter.ty.ndim, axis % max(data.ty.ndim, 1)
    if rank == 0:
        return parameter
    if rank == 1 and not has_blocks(block_size):
        behind = list(range(1, data.ty.ndim - along))
        return relax.expand_dims(parameter, behind) if behind else parameter
    repeated = relax.repeat(parameter, block_size, along)
    return relax.strided_slice(repeated, [along], [0], [int(data.ty.shape[along])])


def limit(dtype: Any, largest: bool) -> Number:
    """Return the least or largest number of a quantised dtype, known or not."""
    limits = {name: DTYPES[name] for name in QUANTISED}
    values = {name: one.largest if largest else one.lowest for name, one in limits.items()}
    found: Any = values[QUANTISED[-1]]
    for name, value in values.items():
        found = choose(equal(dtype, name), value, found)
    return Number(found)


@operator(dtypes=None, values=SCALE)
def QuantizeLinear(
    need: Need,
    data: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    *,
    axis: QuantisedAxis = 1,
    block_size: BlockSize = 0,
) -> TensorType:
    """Compute round(data / scale) + zero_point, halves to even, within the range of its dtype.

    The result has the dtype of `zero_point`, one of QUANTISED; one of FLOAT8 gets the quotient as
    near as it can be, one of WORDS takes data of WIDE. Scale and zero point have rank 0, or
    are for places along `axis`, or with a `block_size` for blocks along it; of a scale of rank 0
    the axis is 0 in graphs. A scale is from 2**-10 to 2**10, or the quotient is not defined.
    Source: onnx.QuantizeLinear; relax.quantize rounds halves otherwise.
    """
    need(contains(data.dtype, FLOATING), "the data must be floating")
    need(equal(scale.dtype, data.dtype), "the scale must have the dtype of the data")
    need(contains(zero_point.dtype, QUANTISED), "the zero point must have a dtype of 4, 8, 16 bits")
    holds = disjunction(contains(data.dtype, WIDE), negation(contains(zero_point.dtype, WORDS)))
    need(holds, "the data must hold all numbers of 16 bits")
    parameters = {"scale": scale, "zero_point": zero_point}
    need_parameters(need, data, parameters, axis, block_size)
    return data.with_dtype(zero_point.dtype)


@QuantizeLinear.numpy
def _quantize(data: Any, scale: Any, zero_point: Any, axis: int, block_size: int) -> Any:
    limits = DTYPES[zero_point.dtype.name]
    steps = data / spread_over(scale, data.shape, axis, block_size)
    zeros = spread_over(zero_point, data.shape, axis, block_size).astype(data.dtype)
    shifted = (steps if limits.name in FLOAT8 else np.rint(steps)) + zeros
    inside = np.minimum(np.maximum(shifted, float(limits.lowest)), float(limits.largest))
    return inside.astype(zero_point.dtype)


@QuantizeLinear.kernel
def _quantize_element(
    index: Index, data: Elements, scale: Elements, zero_point: Elements, axis: int, block_size: Any
) -> Expression:
    zero = cast(own_parameter(zero_point, index, axis, block_size), zero_point.dtype, data.dtype)
    steps = data[index] / own_parameter(scale, index, axis, block_size)
    shifted = select(contains(zero_point.dtype, FLOAT8), steps, apply("round", steps)) + zero
    least, most = limit(zero_point.dtype, False), limit(zero_point.dtype, True)
    inside = apply("min", apply("max", shifted, least), most)
    return cast(inside, data.dtype, zero_point.dtype)


@QuantizeLinear.relax
def _relax_quantize(
    relax: Any, data: Any, scale: Any, zero_point: Any, axis: int, block_size: int
) -> Any:
    dtype, wanted = str(data.ty.dtype), str(zero_point.ty.dtype)
    limits = iinfo(wanted)
    own = relax_spread_over(relax, scale, data, axis, block_size)
    zeros = relax.astype(relax_spread_over(relax, zero_point, data, axis, block_size), dtype)
    shifted = relax.add(relax.round(relax.divide(data, own)), zeros)
    return relax.astype(relax.clip(shifted, float(limits.min), float(limits.max)), wanted)


@operator(dtypes=None)
def DequantizeLinear(
    need: Need,
    data: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    *,
    axis: QuantisedAxis = 1,
    block_size: BlockSize = 0,
) -> TensorType:
    """Compute (data - zero_point) * scale in the dtype of the scale.

    Data and zero point have one of DEQUANTISED; their difference is computed in int32, of FLOAT8 in
    the dtype of the scale. Scale and zero point as in QuantizeLinear.
    Source: onnx.DequantizeLinear and relax.dequantize.
    """
    need(contains(data.dtype, DEQUANTISED), "the data must have 4, 8 or 16 bits, or be int32")
    need(equal(data.dtype, zero_point.dtype), "the zero point must have the dtype of the data")
    need(contains(scale.dtype, FLOATING), "the scale must be floating")
    parameters = {"scale": scale, "zero_point": zero_point}
    need_parameters(need, data, parameters, axis, block_size)
    return data.with_dtype(scale.dtype)


@DequantizeLinear.numpy
def _dequantize(data: Any, scale: Any, zero_point: Any, axis: int, block_size: int) -> Any:
    computed = scale.dtype if data.dtype.name in FLOAT8 else "int32"
    zeros = spread_over(zero_point, data.shape, axis, block_size).astype(computed)
    shifted = (data.astype(computed) - zeros).astype(scale.dtype)
    return shifted * spread_over(scale, data.shape, axis, block_size)


@DequantizeLinear.kernel
def _dequantize_element(
    index: Index, data: Elements, scale: Elements, zero_point: Elements, axis: int, block_size: Any
) -> Expression:
    zero = own_parameter(zero_point, index, axis, block_size)
    wide = [cast(value, data.dtype, "int32") for value in (data[index], zero)]
    real = [cast(value, data.dtype, scale.dtype) for value in (data[index], zero)]
    whole = cast(wide[0] - wide[1], "int32", scale.dtype)
    difference = select(contains(data.dtype, FLOAT8), real[0] - real[1], whole)
    return difference * own_parameter(scale, index, axis, block_size)


@DequantizeLinear.relax
def _relax_dequantize(
    relax: Any, data: Any, scale: Any, zero_point: Any, axis: int, block_size: int
) -> Any:
    zeros = relax.astype(relax_spread_over(relax, zero_point, data, axis, block_size), "int32")
    shifted = relax.subtract(relax.astype(data, "int32"), zeros)
    own = relax_spread_over(relax, scale, data, axis, block_size)
    return relax.multiply(relax.astype(shifted, str(scale.ty.dtype)), own)


@operator(dtypes=("float32",))
def DynamicQuantizeLinear(need: Need, data: Tensor) -> list[TensorType]:
    """Quantise to uint8 with a scale and zero point of its own, chosen from the extreme elements.

    The scale is (max(0, max) - min(0, min)) / 255 as float32, the zero point round(-min / scale) as
    uint8. Not all elements may be 0. Source: onnx.DynamicQuantizeLinear.
    """
    for size in data.shape:
        need(size >= 1, "there must be elements to choose the scale from")
    return [data.with_dtype("uint8"), TensorType((), "float32"), TensorType((), "uint8")]


@DynamicQuantizeLinear.undefined_where
def _has_no_range(data: Any) -> Any:
    """Tell that all elements are 0, so that the scale would be 0."""
    return np.all(data == 0)


@DynamicQuantizeLinear.numpy
def _dynamic_quantize(data: Any) -> Any:
    least, most = np.minimum(np.min(data), 0), np.maximum(np.max(data), 0)
    scale = np.reshape(((most - least) / 255).astype("float32"), ())
    zero = np.rint(np.minimum(np.maximum((0 - least) / scale, 0), 255))
    shifted = np.rint(data / scale) + zero
    inside = np.minimum(np.maximum(shifted, 0), 255)
    return inside.astype("uint8"), scale, np.reshape(zero.astype("uint8"), ())


@DynamicQuantizeLinear.kernel
def _dynamic_quantize_element(field: int, index: Index, data: Elements) -> Expression:
    least = apply("min", over("min", data.shape, lambda *i: data[i]), 0)
    most = apply("max", over("max", data.shape, lambda *i: data[i]), 0)
    scale = (most - least) / 255
    zero = apply("round", apply("min", apply("max", (0 - least) / scale, 0), 255))
    if field:
        return scale if field == 1 else cast(zero, "float32", "uint8")
    shifted = apply("round", data[index] / scale) + zero
    return cast(apply("min", apply("max", shifted, 0), 255), "float32", "uint8")


@DynamicQuantizeLinear.relax
def _relax_dynamic_quantize(relax: Any, data: Any) -> Any:
    nothing, most_steps = (scalar(relax, value, "float32") for value in (0, 255))
    least = relax.minimum(relax.min(data), nothing)
    most = relax.maximum(relax.max(data), nothing)
    scale = relax.divide(relax.subtract(most, least), most_steps)
    zero = relax.round(relax.clip(relax.divide(relax.subtract(nothing, least), scale), 0, 255))
    shifted = relax.add(relax.round(relax.divide(data, scale)), zero)
    quantised = relax.astype(relax.clip(shifted, 0, 255), "uint8")
    return relax.base.tvm.relax.Tuple([quantised, scale, relax.astype(zero, "uint8")])


@operator(dtypes=None)
def MatMulInteger(
    need: Need, lhs: Tensor, rhs: Tensor, lhs_zero_point: Tensor, rhs_zero_point: Tensor
) -> TensorType:
    """Multiply matrices of int8 or uint8 without their zero points, in int32.

    The zero point of [..., M, K] has rank 0 or is for the M rows, that of [..., K, N] has rank 0
    or is for the N columns. Source: onnx.MatMulInteger, for matrices and stacks of them.
    """
    pairs = (lhs, lhs_zero_point, -2), (rhs, rhs_zero_point, -1)
    for tensor, zero, axis in pairs:
        need(contains(tensor.dtype, BYTES), "the operands must be integers of 8 bits")
        need(equal(tensor.dtype, zero.dtype), "a zero point must have the dtype of its tensor")
        need(tensor.ndim >= 2, "the operands must be matrices or stacks of them")
        need(zero.ndim <= 1, "a zero point must have rank 0, or 1 for rows or columns")
        if zero.ndim:
            need(equal(zero.shape[0], tensor.shape[axis]), "a zero point must fit to its tensor")
    need(lhs.ndim == rhs.ndim, "the operands must have one rank")
    batches = zip(lhs.shape[:-2], rhs.shape[:-2], strict=True)
    need(conjunction(*(equal(a, b) for a, b in batches)), "the stacks must be of one shape")
    need(equal(lhs.shape[-1], rhs.shape[-2]), "columns of lhs and rows of rhs must agree")
    return TensorType((*lhs.shape[:-1], rhs.shape[-1]), "int32")


@MatMulInteger.numpy
def _matmul_integer(lhs: Any, rhs: Any, lhs_zero_point: Any, rhs_zero_point: Any) -> Any:
    rows = np.expand_dims(lhs_zero_point, -1) if lhs_zero_point.ndim else lhs_zero_point
    left = lhs.astype("int32") - rows.astype("int32")
    return np.matmul(left, rhs.astype("int32") - rhs_zero_point.astype("int32"))


@MatMulInteger.kernel
def _matmul_integer_element(
    index: Index, lhs: Elements, rhs: Elements, lhs_zero_point: Elements, rhs_zero_point: Elements
) -> Expression:
    *batch, row, column = index
    left_zero = lhs_zero_point[(row,) if lhs_zero_point.ndim else ()]
    right_zero = rhs_zero_point[(column,) if rhs_zero_point.ndim else ()]

    def product(k: Any) -> Expression:
        left, right = lhs[(*batch, row, k)], rhs[(*batch, k, column)]
        one = cast(left, lhs.dtype, "int32") - cast(left_zero, lhs.dtype, "int32")
        other = cast(right, rhs.dtype, "int32") - cast(right_zero, rhs.dtype, "int32")
        return one * other

    return total([lhs.shape[-1]], product)


@MatMulInteger.relax
def _relax_matmul_integer(
    relax: Any, lhs: Any, rhs: Any, lhs_zero_point: Any, rhs_zero_point: Any
) -> Any:
    has_rows = lhs_zero_point.ty.ndim == 1
    rows = relax.expand_dims(lhs_zero_point, -1) if has_rows else lhs_zero_point
    pairs = (lhs, rows), (rhs, rhs_zero_point)
    left, right = (
        relax.subtract(relax.astype(tensor, "int32"), relax.astype(zero, "int32"))
        for tensor, zero in pairs
    )
    return relax.matmul(left, right)
