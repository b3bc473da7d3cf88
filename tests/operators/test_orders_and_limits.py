"""What reductions make of infinities, and which of equal elements sorting puts first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl.evaluate import evaluate
from gsl.expr import Call, Var
from gsl.operators import lookup

INF = np.inf


def computed(name: str, values: list[float], **attributes: Any) -> Any:
    x = Var("x", (len(values),), "float32")
    call = Call(lookup(name), [x], attributes)
    return evaluate([call], {"x": np.array(values, "float32")})[0]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([-INF, -INF], -INF),
        ([INF, 1.0], INF),
        ([INF, INF], INF),
        ([-INF, 2.0], 2.0),
        ([INF, -INF], INF),
        ([np.nan, 1.0], np.nan),
    ],
)
def test_the_logarithm_of_a_sum_of_powers(values: list[float], expected: float) -> None:
    found = computed("LogSumExp", values, axis=(0,), keepdims=False)
    np.testing.assert_array_equal(found, np.float32(expected))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("values", [[-0.0, 0.0, 1.0], [0.0, -0.0, -1.0], [0.0, -0.0] * 30])
def test_equal_elements_keep_their_order(values: list[float], descending: bool) -> None:
    places = computed("ArgSort", values, axis=0, descending=descending)
    ordered = computed("Sort", values, axis=0, descending=descending)
    expected = np.array(values, "float32")[places]
    np.testing.assert_array_equal(np.signbit(ordered), np.signbit(expected))
    np.testing.assert_array_equal(ordered, expected)
