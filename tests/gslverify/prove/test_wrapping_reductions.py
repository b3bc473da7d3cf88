"""Sums, products, powers and absolute values of integers may wrap, whatever they are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat, rule
from tests.gslverify.prove.proving import is_proved_rule

pytestmark = pytest.mark.smt


def tensor(rank: int, dtype: str) -> Any:
    return pat.Wildcard(shape=(None,) * rank, dtype=dtype)


def is_zero(value: Any, dtype: str) -> Any:
    return op.Equal(value, pat.Const(0, dtype=dtype))


def in_two_dtypes(
    given: str, dtypes: tuple[str, str], compute: Callable[[Any], Any], ask: Callable[..., Any]
) -> Subst:
    """Compute the same in two dtypes of which the first may wrap, and ask about it."""
    x = tensor(2, given)
    source, target = (ask(compute(op.Cast(x, dtype=dtype)), dtype) for dtype in dtypes)
    return Subst(source, target)


def total(x: Any) -> Any:
    return op.Sum(x, axis=(0, 1), keepdims=False)


def power(x: Any) -> Any:
    result = x
    for _ in range(8):
        result = result * x
    return result


def order(value: Any, dtype: str) -> Any:
    return op.ArgSort(value, axis=0, descending=False)


def matmul(dtype: str) -> Any:
    def write(x: Any, y: Any) -> Any:
        left, right = op.Cast(x, dtype=dtype), op.Cast(y, dtype=dtype)
        return is_zero(op.Matmul(left, right, out_dtype=dtype), dtype)

    return write


def of_two_matrices() -> Subst:
    x, y = tensor(2, "bool"), tensor(2, "bool")
    return Subst(matmul("uint8")(x, y), matmul("int32")(x, y))


def of_opposites(dtype: str) -> Subst:
    x = tensor(1, dtype)
    return Subst(op.Abs(op.Subtract(pat.Const(0, dtype=dtype), x)), op.Abs(x))


WRONG: dict[str, Callable[[], Subst]] = {
    "a sum of truth values": lambda: in_two_dtypes("bool", ("uint8", "int64"), total, is_zero),
    "a sum of bytes": lambda: in_two_dtypes("uint8", ("uint8", "int64"), total, is_zero),
    "an order of sums": lambda: in_two_dtypes(
        "int8", ("int16", "int32"), lambda x: op.Sum(x, axis=(0,), keepdims=False), order
    ),
    "a truth value of a sum": lambda: in_two_dtypes(
        "bool", ("uint16", "int64"), total, lambda value, _: op.Cast(value, dtype="bool")
    ),
    "a product": lambda: in_two_dtypes(
        "uint8", ("uint8", "uint16"), lambda x: op.Prod(x, axis=(0, 1), keepdims=False), is_zero
    ),
    "a power": lambda: in_two_dtypes("uint8", ("uint8", "int32"), power, is_zero),
    "an absolute value": lambda: in_two_dtypes(
        "int8",
        ("int8", "int16"),
        op.Abs,
        lambda value, dtype: op.Less(value, pat.Const(5, dtype=dtype)),
    ),
    "a matrix product": of_two_matrices,
    "a difference without signs": lambda: of_opposites("uint8"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_wraps_in_one_dtype_is_not_proved(name: str) -> None:
    assert not is_proved_rule(rule()(WRONG[name]))


RIGHT: dict[str, Callable[[], Subst]] = {
    "a difference with signs": lambda: of_opposites("int8"),
    "elements": lambda: in_two_dtypes("bool", ("uint8", "int64"), lambda x: x, is_zero),
    "the largest": lambda: in_two_dtypes(
        "uint8", ("uint8", "int64"), lambda x: op.Max(x, axis=(0, 1), keepdims=False), is_zero
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_does_not_is(name: str) -> None:
    assert is_proved_rule(rule()(RIGHT[name]))
