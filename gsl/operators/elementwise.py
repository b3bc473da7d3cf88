"""Arithmetic and elementary functions, computed from the elements at the same place."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from gsl.dtypes import DTYPES
from gsl.kernel.expression import Expression
from gsl.kernel.functions import FUNCTIONS
from gsl.kernel.meaning import Elements, Index, apply, cast, stretched
from gsl.numpy_dtypes import converted, finfo, iinfo, kind_of, rounds_itself
from gsl.operators.declaration import Need, Operator, Tensor, operator, tensors
from gsl.operators.defined import Attributes, ValueRule, Values
from gsl.operators.extrema import larger, smaller
from gsl.operators.kinds import DtypeOf
from gsl.operators.ranges import is_integer
from gsl.operators.shapes import broadcast
from gsl.types import (
    ALL_DTYPES,
    ANY_FLOAT,
    FLOATING,
    NUMERIC,
    SATURATING,
    UNSIGNED,
    TensorType,
    Type,
)

ELEMENTWISE = frozenset({"elementwise"})
UNARY = ELEMENTWISE | {"unary"}
BINARY = ELEMENTWISE | {"binary"}

SIGNED = tuple(dtype for dtype in NUMERIC if dtype not in UNSIGNED)

Reference = Callable[..., Any]

_NAMES = {id(function.numpy): name for name, function in FUNCTIONS.items()}


def pointwise(compute: str | Reference) -> Reference:
    """Return the kernel of an operator that computes from the elements at the same place.

    `compute` is a function of values and attributes, or the name of one that expressions have.
    """

    def kernel(index: Index, *operands: Elements, **attributes: Any) -> Expression:
        shapes = [operand.shape for operand in operands]
        values = [operand[stretched(index, operand.shape, shapes)] for operand in operands]
        value = (
            apply(compute, *values) if isinstance(compute, str) else compute(*values, **attributes)
        )
        assert isinstance(value, Expression)
        return value

    return kernel


def unary(
    name: str,
    relax: str,
    reference: Reference,
    meaning: str,
    *,
    element: str | Reference = "",
    dtypes: tuple[str, ...] = FLOATING,
    values: Mapping[str, ValueRule] = MappingProxyType({}),
    source: str = "",
) -> Operator:
    """Declare an operator of one tensor that keeps its type; for `element` see `binary`.

    `source` says who defines it if it is not the operator of Relax.
    """

    def rule(need: Need, data: Tensor) -> TensorType:
        return data

    rule.__name__ = name
    origin = source or f"relax.{relax}"
    rule.__doc__ = f"{meaning} The result has the type of `data`. Source: {origin}."
    declared = operator(dtypes=dtypes, relax=relax, traits=UNARY, values=values)(rule)
    declared.reference = reference
    found = element or _NAMES.get(id(reference))
    declared.meaning = pointwise(found) if found else None
    return declared


def binary(
    name: str,
    relax: str,
    reference: Reference,
    meaning: str,
    *,
    element: str | Reference = "",
    dtypes: tuple[str, ...] = NUMERIC,
    result: str | None = None,
    values: Mapping[str, ValueRule] = MappingProxyType({}),
    source: str = "",
) -> Operator:
    """Declare an operator of two tensors that broadcasts; `result` overrides the dtype.

    `element` says what is computed from two elements, see `pointwise`. It may be left out where
    `reference` is what NumPy computes for a function of expressions.
    """

    def rule(need: Need, lhs: Tensor, rhs: Tensor) -> TensorType:
        return TensorType(broadcast(need, lhs.shape, rhs.shape), result or lhs.dtype)

    rule.__name__ = name
    origin = source or f"relax.{relax}"
    rule.__doc__ = f"{meaning} The shapes broadcast to each other. Source: {origin}."
    declared = operator(dtypes=dtypes, relax=relax, traits=BINARY, values=values)(rule)
    declared.reference = reference
    found = element or _NAMES.get(id(reference))
    declared.meaning = pointwise(found) if found else None
    return declared


Add = binary("Add", "add", np.add, "The sum of two tensors.")
Subtract = binary("Subtract", "subtract", np.subtract, "The difference of two tensors.")
Multiply = binary("Multiply", "multiply", np.multiply, "The product of two tensors.")
Maximum = binary(
    "Maximum",
    "maximum",
    larger,
    "The larger of two elements, of zeros the right one.",
    element="max",
)
Minimum = binary(
    "Minimum",
    "minimum",
    smaller,
    "The smaller of two elements, of zeros the right one.",
    element="min",
)
Divide = binary(
    "Divide",
    "divide",
    np.divide,
    "The quotient of two floating tensors.",
    dtypes=FLOATING,
    values={"rhs": Values(nonzero=True)},
)


def _power(lhs: Any, rhs: Any) -> Any:
    found = np.power(lhs, rhs)
    if not isinstance(found, np.ndarray | np.generic):
        return found
    # For one exponent 0.5 NumPy takes the root, of which zeros keep the sign and -inf has none.
    is_special = (rhs == 0.5) & ((lhs == 0) | np.isneginf(lhs))
    return np.where(is_special, np.abs(lhs), found)


Power = binary(
    "Power",
    "power",
    _power,
    "The first tensor to the power of the second.",
    element="pow",
    dtypes=FLOATING,
    values={"lhs": Values(low=0.5, high=4.0), "rhs": Values(low=-3.0, high=3.0)},
)


def _floor_divide(lhs: Any, rhs: Any) -> Any:
    # On floats NumPy divides exactly before it rounds down; TVM rounds the quotient first.
    return np.floor_divide(lhs, rhs) if is_integer(lhs.dtype.name) else np.floor(lhs / rhs)


def _mod(lhs: Any, rhs: Any) -> Any:
    return lhs - rhs * _floor_divide(lhs, rhs)


FloorDivide = binary(
    "FloorDivide",
    "floor_divide",
    _floor_divide,
    "The quotient rounded towards minus infinity; no divisor may be 0.",
    element="//",
    values={"rhs": Values(nonzero=True)},
)
Mod = binary(
    "Mod",
    "floor_mod",
    _mod,
    "The remainder of FloorDivide, with the sign of the divisor; no divisor may be 0.",
    element="%",
    values={"rhs": Values(nonzero=True)},
)


@FloorDivide.undefined_where
@Mod.undefined_where
def least_by_minus_one(lhs: Any, rhs: Any) -> Any:
    """Tell where the least integer meets -1, by which it has no quotient."""
    if not is_integer(lhs.dtype.name) or kind_of(lhs.dtype) == "u":
        return False
    return (lhs == iinfo(lhs.dtype).min) & (rhs == -1)


Negative = unary("Negative", "negative", np.negative, "The negated elements.", dtypes=SIGNED)
Abs = unary("Abs", "abs", np.abs, "The absolute values.", dtypes=NUMERIC)
Sign = unary("Sign", "sign", np.sign, "-1, 0 or 1 by the sign.", dtypes=SIGNED)
Square = unary(
    "Square", "square", np.square, "The squares.", element=lambda x: x * x, dtypes=NUMERIC
)
Floor = unary("Floor", "floor", np.floor, "The largest integer not above each element.")
Ceil = unary("Ceil", "ceil", np.ceil, "The smallest integer not below each element.")
Trunc = unary("Trunc", "trunc", np.trunc, "The nearest integer towards zero.")
Round = unary("Round", "round", np.rint, "The nearest integer, the even one of two.")

Sqrt = unary("Sqrt", "sqrt", np.sqrt, "The square root.", values={"data": Values(low=0.0)})
Exp = unary("Exp", "exp", np.exp, "The exponential function.")
Log = unary("Log", "log", np.log, "The natural logarithm.", values={"data": Values(low=1e-3)})
Sin = unary("Sin", "sin", np.sin, "The sine of angles in radians.")
Cos = unary("Cos", "cos", np.cos, "The cosine of angles in radians.")
Tanh = unary("Tanh", "tanh", np.tanh, "The hyperbolic tangent.")


def _rsqrt(data: Any) -> Any:
    return 1 / np.sqrt(data)


Rsqrt = unary(
    "Rsqrt",
    "rsqrt",
    _rsqrt,
    "1 over the square root.",
    element=lambda x: 1 / apply("sqrt", x),
    values={"data": Values(low=1e-3)},
)

ERF = np.frompyfunc(math.erf, 1, 1)
"""The error function as a ufunc; its result has dtype object."""


def erf(data: Any) -> Any:
    """Return the error function of every element, in the dtype of `data`."""
    # The extra axis keeps a tensor of rank 0 from becoming a Python float.
    return ERF(np.expand_dims(data, 0)).astype(data.dtype)[0]


Erf = unary("Erf", "erf", erf, "The Gauss error function.", element="erf")


def _castable(operands: tuple[Type, ...], attributes: Attributes) -> Values:
    """What the target holds, when a floating source could exceed it: TVM then is undefined."""
    given, wanted = tensors(operands)[0].dtype, attributes["dtype"]
    if wanted in SATURATING and given != wanted:
        return Values(low=DTYPES[wanted].lowest, high=DTYPES[wanted].largest)
    if given not in ANY_FLOAT or not is_integer(wanted):
        return Values()
    source, limits = finfo(given), iinfo(wanted)
    if limits.max >= float(source.max):
        return Values(low=max(limits.min, float(source.min)), high=float(source.max))
    # The limits that are powers of two are floats, but the largest integers may not be.
    end = source.dtype.type(float(limits.max) + 1.0)
    return Values(low=limits.min, high=float(np.nextafter(end, source.dtype.type(0))))


@operator(dtypes=ALL_DTYPES, relax="astype", traits=UNARY, values={"data": _castable})
def Cast(need: Need, data: Tensor, *, dtype: DtypeOf) -> TensorType:
    """Convert the elements to `dtype`; the shape stays.

    A float becomes an integer by rounding towards zero, an integer wraps around, and anything
    but 0 becomes true. What is too large for SATURATING dtypes becomes their last number, as in
    ONNX, though rules are tried on what is not. Source: relax.astype.
    """
    return data.with_dtype(dtype)


@Cast.numpy
@rounds_itself
def _cast(data: Any, dtype: str) -> Any:
    if dtype in SATURATING and data.dtype != dtype:
        most = float(DTYPES[dtype].largest)
        data = np.minimum(np.maximum(data, -most), most)
    return converted(data, dtype)


@Cast.kernel
def _cast_element(index: Index, data: Elements, dtype: Any) -> Expression:
    return cast(data[index], data.dtype, dtype)
