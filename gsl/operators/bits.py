"""Operators on the bits of integers; signed ones are numbers in two's complement."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.attr.evaluate import choose, contains
from gsl.dtypes import DTYPES
from gsl.kernel.meaning import apply
from gsl.operators.declaration import tensors
from gsl.operators.defined import Attributes, Values
from gsl.operators.elementwise import binary, unary
from gsl.types import INTEGER, Type


def shiftable(types: tuple[Type, ...], attributes: Attributes) -> Values:
    """Return by how many bits a number may be shifted: fewer than it has."""
    dtype = tensors(types)[0].dtype
    most: Any = 7
    for bits in sorted({DTYPES[name].bits for name in INTEGER} - {8}):
        names = tuple(name for name in INTEGER if DTYPES[name].bits == bits)
        most = choose(contains(dtype, names), bits - 1, most)
    return Values(low=0, high=most)


BitwiseAnd = binary(
    "BitwiseAnd", "bitwise_and", np.bitwise_and, "The bits that both have.", dtypes=INTEGER
)
BitwiseOr = binary(
    "BitwiseOr", "bitwise_or", np.bitwise_or, "The bits that one or both have.", dtypes=INTEGER
)
BitwiseXor = binary(
    "BitwiseXor", "bitwise_xor", np.bitwise_xor, "The bits that one of them has.", dtypes=INTEGER
)
BitwiseNot = unary(
    "BitwiseNot",
    "bitwise_not",
    np.invert,
    "The bits that a number does not have.",
    element=lambda x: -x - 1,
    dtypes=INTEGER,
)
LeftShift = binary(
    "LeftShift",
    "left_shift",
    np.left_shift,
    "The first moved left by so many bits as the second says, fewer than it has; 0 comes in.",
    element=lambda x, count: x * apply("pow", 2, count),
    dtypes=INTEGER,
    values={"rhs": shiftable},
)
RightShift = binary(
    "RightShift",
    "right_shift",
    np.right_shift,
    "The first moved right by so many bits as the second says, fewer than it has; copies of the "
    "sign come in, 0 where there is none.",
    dtypes=INTEGER,
    values={"rhs": shiftable},
)
