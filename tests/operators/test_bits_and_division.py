"""Operators on bits, and division that cuts off, on numbers whose results are known."""

import numpy as np
import pytest
from three_way import Case, infer, reference

from gsl.errors import ShapeError
from gsl.operators.declaration import lookup
from gsl.operators.defined import Values
from gsl.types import FLOATING, INTEGER, TensorType

SIGNED = [name for name in INTEGER if not name.startswith("u")]


def of(name, dtype, *operands):
    arrays = tuple(np.array(operand, dtype) for operand in operands)
    return reference(Case(lookup(name), arrays, {})).tolist()


@pytest.mark.parametrize("dtype", [*SIGNED, *FLOATING])
def test_quotients_are_cut_off(dtype):
    dividends, divisors = [7, -7, 7, -7, 6, -6, 0], [2, 2, -2, -2, 3, 3, -5]
    assert of("TruncDivide", dtype, dividends, divisors) == [3, -3, -3, 3, 2, -2, 0]
    assert of("Remainder", dtype, dividends, divisors) == [1, -1, 1, -1, 0, 0, 0]
    assert of("FloorDivide", dtype, dividends, divisors) == [3, -4, -4, 3, 2, -2, 0]
    assert of("Mod", dtype, dividends, divisors) == [1, 1, -1, -1, 0, 0, 0]


@pytest.mark.parametrize("dtype", SIGNED)
def test_the_least_integer_is_divided(dtype):
    least = np.iinfo(dtype).min
    assert of("TruncDivide", dtype, [least, least], [1, 2]) == [least, least // 2]
    for name in ("TruncDivide", "Remainder"):
        undefined = lookup(name).undefined(
            np.array([least, least], dtype), np.array([1, -1], dtype)
        )
        assert undefined.tolist() == [False, True]


@pytest.mark.parametrize("dtype", INTEGER)
def test_bits(dtype):
    assert of("BitwiseAnd", dtype, [12, 7], [10, 0]) == [8, 0]
    assert of("BitwiseOr", dtype, [12, 7], [10, 0]) == [14, 7]
    assert of("BitwiseXor", dtype, [12, 7], [10, 7]) == [6, 0]
    most = int(np.iinfo(dtype).max)
    expected = [-1, -8] if dtype in SIGNED else [most, most - 7]
    assert of("BitwiseNot", dtype, [0, 7]) == expected


@pytest.mark.parametrize("dtype", INTEGER)
def test_shifts_reach_the_last_bit(dtype):
    bits = np.dtype(dtype).itemsize * 8
    limits = np.iinfo(dtype)
    end = int(limits.min) if dtype in SIGNED else 2 ** (bits - 1)
    assert of("LeftShift", dtype, [1, 5, 3], [bits - 1, 2, bits - 1]) == [end, 20, end]
    assert of("RightShift", dtype, [20, int(limits.max)], [2, bits - 1]) == [
        5,
        int(limits.min == 0),
    ]
    types = (TensorType((), dtype), TensorType((), dtype))
    assert lookup("LeftShift").values["rhs"](types, {}) == Values(low=0, high=bits - 1)


@pytest.mark.parametrize("dtype", SIGNED)
def test_signs_are_shifted_in(dtype):
    assert of("RightShift", dtype, [-8, -1, -7], [1, 3, 1]) == [-4, -1, -4]


@pytest.mark.parametrize("name", ["BitwiseAnd", "BitwiseNot", "LeftShift", "RightShift"])
@pytest.mark.parametrize("dtype", ["float32", "bool"])
def test_only_integers_have_bits(name, dtype):
    operator = lookup(name)
    with pytest.raises(ShapeError, match="dtype"):
        infer(operator, *[TensorType((2,), dtype)] * len(operator.operands))


@pytest.mark.parametrize("shape", [(3,), (1, 2, 3), (2, 1, 1)])
def test_a_slope_must_not_make_the_data_larger(shape):
    with pytest.raises(ShapeError, match="broadcast"):
        infer(lookup("PRelu"), TensorType((2, 1), "float32"), TensorType(shape, "float32"))
