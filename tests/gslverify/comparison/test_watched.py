"""What is noted of the comparisons that a reference of a user makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gsl.expr import Call, Expr, Var
from gsl.operators import REGISTRY
from gsl.operators.declaration import Need, Tensor, operator
from gsl.types import TensorType
from gslverify.comparison.watched import comparisons_beside_functions, distances
from gslverify.networks.turning import Turning


@pytest.fixture
def called() -> Iterator[Callable[[Any], Call]]:
    def call(reference: Any) -> Call:
        @operator(dtypes=None)
        def Followed(need: Need, data: Tensor) -> TensorType:
            return data

        Followed.numpy(reference)
        return Call(Followed, (Var("x", (3,), "float32"),), {})

    yield call
    REGISTRY.pop("Followed", None)


def noted(call: Call, *values: float) -> list[list[float]]:
    found = distances((call,), {"x": np.array(values, "float32")}, [call])
    return [[float(one) for one in apart] for apart in found.values()]


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        (lambda data: np.where(data == 2, 0, data), [[-1.0, 0.0, 1.0]]),
        (lambda data: data * (data.sum() < 10), [[-4.0]]),
        (lambda data: np.maximum(data, data[::-1]), [[-2.0, 0.0, 2.0]]),
        (lambda data: np.clip(data, 2.0, 5.0), [[-1.0, 0.0, 1.0], [-4.0, -3.0, -2.0]]),
        (lambda data: np.sign(data - 1), [[0.0, 1.0, 2.0]]),
        (lambda data: data + 1 if data[0] - 1 else data, [[0.0]]),
        (lambda data: sum(np.abs(one) for one in data), [[1.0], [2.0], [3.0]]),
        (lambda data: data + data, []),
    ],
)
def test_comparisons_are_noted(
    reference: Any, expected: list[list[float]], called: Callable[[Any], Call]
) -> None:
    assert noted(called(reference), 1.0, 2.0, 3.0) == expected


def test_comparisons_in_a_loop_are_noted_each(called: Callable[[Any], Call]) -> None:
    def looped(data: Any) -> Any:
        for limit in (1.0, 2.0):
            data = np.where(data > limit, data, data)
        return data

    assert noted(called(looped), 1.0, 2.0, 3.0) == [[0.0, 1.0, 2.0], [-1.0, 0.0, 1.0]]


def test_nothing_is_noted_of_a_reference_that_fails(called: Callable[[Any], Call]) -> None:
    def failing(data: Any) -> Any:
        raise ValueError(data > 0)

    assert noted(called(failing), 1.0, 2.0, 3.0) == []


def call_of(name: str, *operands: Expr) -> Call:
    return Call(REGISTRY[name], operands, {})


X = Var("x", (3,), "float32")


def test_nothing_is_noted_of_calls_that_are_not_asked_about() -> None:
    call = call_of("Relu", X)
    assert distances((call,), {"x": np.ones(3, "float32")}, []) == {}


def test_comparisons_of_what_functions_made_are_followed() -> None:
    made = call_of("Add", call_of("Exp", X), X)
    above, beside = call_of("Greater", made, X), call_of("Greater", X, X)
    assert comparisons_beside_functions((call_of("LogicalAnd", above, beside),)) == [above, beside]
    assert comparisons_beside_functions((beside,)) == []


def test_truth_values_of_functions_are_not_compared_by_them() -> None:
    above = call_of("Greater", call_of("Exp", X), X)
    unknown = call_of("LogicalNot", above)
    assert comparisons_beside_functions((unknown,)) == [above]


def test_inputs_are_found_at_which_two_elements_have_a_sum(called: Callable[[Any], Call]) -> None:
    call = called(lambda data: np.where(data[0] + data[2] == 1000, 0, data))
    base = {"x": np.array([1.0, 2.0, 3.0], "float32")}
    found = Turning().inputs((call,), [base])
    assert any(one["x"][0] + one["x"][2] == 1000 for one in found)


def two_sums(data: Any) -> Any:
    both = (data[0] + data[1] == 10) & (data[0] - data[1] == 4)
    return np.where(both, 0, data)


def one_sum_after_another(data: Any) -> Any:
    if data[0] + data[2] == 1000 and data[0] - 2 * data[2] == 70:
        return 0 * data
    return data


def three_sums(data: Any) -> Any:
    first, second, third = data
    if first + second + third == 500 and first - second == 31 and second + 3 * third == 92:
        return 0 * data
    return data


def all_equal(data: Any) -> Any:
    return data * np.where(np.all(data == 61.5), 0, 1)


def all_of_a_table(data: Any) -> Any:
    return data * np.where(np.all(2 * data == np.array([90.0, 8.0, -31.0])), 0, 1)


def the_same_backwards(data: Any) -> Any:
    return data * np.where(np.all(data == 10 * data[::-1] - 9 * data[1]), 0, 1)


def rising_fast(data: Any) -> Any:
    return data * np.where(np.all(data[1:] - 1_000 > data[:-1]), 0, 1)


def all_above(data: Any) -> Any:
    return data * np.where(np.all(data > 54_321), 0, 1)


@pytest.mark.parametrize(
    "reference",
    [
        *(two_sums, one_sum_after_another, three_sums, all_equal, all_of_a_table, all_above),
        *(the_same_backwards, rising_fast),
    ],
)
def test_inputs_are_found_of_which_several_elements_have_to_change(
    reference: Any, called: Callable[[Any], Call]
) -> None:
    base = {"x": np.array([1.0, 2.0, 3.0], "float32")}
    found = Turning().inputs((called(reference),), [base])
    assert any(not reference(one["x"]).any() for one in found)


def test_inputs_without_numbers_are_left_alone(called: Callable[[Any], Call]) -> None:
    call = called(lambda data: np.where(np.ones(3) == np.sum(data), 0, data))
    assert Turning().inputs((call,), [{"x": np.array([True, False, True])}]) == []


def test_runs_are_limited(called: Callable[[Any], Call]) -> None:
    call = called(lambda data: np.where(np.sin(data) == 2, 0, data))
    turning = Turning()
    for _ in range(100):
        assert turning.inputs((call,), [{"x": np.array([1.0, 2.0, 3.0], "float32")}]) == []
    assert turning.runs <= 4_100
