"""Errors of source and target against float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl.expr import Call, Const, Expr, Tuple, Var
from gsl.operators import lookup
from gslverify.comparison.precision import Errors, errors_of, examined_dtype

X, Y = Var("x", (4,)), Var("y", (4,))
OFFSETS = {"x": np.array([1000.0, 1001.0, 999.5, 1000.25], np.float32)}
USUAL = {
    "x": np.array([0.1, -2.3, 3.7, 1.9], np.float32),
    "y": np.array([1.1, 0.7, -3.1, 2.2], np.float32),
}


def call(name: str, *operands: Expr, **attributes: Any) -> Expr:
    return Call(lookup(name), operands, attributes)


def variance_by_squares(x: Expr) -> Expr:
    mean = call("Mean", x, axis=(0,))
    return call("Subtract", call("Mean", call("Square", x), axis=(0,)), call("Square", mean))


def test_a_difference_of_large_squares_loses_digits() -> None:
    found = errors_of([call("Variance", X, axis=(0,))], [variance_by_squares(X)], OFFSETS)
    assert found is not None
    assert found.is_weak
    assert found.target > 100 * found.source
    assert "float32: source off by" in str(found)


def test_on_values_around_zero_it_does_not() -> None:
    found = errors_of([call("Variance", X, axis=(0,))], [variance_by_squares(X)], USUAL)
    assert found is not None
    assert not found.is_weak


def test_an_overflow_of_the_target_alone_is_a_loss() -> None:
    half = Var("x", (2,), "float16")
    inputs = {"x": np.array([300.0, 1.0], np.float16)}
    target = call("Divide", call("Square", half), half)
    found = errors_of([call("Abs", half)], [target], inputs)
    assert found is not None
    assert found.is_weak
    assert found.target == np.inf
    both = errors_of([target], [target], inputs)
    assert both is not None
    assert not both.is_weak


NOISE = [
    (call("Add", call("Add", X, Y), Y), call("Add", X, call("Add", Y, Y))),
    (call("Divide", call("Divide", X, Y), Y), call("Divide", X, call("Multiply", Y, Y))),
    (call("Subtract", call("Exp", X), call("Exp", X)), call("Multiply", X, Const(0.0))),
    (
        call("Multiply", X, call("Add", Y, Y)),
        call("Add", call("Multiply", X, Y), call("Multiply", X, Y)),
    ),
]


@pytest.mark.parametrize(("source", "target"), NOISE)
def test_rounding_in_another_order_is_noise(source: Expr, target: Expr) -> None:
    found = errors_of([source], [target], USUAL)
    assert found is not None
    assert not found.is_weak


def test_fields_of_tuples_count() -> None:
    source = Tuple([X, call("Variance", X, axis=(0,))])
    target = Tuple([X, variance_by_squares(X)])
    found = errors_of([source], [target], OFFSETS)
    assert found is not None
    assert found.is_weak


@pytest.mark.parametrize(
    ("output", "dtype"),
    [
        (call("Abs", X), "float32"),
        (call("Abs", Var("x", (), "float16")), "float16"),
        (call("Abs", Var("x", (), "float64")), ""),
        (call("Abs", Var("x", (), "int8")), ""),
        (call("Cast", X, dtype="float16"), ""),
        (call("Less", X, Y), "float32"),
    ],
)
def test_networks_of_one_narrow_dtype_are_measured(output: Expr, dtype: str) -> None:
    assert examined_dtype([output]) == dtype
    if not dtype:
        assert errors_of([output], [output], {}) is None


def test_what_cannot_be_run_is_not_measured() -> None:
    assert errors_of([call("Abs", X)], [call("Abs", X)], {}) is None


@pytest.mark.parametrize(
    ("source", "target", "floor", "is_weak"),
    [(1.0, 4.0, 0.1, False), (1.0, 4.1, 0.1, True), (0.0, 0.2, 0.3, False), (0.0, 0.4, 0.3, True)],
)
def test_four_times_and_a_floor(source: float, target: float, floor: float, is_weak: bool) -> None:
    assert Errors("float32", source, target, floor).is_weak is is_weak
