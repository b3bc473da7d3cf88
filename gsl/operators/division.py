"""Quotients that are rounded towards zero, and what is left over: division as in C."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.kernel.expression import Expression
from gsl.kernel.meaning import apply
from gsl.operators.defined import Values
from gsl.operators.elementwise import binary, least_by_minus_one
from gsl.operators.ranges import is_integer


def _quotient(lhs: Any, rhs: Any) -> Any:
    if not is_integer(lhs.dtype.name):
        return np.trunc(lhs / rhs)
    down = np.floor_divide(lhs, rhs)
    is_cut = (np.mod(lhs, rhs) != 0) & ((lhs < 0) != (rhs < 0))
    return (down + is_cut).astype(lhs.dtype)


def _remainder(lhs: Any, rhs: Any) -> Any:
    return lhs - rhs * _quotient(lhs, rhs)


def _cut(left: Expression, right: Expression) -> Expression:
    """Return the quotient rounded down, and up where the operands differ in sign."""
    signs = apply("!=", apply("<", left, 0), apply("<", right, 0))
    down = apply("//", left, right)
    is_cut = apply("and", signs, apply("!=", down * right, left))
    return apply("select", is_cut, down + 1, down)


TruncDivide = binary(
    "TruncDivide",
    "",
    _quotient,
    "The quotient rounded towards zero; no divisor may be 0.",
    element=_cut,
    source="onnx.Div for integers",
    values={"rhs": Values(nonzero=True)},
)
Remainder = binary(
    "Remainder",
    "mod",
    _remainder,
    "The remainder of TruncDivide, with the sign of the dividend; no divisor may be 0.",
    element=lambda left, right: left - right * _cut(left, right),
    values={"rhs": Values(nonzero=True)},
)
TruncDivide.undefined_where(least_by_minus_one)
Remainder.undefined_where(least_by_minus_one)


@TruncDivide.relax
def _relax_trunc_divide(relax: Any, lhs: Any, rhs: Any) -> Any:
    quotient = relax.divide(lhs, rhs)
    return quotient if is_integer(str(lhs.ty.dtype)) else relax.trunc(quotient)
