"""Of two zeros the right one, in every dtype, as where TVM compares and selects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl.evaluate import evaluate
from gsl.expr import Call, Var
from gsl.operators import lookup
from gsl.types import FLOATING

ZEROS = np.array([-0.0, 0.0, -0.0, 0.0]), np.array([0.0, -0.0, -0.0, 0.0])


def computed(name: str, dtype: str, *values: Any, **attributes: Any) -> Any:
    given = [np.asarray(value, dtype) for value in values]
    variables = [Var(f"x{n}", value.shape, dtype) for n, value in enumerate(given)]
    call = Call(lookup(name), variables, attributes)
    (result,) = evaluate([call], {v.name: g for v, g in zip(variables, given, strict=True)})
    assert result.dtype == dtype
    return result


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("name", ["Maximum", "Minimum"])
def test_zeros_are_those_on_the_right(name: str, dtype: str) -> None:
    for left, right in (ZEROS, ZEROS[::-1], (-0.0, 0.0), (0.0, -0.0)):
        assert (np.signbit(computed(name, dtype, left, right)) == np.signbit(right)).all()


@pytest.mark.parametrize("dtype", FLOATING)
def test_relu_and_clip_leave_no_negative_zero(dtype: str) -> None:
    assert not np.signbit(computed("Relu", dtype, ZEROS[0])).any()
    clipped = computed("Clip", dtype, ZEROS[0], min=0.0, max=0.0)
    assert not np.signbit(clipped).any()


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize(("name", "chosen"), [("Maximum", np.maximum), ("Minimum", np.minimum)])
def test_other_numbers_are_as_ever(name: str, dtype: str, chosen: Any) -> None:
    menu = np.array([-np.inf, -1.5, 1.5, np.inf, np.nan], dtype)
    result = computed(name, dtype, menu[:, None], menu)
    expected = chosen(menu[:, None], menu)
    np.testing.assert_array_equal(result.astype(float), expected.astype(float))
    assert computed(name, "int8", [1, -2], [-3, 5]).tolist() == chosen([1, -2], [-3, 5]).tolist()
