"""What is noted of the comparisons that a reference of a user makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gsl.expr import Call, Var
from gsl.operators import REGISTRY
from gsl.operators.declaration import Need, Tensor, operator
from gsl.types import TensorType
from gslverify.comparison.watched import distances
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
    found = distances((call,), {"x": np.array(values, "float32")})
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


def test_nothing_is_noted_of_operators_of_this_package() -> None:
    call = Call(REGISTRY["Relu"], (Var("x", (3,), "float32"),), {})
    assert noted(call, 1.0, 2.0, 3.0) == []


def test_inputs_are_found_at_which_two_elements_have_a_sum(called: Callable[[Any], Call]) -> None:
    call = called(lambda data: np.where(data[0] + data[2] == 1000, 0, data))
    base = {"x": np.array([1.0, 2.0, 3.0], "float32")}
    found = Turning().inputs((call,), [base])
    assert any(one["x"][0] + one["x"][2] == 1000 for one in found)


def test_runs_are_limited(called: Callable[[Any], Call]) -> None:
    call = called(lambda data: np.where(np.sin(data) == 2, 0, data))
    turning = Turning()
    for _ in range(100):
        assert turning.inputs((call,), [{"x": np.array([1.0, 2.0, 3.0], "float32")}]) == []
    assert turning.runs <= 4_100
