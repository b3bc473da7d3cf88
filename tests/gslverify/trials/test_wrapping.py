"""Integers that wrap on the way are seen, and what is meant to wrap is none of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Call, Const, Expr, Tuple, Var
from gsl.operators import lookup
from gslverify.trials.wrapping import wrapped, wraps

X, Y = Var("x", (2, 3), "int8"), Var("y", (2, 3), "int8")
U, V = Var("u", (2, 3), "uint8"), Var("v", (2, 3), "int64")


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), list(operands), attributes)


def wide(x: Expr) -> Call:
    return call("Cast", x, dtype="int32")


WRAPS: dict[str, tuple[Expr, int, int, bool]] = {
    "a sum": (call("Add", X, Y), 100, 28, True),
    "a sum that fits": (call("Add", X, Y), 100, 27, False),
    "a difference": (call("Subtract", X, Y), -100, 29, True),
    "a difference that fits": (call("Subtract", X, Y), -100, 28, False),
    "a difference of naturals": (call("Subtract", U, U), 3, 0, False),
    "a natural below zero": (call("Subtract", U, call("Add", U, U)), 3, 0, True),
    "a product": (call("Multiply", X, Y), 64, 2, True),
    "a product that fits": (call("Multiply", X, Y), 64, 1, False),
    "the negative of the least number": (call("Negative", X), -128, 0, True),
    "the negative of another": (call("Negative", X), -127, 0, False),
    "the size of the least number": (call("Abs", X), -128, 0, True),
    "the least number by -1": (call("FloorDivide", X, Y), -128, -1, True),
    "another by -1": (call("FloorDivide", X, Y), -127, -1, False),
    "a sum over axes": (call("Sum", V, axis=(0, 1), keepdims=False), 2**62, 0, True),
    "a sum over axes that fits": (call("Sum", V, axis=(0, 1), keepdims=False), 2**60, 0, False),
    "a sum that is computed in a wider dtype": (
        call("Sum", X, axis=(0, 1), keepdims=False), 22, 0, True,
    ),
    "one that fits": (call("Sum", X, axis=(0, 1), keepdims=False), 21, 0, False),
    "products of rows": (
        call("Matmul", X, call("Transpose", Y, axes=(1, 0)), out_dtype="int8"), 7, 7, True,
    ),
    "products of rows that fit": (
        call("Matmul", X, call("Transpose", Y, axes=(1, 0)), out_dtype="int8"), 7, 6, False,
    ),
    "the larger of two": (call("Maximum", X, Y), 100, 100, False),
    "all bits changed": (call("BitwiseNot", U), 100, 0, False),
    "a conversion, which is meant to": (
        call("Cast", call("Multiply", wide(X), wide(X)), dtype="int8"), 100, 0, False,
    ),
    "inside, though not at the end": (
        call("Subtract", call("Add", X, Y), Y), 100, 100, True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRAPS)
def test_integers_that_wrap(case: str) -> None:
    output, x, y, expected = WRAPS[case]
    inputs = {
        "x": np.full((2, 3), x if abs(x) <= 128 else 0, np.int8),
        "y": np.full((2, 3), y, np.int8),
        "u": np.full((2, 3), abs(x) % 256, np.uint8),
        "v": np.full((2, 3), x, np.int64),
    }
    assert wraps([output], inputs) is expected


def inputs_of(x: list[int], y: list[int]) -> dict[str, Any]:
    return {"x": np.array([x, x], np.int8), "y": np.array([y, y], np.int8)}


def positive(x: Expr) -> Call:
    return call("Greater", x, Const(np.asarray(0, np.int8)))


WRAPPING = inputs_of([1, 100, -3], [2, 100, -4])
SUM = call("Add", X, Y)
ROW = call("Sum", SUM, axis=(1,), keepdims=True)
PLACES: dict[str, tuple[Expr, list[bool]]] = {
    "itself": (SUM, [False, True, False]),
    "what is computed of it": (call("BitwiseAnd", SUM, Y), [False, True, False]),
    "a comparison": (call("Less", SUM, Y), [False, True, False]),
    "what is chosen": (call("Where", positive(X), SUM, Y), [False, True, False]),
    "what is not chosen": (call("Where", positive(X), Y, SUM), [False, False, False]),
    "what chooses": (call("Where", positive(SUM), X, Y), [False, True, False]),
    "what is moved": (call("Flip", SUM, axis=1), [False, True, False]),
    "the end of a row": (call("StridedSlice", SUM, begin=(0, 1), end=(2, 3), strides=(1, 1)),
                         [True, False]),
    "a row": (ROW, [True]),
    "the largest of a row": (call("Max", SUM, axis=(1,), keepdims=True), [True]),
    "something else": (call("Subtract", X, Y), [False, False, False]),
}  # fmt: skip


@pytest.mark.parametrize("case", PLACES)
def test_elements_that_depend_on_what_wraps(case: str) -> None:
    output, expected = PLACES[case]
    (found,) = wrapped([output], WRAPPING)
    assert found.tolist() == [expected] * 2


def test_fields_of_tuples_are_told_apart() -> None:
    both = call("Concatenate", Tuple([SUM, X]), axis=1)
    (found,) = wrapped([call("Split", both, indices_or_sections=2, axis=1)], WRAPPING)
    assert [bool(one.any()) for one in found] == [True, False]


def test_outputs_are_told_apart() -> None:
    outputs = [SUM, call("Subtract", X, Y)]
    assert [bool(one.any()) for one in wrapped(outputs, WRAPPING)] == [True, False]
    assert not wraps(outputs[1:], WRAPPING)
