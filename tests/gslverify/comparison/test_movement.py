"""Plain padding is what `np.pad` does; every other kind is left to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gslverify.comparison.movement import is_plain_padding, padded

ARRAYS = [np.arange(6.0).reshape(2, 3), np.zeros((0, 2), "int8"), np.array([2.5], "float32")]


@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize("options", [{}, {"constant_values": 1.5}, {"constant_values": -3}])
def test_plain_padding_is_that_of_numpy(array: Any, options: dict[str, Any]) -> None:
    widths = [(1, 0), (0, 2)][: array.ndim]
    assert is_plain_padding(array, (widths,), options)
    found, expected = padded(array, widths, **options), np.pad(array, widths, **options)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("args", "options"),
    [
        (([(1, 0), (0, 2)], "edge"), {}),
        (([(1, 0), (0, 2)],), {"mode": "wrap"}),
        ((1,), {}),
        (([(1, 2)],), {}),
        (([(1, 0), (0, -1)],), {}),
        (([(1, 0), (0, 1)],), {"constant_values": (1, 2)}),
    ],
)
def test_other_padding_is_not_plain(args: Any, options: dict[str, Any]) -> None:
    assert not is_plain_padding(ARRAYS[0], args, options)
