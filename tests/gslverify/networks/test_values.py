"""Values are brought into the ranges of operators, in the floats of their own dtype."""

from __future__ import annotations

import warnings
from math import inf, nan

import numpy as np
import pytest

from gsl import Call, Var
from gsl.operators.declaration import REGISTRY
from gsl.operators.defined import Values
from gslverify.networks.values import restricted, value_ranges, within

CAST = REGISTRY["Cast"]
FLOATS = [np.dtype(name) for name in ("float16", "float32", "float64")]
BEYOND_HALVES = Values(low=-(2.0**31), high=2.0**31 - 128)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("high", [255.99998474121094, 0.1, 2.0**31 - 128, 3e38])
def test_what_is_restricted_stays_inside_when_it_is_rounded_to_its_dtype(
    dtype: np.dtype[np.floating], high: float
) -> None:
    raw = np.array([-1e9, -1.0, 0.0, 1.0, 1e9])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = restricted(raw, [Values(low=-high, high=high)], dtype).astype(dtype)
    assert np.isfinite(found).all()
    assert (abs(found.astype(float)) <= high).all()


def test_a_finite_limit_beyond_a_dtype_does_not_let_infinity_in() -> None:
    assert within(np.array([65504.0, -65504.0], "float16"), [BEYOND_HALVES])
    assert not within(np.array([inf], "float16"), [BEYOND_HALVES])
    assert not within(np.array([-inf], "float16"), [BEYOND_HALVES])


def test_no_limit_lets_infinity_and_nan_in() -> None:
    assert within(np.array([inf, -inf, nan], "float16"), [Values()])
    assert within(np.array([inf], "float16"), [Values(low=1e-3)])
    assert not within(np.array([-inf], "float16"), [Values(low=1e-3)])


def test_limits_of_a_wider_dtype_reach_a_narrow_input_through_a_cast() -> None:
    x = Var("x", (3,), "float16")
    wide = Call(CAST, (x,), {"dtype": "float32"})
    outputs = [Call(CAST, (wide,), {"dtype": "uint8"})]
    found = restricted(np.array([300.0, -4.0, 7.0]), value_ranges(outputs)[x], np.dtype("float16"))
    assert found.astype("float16").tolist() == [255.875, 4.0, 7.0]


def test_integers_keep_to_limits_of_floats() -> None:
    found = restricted(np.array([0, 3, 4]), [Values(low=0.5, high=3.5)], np.dtype("int8"))
    assert found.tolist() == [1, 3, 2]
