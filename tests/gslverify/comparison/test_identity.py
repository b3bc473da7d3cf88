"""Identities: what is certified, what differs, and what cannot be told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gsl.expr import Call, Const, Expr, Tuple, Var
from gsl.operators import lookup
from gslverify.comparison.identity import ERROR, Identity, compare_identities, indices_among
from gslverify.comparison.modular import PRIMES, OutsideError


def call(name: str, *operands: Expr, **attributes: Any) -> Expr:
    return Call(lookup(name), operands, attributes)


X, Y = Var("x", (2, 3)), Var("y", (2, 3))
SQUARE = Var("s", (3, 3))
INTEGERS = Var("n", (2, 3), "int8")
INDICES = Var("i", (2,), "int64")
HALF = Const(0.5)
HUNDRED = Const(np.array([100, 100, 99], np.int8))
INPUTS = {"i": np.array([1, 0])}

Pair = Callable[[], tuple[Expr, Expr]]


def softmax_written_out() -> tuple[Expr, Expr]:
    powers = call("Exp", X)
    total = call("Sum", powers, axis=(1,), keepdims=True)
    return call("Softmax", X, axis=1), call("Divide", powers, total)


def variance_of_squares() -> tuple[Expr, Expr]:
    mean = call("Mean", X, axis=(1,), keepdims=True)
    squares = call("Mean", call("Square", X), axis=(1,), keepdims=True)
    return (
        call("Variance", X, axis=(1,), keepdims=True),
        call("Subtract", squares, call("Square", mean)),
    )


def convolutions() -> tuple[Expr, Expr]:
    data, one, other = Var("d", (1, 2, 4, 4)), Var("v", (2, 2, 3, 3)), Var("w", (2, 2, 3, 3))
    options = {"padding": (1, 0, 2, 1), "strides": (2, 1)}
    merged = call("Conv2D", data, call("Add", one, other), **options)
    parts = [call("Conv2D", data, weight, **options) for weight in (one, other)]
    return call("Add", *parts), merged


SAME: dict[str, Pair] = {
    "association": lambda: (
        call("Add", call("Add", X, Y), X),
        call("Add", Y, call("Add", X, X)),
    ),
    "distribution of wrapping integers": lambda: (
        call("Multiply", INTEGERS, call("Add", INTEGERS, INTEGERS)),
        call("Add", *[call("Multiply", INTEGERS, INTEGERS)] * 2),
    ),
    "quotient": lambda: (
        call("Divide", call("Divide", X, Y), X),
        call("Divide", call("Divide", X, X), Y),
    ),
    "products of matrices": lambda: (
        call("Matmul", call("Matmul", X, SQUARE), SQUARE),
        call("Matmul", X, call("Matmul", SQUARE, SQUARE)),
    ),
    "sigmoid by tanh": lambda: (
        call("Sigmoid", X),
        call(
            "Multiply",
            HALF,
            call("Add", Const(1.0), call("Tanh", call("Multiply", X, HALF))),
        ),
    ),
    "function of equal arguments": lambda: (
        call("Gelu", call("Add", X, Y)),
        call("Gelu", call("Add", Y, X)),
    ),
    "constants that wrap": lambda: (
        call("Multiply", call("Multiply", INTEGERS, HUNDRED), HUNDRED),
        call("Multiply", INTEGERS, call("Multiply", HUNDRED, HUNDRED)),
    ),
    "taken": lambda: (
        call("Square", call("Take", X, INDICES, axis=1)),
        call("Take", call("Square", X), INDICES, axis=1),
    ),
    "softmax": softmax_written_out,
    "variance": variance_of_squares,
    "convolution": convolutions,
}


@pytest.mark.parametrize("pair", SAME.values(), ids=SAME.keys())
def test_identities_are_certified(pair: Pair) -> None:
    source, target = pair()
    said = compare_identities([source], [target], INPUTS)
    assert said.holds
    assert 0 < said.error <= ERROR
    assert not said.reason


DIFFERENT: dict[str, Pair] = {
    "difference": lambda: (call("Subtract", X, Y), call("Subtract", Y, X)),
    "tiny factor": lambda: (X, call("Multiply", X, Const(np.float32(1.0 + 2.0**-23)))),
    "another function": lambda: (call("Sin", X), call("Cos", X)),
    "gelu by sigmoid": lambda: (
        call("Gelu", X),
        call("Multiply", X, call("Sigmoid", call("Multiply", X, Const(1.702)))),
    ),
    "relu of negative": lambda: (
        call("Relu", call("Negative", X)),
        call("Negative", call("Relu", X)),
    ),
    "multiple of primes": lambda: (
        call("Multiply", call("Multiply", X, Const(float(PRIMES[0]))), Const(float(PRIMES[1]))),
        call("Multiply", X, Const(0.0)),
    ),
    "other constant": lambda: (call("Add", X, HALF), call("Add", X, Const(0.25))),
    "wrapping before a function": lambda: (
        call("Cast", call("Multiply", INTEGERS, INTEGERS), dtype="int32"),
        call("Square", call("Cast", INTEGERS, dtype="int32")),
    ),
    "rounding through half": lambda: (
        call("Cast", call("Cast", X, dtype="float16"), dtype="float32"),
        X,
    ),
    "shape": lambda: (X, call("Transpose", X)),
}


@pytest.mark.parametrize("pair", DIFFERENT.values(), ids=DIFFERENT.keys())
def test_what_differs_is_never_certified(pair: Pair) -> None:
    source, target = pair()
    said = compare_identities([source], [target], INPUTS)
    assert said.differ
    assert not said.holds


def test_what_cannot_be_followed_has_a_reason() -> None:
    infinite = call("Add", X, Const(np.inf))
    said = compare_identities([infinite], [infinite], {})
    assert not said.holds
    assert not said.differ
    assert "finite" in said.reason


def test_a_divisor_that_is_always_zero_tells_nothing() -> None:
    never = call("Divide", X, call("Subtract", Y, Y))
    said = compare_identities([never], [never], {})
    assert "divisor" in said.reason


def test_degrees_that_are_too_high_certify_nothing() -> None:
    power: Expr = X
    for _ in range(31):
        power = call("Square", power)
    said = compare_identities([power], [power], {})
    assert said == Identity(reason="the degrees are too high")


def test_many_functions_need_more_trials_or_certify_nothing() -> None:
    large = call("Sin", Var("x", (300, 300)))
    assert not compare_identities([large], [large], {}).holds


def test_tuples_are_compared_field_by_field() -> None:
    one, other = Tuple([X, Y]), Tuple([Y, X])
    assert compare_identities([one], [one], {}).holds
    assert compare_identities([one], [other], {}).differ


@pytest.mark.parametrize("seed", range(5))
def test_the_seed_changes_nothing(seed: int) -> None:
    source, target = softmax_written_out()
    assert compare_identities([source], [target], {}, seed).holds


# Indices keep the values that were drawn, so they must be nothing else.


def test_variables_used_as_indices() -> None:
    moved = call("Reshape", INDICES, shape=(2, 1))
    assert indices_among([call("Take", X, moved, axis=0)]) == {INDICES, moved}
    assert indices_among([call("Take", X, INDICES, axis=1), call("Flip", INDICES, axis=0)]) == {
        INDICES
    }


@pytest.mark.parametrize(
    ("outputs", "reason"),
    [
        ([call("Take", X, call("Add", INDICES, INDICES), axis=1)], "computed by Add"),
        ([call("Take", X, INDICES, axis=1), call("Square", INDICES)], "numbers, too"),
        ([call("Take", X, call("Argmax", Y, axis=1), axis=1)], "table of floats"),
    ],
)
def test_indices_that_are_computed_are_refused(outputs: list[Expr], reason: str) -> None:
    with pytest.raises(OutsideError, match=reason):
        indices_among(outputs)
