"""Inputs with special values that tell two sides apart, sought among many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from gsl.expr import Call, Const, Expr, Var
from gsl.numpy_dtypes import finfo
from gsl.operators import lookup
from gslverify.comparison.calmer import INFINITY, NAN, ZERO
from gslverify.comparison.special import apart_from_rounding, changes
from gslverify.comparison.special_search import telling_inputs

FLOATS = ("float16", "bfloat16", "float32", "float64")
X, Y, Z = (Var(name, (3,)) for name in "xyz")
A, B, C = (Var(name, (1, 1)) for name in "abc")
N = Var("n", (3,), "int32")
H = Var("h", (4,), "float16")


def call(name: str, *operands: Expr, **attributes: Any) -> Expr:
    return Call(lookup(name), operands, attributes)


def add(one: Expr, other: Expr) -> Expr:
    return call("Add", one, other)


def multiply(one: Expr, other: Expr) -> Expr:
    return call("Multiply", one, other)


MEAN = call("Mean", H, axis=0)


def defined(outputs: Sequence[Expr], values: Mapping[Expr, Any], count: int) -> Any:
    """Every input is one that says something."""
    return np.zeros(count, bool)


def found(
    source: Expr, target: Expr, seed: int = 0, variables: Sequence[Var] = (X, Y, Z, A, B, C, H, N)
) -> set[tuple[str, bool, bool]]:
    """Return the ways in which sides differ, each of which the references confirm."""
    usual = {"n": np.array([5, 6, 7], np.int32)}
    ways: set[tuple[str, bool, bool]] = set()
    generator = np.random.default_rng(seed)
    for way, inputs in telling_inputs([source], [target], variables, usual, generator, defined):
        seen = filter(None, map(apart_from_rounding, changes([source], [target], inputs)))
        if any(change.kind == (way[0] or change.kind) for change in seen):
            ways.add(way)
    return ways


RULES = [
    # x y + x z overflows to infinities of both signs where y + z is finite.
    (multiply(X, add(Y, Z)), add(multiply(X, Y), multiply(X, Z)), (NAN, True, True)),
    (
        call("Matmul", A, add(B, C)),
        add(call("Matmul", A, B), call("Matmul", A, C)),
        (NAN, True, True),
    ),
    (call("Sqrt", multiply(X, X)), call("Abs", X), (INFINITY, False, True)),
    (call("Abs", X), call("Sqrt", multiply(X, X)), (INFINITY, False, True)),
    (multiply(X, Const(0.0)), call("ZerosLike", X), (ZERO, False, False)),
    (multiply(X, Const(0.0)), call("ZerosLike", X), (NAN, True, True)),
    (add(X, Const(0.0)), X, (ZERO, False, False)),
    (call("Greater", add(X, X), add(Y, Y)), call("Greater", X, Y), ("", False, True)),
    # Numbers of middle size, of which the square or the exponential overflows.
    (
        multiply(multiply(X, X), Const(2.0**-20)),
        multiply(X, multiply(X, Const(2.0**-20))),
        (INFINITY, False, True),
    ),
    (
        call("Softmax", X, axis=0),
        call("Divide", call("Exp", X), call("Sum", call("Exp", X), axis=0, keepdims=True)),
        (NAN, True, False),
    ),
    # An infinity meets a large number.
    (
        multiply(call("Minimum", multiply(call("Abs", X), Const(2.0)), Y), Const(0.5)),
        call("Minimum", call("Abs", X), multiply(Y, Const(0.5))),
        (INFINITY, False, True),
    ),
    (call("Exp", add(X, Y)), multiply(call("Exp", X), call("Exp", Y)), (NAN, True, True)),
    # exp(-x) is subnormal where exp(x) overflows and cosh(x) does not.
    (
        multiply(add(call("Exp", X), call("Exp", call("Negative", X))), Const(0.5)),
        call("Cosh", X),
        (INFINITY, False, True),
    ),
    # The mean of squares overflows, and the variance does not.
    (
        call("Variance", H, axis=0),
        call("Subtract", call("Mean", multiply(H, H), axis=0), multiply(MEAN, MEAN)),
        (NAN, True, True),
    ),
]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("source", "target", "way"), RULES)
def test_a_way_to_differ_is_found_with_every_seed(
    source: Expr, target: Expr, way: tuple[str, bool, bool], seed: int
) -> None:
    assert way in found(source, target, seed)


@pytest.mark.parametrize(
    ("source", "target", "way"),
    [
        # The product underflows to 0, and 0 / 0 is NaN without an infinity.
        (
            call("Divide", call("Divide", X, Y), Z),
            call("Divide", X, multiply(Y, Z)),
            (NAN, True, False),
        ),
        # Unlike numbers overflow to the same.
        (
            call("Argmax", multiply(X, X), axis=0),
            call("Argmax", call("Abs", X), axis=0),
            ("", False, True),
        ),
        (call("Argmax", call("Exp", X), axis=0), call("Argmax", X, axis=0), ("", False, True)),
        # Some squares overflow in float16, and the mean does not.
        (
            call("Mean", multiply(H, H), axis=0),
            multiply(
                call("Mean", multiply(H, multiply(H, Const(0.5, "float16"))), axis=0),
                Const(2.0, "float16"),
            ),
            (INFINITY, False, True),
        ),
    ],
)
def test_rare_ways_are_found_on_some_of_several_networks(
    source: Expr, target: Expr, way: tuple[str, bool, bool]
) -> None:
    assert any(way in found(source, target, seed) for seed in range(16))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (call("Negative", multiply(X, Const(2.0))), multiply(X, Const(-2.0))),
        (call("Sum", X, axis=0), call("Sum", call("Flatten", X), axis=0)),
        (call("Sum", X, axis=0), call("Sum", call("Flip", X, axis=0), axis=0)),
        (call("Prod", X, axis=0), call("Prod", call("Flip", X, axis=0), axis=0)),
        (add(X, Y), add(Y, X)),
        # Both sides differ where the reciprocal overflows, of a subnormal number only.
        (call("Divide", X, Y), multiply(X, call("Divide", Const(1.0), Y))),
        (call("Cast", N, dtype="float32"), call("Cast", N, dtype="float32")),
    ],
)
def test_sides_that_are_the_same_tell_nothing(source: Expr, target: Expr) -> None:
    assert not any(found(source, target, seed) for seed in range(5))


@pytest.mark.parametrize("reduction", ["Sum", "Prod"])
def test_no_input_tells_the_order_of_a_reduction(reduction: str) -> None:
    """max + max - max is infinite or max, by the order of which no operator speaks."""
    x = Var("x", (4, 4))
    source = call(reduction, x, axis=(0, 1))
    target = call(reduction, call(reduction, x, axis=0), axis=0)
    assert not any(found(source, target, seed, [x]) for seed in range(5))
    doubled = call(reduction, add(x, x), axis=(0, 1))
    assert any(found(source, doubled, seed, [x]) for seed in range(5))


def test_an_overflow_before_a_sum_is_none_of_its_order() -> None:
    x = Var("x", (2,))
    source = call("Sum", add(x, x), axis=0)
    target = call("Sum", x, axis=0)
    assert (NAN, True, True) in found(source, add(target, target), 0, [x])


@pytest.mark.parametrize("dtype", FLOATS)
def test_large_numbers_are_those_of_the_dtype(dtype: str) -> None:
    x = Var("x", (2,), dtype)
    doubled, source = add(x, x), call("Abs", call("Add", x, x))
    shown = list(telling_inputs([x], [doubled], [x], {}, np.random.default_rng(0), defined))
    assert (INFINITY, False, True) in dict(shown)
    largest = float(finfo(dtype).max)
    inputs = dict(shown)[INFINITY, False, True]["x"]
    assert inputs.dtype == np.dtype(dtype)
    assert largest / 2 < float(np.abs(inputs).max()) < largest
    assert not list(telling_inputs([source], [source], [x], {}, np.random.default_rng(0), defined))


def test_whole_numbers_stay_as_they_are() -> None:
    source, target = multiply(X, call("Cast", N, dtype="float32")), X
    usual = {"n": np.array([5, 6, 7], np.int32)}
    shown = list(
        telling_inputs([source], [target], [X, N], usual, np.random.default_rng(0), defined)
    )
    assert shown
    assert all(inputs["n"].tolist() == [5, 6, 7] for _, inputs in shown)


def test_what_cannot_be_computed_tells_nothing() -> None:
    """An index outside of a tensor ends the reference of an operator without a short kernel."""
    n = Var("n", (2, 1), "int32")
    given = call("GatherND", X, n)
    usual = {"n": np.full((2, 1), 7, np.int32)}
    generator = np.random.default_rng(0)
    assert not list(telling_inputs([given], [given], [X, n], usual, generator, defined))
