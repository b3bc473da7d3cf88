"""Decisions, casts and values that are not finite: what may be concluded in spite of rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from gslverify.comparison.bounded import AmbiguousError, Bounded, rounding_like
from tests.gslverify.inexact import arrays, errors, inexact, quick


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


# What is not finite.


def test_what_is_invalid_is_certain_not_to_be_finite() -> None:
    zero, one = Bounded([0.0]), Bounded([1.0])
    for result in (zero / zero, one / zero, np.log(zero), np.log(-one), np.sqrt(-one)):
        assert not np.isfinite(result.value)
        assert result.is_exact
    assert np.power(zero, -one).is_exact


@pytest.mark.parametrize(
    "compute",
    [
        lambda a: a + np.exp(Bounded([1.0])),
        lambda a: np.exp(Bounded([1.0])) * a,
        lambda a: np.sum(np.concatenate([a, np.exp(Bounded([1.0]))])),
        lambda a: np.matmul(np.expand_dims(a, 0), np.exp(Bounded([[1.0]]))),
        lambda a: np.exp(a),
        lambda a: np.tanh(a),
        lambda a: np.floor(a),
        lambda a: np.maximum(a, Bounded([1.0])),
        lambda a: a.astype("float16"),
    ],
)
def test_nan_stays_certain(compute: Any) -> None:
    result = compute(Bounded([0.0]) / Bounded([0.0]))
    assert np.isnan(result.value).all()
    assert result.is_exact


def test_infinity_among_exact_values_stays_certain() -> None:
    infinity = Bounded([1.0]) / Bounded([0.0])
    assert (infinity * 2.0 + 1.0).is_exact
    assert np.exp(infinity).is_exact
    assert np.isinf((infinity + np.exp(Bounded([1.0]))).error).all()


@pytest.mark.parametrize(
    "compute",
    [
        lambda: np.exp(Bounded([1000.0])),
        lambda: Bounded([1e300]) * Bounded([1e300]),
        lambda: Bounded([1.0]) / Bounded([0.0], [1e-3]),
        lambda: Bounded([1.0]) / Bounded([1e-4], [1e-3]),
        lambda: np.sqrt(Bounded([0.0], [1e-3])),
        lambda: np.log(Bounded([-1.0], [1e-3])),
        lambda: np.prod(Bounded([1e200, 1e200, 0.0])),
    ],
)
def test_nothing_is_known_after_overflow_or_near_a_pole(compute: Any) -> None:
    assert np.isinf(compute().error).all()


def test_an_overflow_of_the_machine_is_unknown_although_the_value_is_finite() -> None:
    with rounding_like("float16"):
        result = Bounded([300.0, 2.0]) * Bounded([300.0, 2.0])
        assert np.isinf(result.error).tolist() == [True, False]
        assert np.isinf(np.exp(Bounded([12.0])).error).all()
        assert np.isinf(np.sum(Bounded([60000.0, 60000.0, -60000.0])).error)


def test_an_underflow_of_the_machine_is_covered() -> None:
    with rounding_like("float16"):
        small = Bounded(np.float16([1e-5]))
        assert (small * small).error >= 1e-10
        assert np.prod(Bounded(np.float16([1e-5, 1e-5, 1e4]))).error >= 1e-6


# Decisions.

COMPARISONS = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]


@pytest.mark.parametrize("ufunc", COMPARISONS, ids=lambda ufunc: ufunc.__name__)
@quick
@given(left=inexact(), right=inexact())
def test_comparisons_are_right_or_raise(ufunc: Any, left: Any, right: Any) -> None:
    try:
        decided = ufunc(left[0], right[0])
    except AmbiguousError:
        assert not (left[0].is_exact and right[0].is_exact)
        return
    np.testing.assert_array_equal(decided, ufunc(left[1], right[1]))


def test_comparisons_of_exact_places_do_not_depend_on_others() -> None:
    left, right = Bounded([1.0, 5.0], [0.0, 0.5]), Bounded([1.0, 7.0], [0.0, 0.5])
    assert (left == right).tolist() == [True, False]
    assert (left < right).tolist() == [False, True]
    assert (left > 0).tolist() == [True, True]


@pytest.mark.parametrize(
    "decide",
    [
        lambda: Bounded([1.0], [0.5]) < 1.25,
        lambda: Bounded([np.nan], [np.inf]) < 1.0,
        lambda: Bounded([np.nan], [0.5]) == 1.0,
        lambda: Bounded([1.0], [np.inf]) > 0.0,
        lambda: Bounded([np.inf], [np.inf]) > 0.0,
        lambda: np.isfinite(Bounded([1.0], [np.inf])),
        lambda: np.argmax(Bounded([1.0, 1.5], [0.5, 0.5]), 0),
        lambda: np.argmin(Bounded([1.0, 1.5], [0.0, 0.5]), 0),
        lambda: np.argmax(Bounded([1.0, 1.0], [0.0, 1e-9]), 0),
        lambda: Bounded([1.9], [0.2]).astype("int32"),
        lambda: Bounded([np.nan], [np.nan]).astype("int32"),
        lambda: Bounded([np.inf], [np.inf]).astype("int8"),
        lambda: Bounded([0.0], [0.2]).astype("bool"),
        lambda: Bounded([0.1], [0.2]).astype("bool"),
    ],
)
def test_what_rounding_decides_is_ambiguous(decide: Any) -> None:
    with pytest.raises(AmbiguousError):
        decide()


def test_exact_comparisons_with_nan_are_those_of_numpy() -> None:
    nan = Bounded([np.nan])
    assert [bool(f(nan, 1.0)) for f in COMPARISONS] == [False, True, False, False, False, False]


def test_classification() -> None:
    values = Bounded([1.0, np.inf, np.nan], [0.5, 0.0, 0.0])
    assert np.isfinite(values).tolist() == [True, False, False]
    assert np.isinf(values).tolist() == [False, True, False]
    assert np.isnan(values).tolist() == [False, False, True]
    assert np.isfinite(values).dtype == bool


@pytest.mark.parametrize("func", [np.argmax, np.argmin], ids=lambda func: func.__name__)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
@quick
@given(value=arrays(shape=(3, 4)), error=errors)
def test_places_of_extremes_are_right_or_ambiguous(
    func: Any, axis: int, keepdims: bool, value: Any, error: float
) -> None:
    try:
        place = func(Bounded(value, np.full(value.shape, error)), axis=axis, keepdims=keepdims)
    except AmbiguousError:
        assert error
        return
    for sign in (-1, 1):
        moved = value + sign * error * np.sign(value - np.median(value))
        np.testing.assert_array_equal(place, func(moved, axis=axis, keepdims=keepdims))


# Casts.


@pytest.mark.parametrize(("source", "target"), [("float64", "float16"), ("float32", "float16")])
@quick
@given(operand=inexact())
def test_narrowing_rounds_and_covers_the_machine(source: str, target: str, operand: Any) -> None:
    rounded = Bounded(operand[0].value, operand[0].error, source).astype(target)
    assert rounded.dtype == target
    np.testing.assert_array_equal(rounded.value, operand[0].value.astype(target))
    assert np.all(np.abs(rounded.value - operand[1].astype(target)) <= rounded.error)
    assert not rounded.error[operand[0].error == 0].any()


HALF = Bounded([2048.0, 2048.0, 3.0, 60000.0], dtype="float16")
UNHELD: dict[str, tuple[Any, list[float], list[float]]] = {
    "sum": (
        lambda a: a + Bounded([1.0, 2.0, 1.0, 60000.0], dtype=a.dtype),
        [2049.0, 2050.0, 4.0, 120000.0],
        [2.0, 0.0, 0.0, 0.0],
    ),
    "product": (
        lambda a: a * Bounded([1.0, 3.0, 683.0, 60000.0], dtype=a.dtype),
        [2048.0, 6144.0, 2049.0, 3.6e9],
        [0.0, 0.0, 2.0, 0.0],
    ),
    "quotient": (
        lambda a: a / Bounded([1.0, 2.0, 2.0, 0.5], dtype=a.dtype),
        [2048.0, 1024.0, 1.5, 120000.0],
        [0.0, 0.0, 0.0, 0.0],
    ),
}


@pytest.mark.parametrize("name", UNHELD)
def test_exact_results_that_a_dtype_does_not_hold_are_not_certain(name: str) -> None:
    compute, values, errors_of_half = UNHELD[name]
    for dtype, expected in (("float16", errors_of_half), ("float32", [0.0] * 4)):
        result = compute(HALF.astype(dtype))
        assert (result.value.tolist(), result.error.tolist()) == (values, expected)


def test_a_sum_of_what_is_not_held_is_rounded_once_more() -> None:
    first = Bounded([2048.0], dtype="float16") + Bounded([1.0], dtype="float16")
    total = first + Bounded([60000.0], dtype="float16")

    assert total.value == 62049.0
    assert total.error > 2.0 + 32.0
    assert np.abs(np.float16(62049.0) - total.value) <= total.error


def test_a_sum_that_was_rounded_by_a_cast_differs_from_one_that_was_not() -> None:
    one, other = Bounded([2048.0], dtype="float16"), Bounded([1.0], dtype="float16")
    wide = one.astype("float32") + other.astype("float32")
    narrow, same = wide.astype("float16"), one + other

    assert (wide.is_exact, narrow.is_exact) == (True, True)
    assert np.abs(narrow.value - wide.value) > narrow.error + wide.error
    assert np.abs(narrow.value - same.value) <= narrow.error + same.error


def test_widening_keeps_values_and_errors() -> None:
    wide = Bounded([1.0, 2.0], [0.5, 0.0], "float16").astype("float64")
    assert (wide.value.tolist(), wide.error.tolist(), wide.dtype) == ([1, 2], [0.5, 0], "float64")


def test_narrowing_beyond_the_range_is_unknown_as_every_overflow_is() -> None:
    rounded = Bounded([1e6, 1e6, np.inf], [1.0, 0.0, 0.0], "float64").astype("float16")
    assert np.isinf(rounded.value).all()
    assert rounded.error.tolist() == [np.inf, np.inf, 0.0]


def test_integers_round_when_they_become_floats() -> None:
    assert Bounded(np.array([2**24 + 1]), dtype="int32").astype("float32").value == 2**24


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "bool"])
def test_conversion_to_integers(dtype: str) -> None:
    values = np.array([0.0, 1.5, 3.75, 100.25])
    for error in (0.0, 0.125):
        converted = Bounded(values, error * (values != 0)).astype(dtype)
        assert isinstance(converted, np.ndarray)
        np.testing.assert_array_equal(converted, values.astype(dtype))


@pytest.mark.parametrize(
    ("compute", "operand"),
    [
        (np.sqrt, [0.0, 1.0, 2.25, 144.0]),
        (np.exp, [0.0]),
        (np.cos, [0.0]),
        (np.sin, [0.0]),
        (np.tanh, [0.0]),
        (np.log, [1.0]),
    ],
)
def test_functions_have_exact_values_of_some_numbers(compute: Any, operand: list[float]) -> None:
    assert compute(Bounded(operand)).is_exact
    assert not compute(Bounded([*operand, 3.0])).is_exact
    assert not compute(Bounded(operand, np.full(len(operand), 1e-9))).is_exact


def test_same_function_of_the_same_number_is_a_tie() -> None:
    one, other = Bounded([1.0, 2.0, 3.0]), Bounded([1.0, 2.5, 2.0])

    def scaled(operand: Bounded) -> Any:
        return np.expand_dims(np.tanh(operand * 0.1), 0)

    assert (scaled(one) >= scaled(other)).tolist() == [[True, False, True]]
    assert (scaled(one)[0, :1] > scaled(other)[0, :1]).tolist() == [False]
    assert np.argmax(scaled(Bounded([2.0, 5.0, 5.0])), axis=1).tolist() == [1]


@pytest.mark.parametrize(
    "other",
    [
        lambda operand: np.tanh(operand * 0.1) + 0.0 * operand,
        lambda operand: np.tanh(operand / 10.0),
        lambda operand: np.tanh(np.tril(np.broadcast_to(operand, (3, 3)))[2] * 0.1) * 1.0,
    ],
)
def test_other_functions_of_the_same_number_are_no_tie(other: Any) -> None:
    operand = Bounded([1.0, 2.0, 3.0])
    with pytest.raises(AmbiguousError):
        _ = np.tanh(operand * 0.1) > other(operand)
