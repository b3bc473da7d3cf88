"""Numbers are printed as short as they can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gslverify.report.values import number_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (80.0, "80"),
        (-1200.0, "-1200"),
        (-0.0, "-0"),
        (1e30, "1e+30"),
        (np.float32(27.400042), "27.400042"),
        (np.float32(0.1), "0.1"),
        (np.float32(1e-40), "1e-40"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (3, "3"),
    ],
)
def test_floats_of_float32(value: Any, text: str) -> None:
    plain = value.item() if isinstance(value, np.generic) else value
    assert number_text(plain, single=True) == text
    if not isinstance(value, np.generic):
        assert number_text(plain) == text


def test_a_double_keeps_its_digits() -> None:
    assert number_text(1 / 3) == "0.3333333333333333"
