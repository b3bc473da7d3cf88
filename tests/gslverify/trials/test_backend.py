"""What TVM computed, compared with references computed before or now."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl.expr import Call, Var
from gsl.operators import lookup
from gslverify.trials import backend
from gslverify.trials.backend import Asked, Opinion, opinions

RELU = Call(lookup("Relu"), [Var("x", (2,))])
ONES = {"x": np.ones(2, np.float32)}


def array(*values: float, dtype: str = "float32") -> Any:
    return np.array(values, dtype)


def said(monkeypatch: pytest.MonkeyPatch, result: Any, *expected: Any) -> Opinion:
    class Told:
        def run(self, jobs: Any, by_operator: bool = False) -> list[Any]:
            return [[result] for _ in jobs]

    monkeypatch.setattr(backend, "_worker", Told)
    (opinion,) = opinions([Asked([RELU], ONES, expected)])
    return opinion


def test_the_very_numbers_of_the_reference_are_not_computed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(backend, "evaluate_bounded", lambda *given: pytest.fail("computed again"))

    assert said(monkeypatch, array(1, 1), array(1, 1)).agrees
    assert said(monkeypatch, (array(1), array(2)), (array(1), array(2))).agrees


def test_without_a_reference_it_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, array(1, 1)).agrees
    assert said(monkeypatch, array(1, 2)).difference


@pytest.mark.parametrize(
    "result",
    [
        array(1, 2),
        array(1, np.nan),
        array(1, 1, dtype="float64"),
        array(1, 1, 1),
        array(1),
    ],
)
def test_other_numbers_are_compared_within_bounds(
    result: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert said(monkeypatch, result, array(1, 1)).difference


def test_numbers_within_the_bounds_agree_although_they_are_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert said(monkeypatch, array(1, 1), array(1, 1.5)).agrees


def test_a_reference_that_is_nan_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, array(np.nan, 1), array(np.nan, 1)).difference
