"""NaN, infinities and signed zeros: where two sides differ in them, by kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl.errors import GraphError
from gsl.evaluate import evaluate
from gsl.expr import Call, Const, Expr, Tuple, Var
from gsl.numpy_dtypes import finfo
from gsl.operators import lookup
from gslverify.comparison import special
from gslverify.comparison.calmer import INFINITY, NAN, ZERO
from gslverify.comparison.special import (
    MENUS,
    apart_from_rounding,
    changes,
    changes_between,
    has_floats,
    special_inputs,
)

X, Y = Var("x", (3,)), Var("y", (3,))


def call(name: str, *operands: Expr, **attributes: Any) -> Expr:
    return Call(lookup(name), operands, attributes)


def kinds(one: Any, other: Any) -> list[str]:
    arrays = [np.array([value], np.float32) for value in (one, other)]
    return [change.kind for change in changes_between(arrays[:1], arrays[1:], {})]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (np.nan, np.nan, []),
        (np.inf, np.inf, []),
        (-0.0, -0.0, []),
        (1.0, 2.0, []),
        (np.nan, 1.0, [NAN]),
        (1.0, np.nan, [NAN]),
        (np.inf, np.nan, [NAN]),
        (np.inf, -np.inf, [INFINITY]),
        (1.0, -np.inf, [INFINITY]),
        (0.0, -0.0, [ZERO]),
        (-0.0, 1.0, []),
    ],
)
def test_kinds_are_told_apart(one: float, other: float, expected: list[str]) -> None:
    assert kinds(one, other) == expected


def test_integers_and_shapes_are_left_to_others() -> None:
    ints, floats = np.array([1]), np.array([np.nan, 1.0])
    assert list(changes_between([ints], [ints + 1], {})) == []
    assert list(changes_between([floats], [floats[:1]], {})) == []


RULES = [
    (call("Multiply", X, Const(0.0)), call("Subtract", X, X), {ZERO}),
    (call("Add", X, Const(0.0)), X, {ZERO}),
    (call("Divide", call("Multiply", X, Y), Y), X, {NAN}),
    (call("Add", X, call("Negative", Y)), call("Subtract", X, Y), set()),
    (call("Transpose", X), X, set()),
    (call("Equal", X, X), call("OnesLike", X, dtype="bool"), {NAN}),
    (call("NotEqual", X, X), call("ZerosLike", X, dtype="bool"), {NAN}),
    (call("Greater", X, X), call("ZerosLike", X, dtype="bool"), set()),
    (call("Less", call("Subtract", X, X), Const(1.0)), call("Equal", X, X), {INFINITY}),
    (
        call("Less", call("Divide", Const(1.0), X), Const(0.0)),
        call("Less", X, Const(0.0)),
        {ZERO},
    ),
    (
        call("Cast", call("Equal", X, X), dtype="float32"),
        call("OnesLike", X, dtype="float32"),
        {NAN},
    ),
    (call("Where", call("Less", X, Y), X, Y), call("Minimum", X, Y), {NAN}),
    (call("Maximum", X, Const(-9.0)), call("Add", X, Const(0.0)), {INFINITY}),
    (call("Exp", call("Add", X, Y)), call("Multiply", call("Exp", X), call("Exp", Y)), set()),
    (call("Tanh", call("Negative", X)), call("Negative", call("Tanh", X)), set()),
    (call("Argmax", X, axis=0), call("Argmin", call("Negative", X), axis=0), set()),
    (Tuple([X, call("Maximum", X, Y)]), Tuple([X, call("Where", call("Less", X, Y), Y, X)]), {NAN}),
]


@pytest.mark.parametrize(("source", "target", "expected"), RULES)
def test_changes_of_rules(source: Expr, target: Expr, expected: set[str]) -> None:
    seen = set()
    generator = np.random.default_rng(0)
    for kind in MENUS:
        for _ in range(8):
            inputs = special_inputs([X, Y], {}, kind, generator)
            seen |= {change.kind for change in changes([source], [target], inputs)}
    assert seen >= expected
    assert bool(seen) == bool(expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_rounding_decides_beside_the_end_of_the_range_only(dtype: str) -> None:
    largest = float(finfo(dtype).max)
    finite = np.array([largest, -0.97 * largest, 0.9 * largest, 1.0, -np.inf, np.nan]).astype(dtype)
    infinite = np.full(6, np.inf).astype(dtype)
    for one, other in ((finite, infinite), (infinite, finite)):
        (change,) = [c for c in changes_between([one], [other], {}) if c.kind == INFINITY]
        kept = apart_from_rounding(change)
        assert kept is not None
        assert kept.places.tolist() == [False, False, True, True, True, False]
    (change,) = changes_between([finite[:2]], [infinite[:2]], {})
    assert apart_from_rounding(change) is None


def test_other_kinds_are_not_about_rounding() -> None:
    change, *_ = changes_between([np.array([np.nan])], [np.array([1.0])], {})
    assert apart_from_rounding(change) is change


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_what_rounding_decides_near_the_ends_is_left_to_others(dtype: str) -> None:
    """x + y > x loses small y whether or not the numbers are the largest; that is no overflow."""
    x, y = Var("x", (4, 3), dtype), Var("y", (4, 3), dtype)
    zero = Const(np.dtype(dtype).type(0.0), dtype)
    source, target = call("Greater", call("Add", x, y), x), call("Greater", y, zero)
    inputs = {
        "x": np.full((4, 3), finfo(dtype).max, dtype),
        "y": np.ones((4, 3), dtype),
    }
    assert not evaluate([source], inputs)[0].any()
    assert list(changes([source], [target], inputs)) == []


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_truth_values_that_overflow_decides_are_changes(dtype: str) -> None:
    x, y = Var("x", (3,), dtype), Var("y", (3,), dtype)
    doubled = call("Greater", call("Add", x, x), call("Add", y, y))
    largest = finfo(dtype).max
    inputs = {
        "x": np.array([largest, 1.0, largest], dtype),
        "y": np.array([0.75 * largest, -2.0, 1.0], dtype),
    }
    (change,) = changes([doubled], [call("Greater", x, y)], inputs)
    assert change.places.tolist() == [True, False, False]


def test_decisions_that_differ_anyway_are_left_to_others() -> None:
    inputs = {"x": np.array([np.nan, 1.0, -2.0], np.float32)}
    positive, negative = (call(name, X, Const(0.0)) for name in ("Greater", "Less"))
    assert list(changes([positive], [negative], inputs)) == []
    floats = [call("Cast", side, dtype="float32") for side in (positive, negative)]
    assert list(changes(floats[:1], floats[1:], inputs)) == []
    (change,) = changes([call("Equal", X, X)], [call("OnesLike", X, dtype="bool")], inputs)
    assert change.places.tolist() == [True, False, False]


@pytest.mark.parametrize(("divisor", "expected"), [(1e-39, set()), (-0.0, {ZERO})])
def test_what_subnormal_numbers_change_is_left_out(divisor: float, expected: set[str]) -> None:
    """Many machines take them for 0, of which the reciprocal is infinite on both sides."""
    inputs = {
        "x": np.array([1e-3, 2.0, 0.0], np.float32),
        "y": np.array([divisor, 2.0, 3.0], np.float32),
    }
    by_reciprocal = call("Multiply", X, call("Divide", Const(1.0), Y))
    found = changes([call("Divide", X, Y)], [by_reciprocal], inputs)
    negated = changes([call("Add", Y, Const(0.0))], [Y], inputs)
    assert not list(found)
    assert {change.kind for change in negated} == expected


def test_changes_are_kept_where_flushed_numbers_say_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*arguments: Any) -> Any:
        raise GraphError("an index is out of range")

    inputs = {"y": np.array([-0.0, 2.0, 3.0], np.float32)}
    monkeypatch.setattr(special, "value_or_error", refused)
    found = changes([call("Add", Y, Const(0.0))], [Y], inputs)
    assert {change.kind for change in found} == {ZERO}


def test_inputs_of_a_kind_keep_integers() -> None:
    whole = Var("n", (3,), "int32")
    usual = {"n": np.array([5, 6, 7], np.int32)}
    inputs = special_inputs([X, whole], usual, NAN, np.random.default_rng(0))
    assert inputs["n"] is usual["n"]
    assert inputs["x"].dtype == np.float32
    drawn = special_inputs([Var("x", (200,))], {}, ZERO, np.random.default_rng(0))["x"]
    assert {str(value) for value in drawn} == {"0.0", "-0.0", "1.0", "-2.0"}


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (call("Abs", X), True),
        (call("Cast", X, dtype="int32"), True),
        (call("Cast", Var("n", (), "int8"), dtype="float16"), True),
        (call("Abs", Var("n", (), "int8")), False),
    ],
)
def test_floats_are_given_or_computed(output: Expr, expected: bool) -> None:
    assert has_floats([output]) is expected


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "bool"])
def test_where_there_are_no_floats_numbers_are_those_that_make_special_ones(dtype: str) -> None:
    n = Var("n", (200,), dtype)
    generator = np.random.default_rng(0)
    drawn = {kind: special_inputs([n], {}, kind, generator)["n"] for kind in MENUS}

    assert all(array.dtype == dtype for array in drawn.values())
    assert 0 in drawn[NAN]
    assert 0 in drawn[ZERO]
    if dtype != "bool":
        assert {np.iinfo(dtype).min, np.iinfo(dtype).max} <= {*drawn[INFINITY].tolist()}


def test_what_cannot_be_run_changes_nothing() -> None:
    assert list(changes([call("Abs", X)], [call("Abs", X)], {})) == []


NARROW = Var("x", (1, 2), "bfloat16")


def normalised(deviation: Expr) -> Expr:
    squares = call("Multiply", deviation, deviation)
    variance = call("Mean", squares, axis=(1,), keepdims=True)
    with_epsilon = call("Add", variance, Const(np.asarray(0.25, "bfloat16")))
    return call("Divide", deviation, call("Sqrt", with_epsilon))


def test_steps_that_references_do_not_round_may_be_rounded() -> None:
    """Squares overflow, and the deviation of the first is rounded to 0, or it is negative."""
    deviation = call("Subtract", NARROW, call("Mean", NARROW, axis=(1,), keepdims=True))
    scale, shift = (Const(np.asarray([value] * 2, "bfloat16")) for value in (1, 0))
    layer = call(
        "LayerNorm", NARROW, scale, shift, axes=(1,), epsilon=0.25, center=False, scale=False
    )
    inputs = {"x": np.array([[-5.0706024e33, -5.05032e33]], "bfloat16")}
    one, other = (evaluate([expr], inputs)[0] for expr in (layer, normalised(deviation)))
    assert list(np.signbit(one[0]) != np.signbit(other[0])) == [True, False]
    assert list(changes([layer], [normalised(deviation)], inputs)) == []
    apart = {"x": np.array([[5.0e33, -5.0e33]], "bfloat16")}
    without_sign = call("Abs", normalised(deviation))
    assert list(changes([layer], [normalised(deviation)], apart)) == []
    assert [one.kind for one in changes([layer], [without_sign], apart)] == [ZERO]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_changes_of_narrow_floats_are_found(dtype: str) -> None:
    x = Var("x", (2,), dtype)
    inputs = {"x": np.array([-0.0, np.inf], dtype)}
    added = call("Add", x, Const(np.asarray(0.0, dtype)))
    product = call("Multiply", x, Const(np.asarray(0.0, dtype)))
    assert [one.kind for one in changes([added], [x], inputs)] == [ZERO]
    zeros = call("ZerosLike", x, dtype=dtype)
    assert [one.kind for one in changes([product], [zeros], inputs)] == [NAN, ZERO]
