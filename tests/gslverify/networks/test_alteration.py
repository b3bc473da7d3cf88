"""Failing inputs in other sizes, so that what made them fail is still there."""

from __future__ import annotations

import numpy as np

from gsl import Var
from gslverify.networks.alteration import brought_to


def kept(shape: tuple[int, ...], dtype: str, array: object) -> list[list[object]]:
    found = brought_to([Var("x", shape, dtype)], {"x": np.asarray(array)})
    return [one["x"].tolist() for one in found]


def test_beginnings_ends_and_notable_values_are_kept() -> None:
    assert kept((2,), "int64", [1, -9, 2]) == [[1, -9], [-9, 2], [-9, 2]]


def test_longer_axes_repeat_the_values() -> None:
    assert kept((3,), "int64", [7]) == [[7, 7, 7]] * 3
    assert kept((2, 2), "int64", [[5, 6]])[0] == [[5, 6], [5, 6]]


def test_other_ranks_take_the_elements_in_their_order() -> None:
    assert kept((), "int64", [3, 8]) == [3, 8, 8]
    alone = list(brought_to([Var("x", ())], {"x": np.array(2.0, "float32")}))
    assert all(isinstance(one["x"], np.ndarray) for one in alone)
    assert kept((1, 2), "int64", [3, 8])[0] == [[3, 8]]


def test_values_that_a_dtype_does_not_hold_are_not_kept() -> None:
    assert kept((1,), "int32", np.int64([2**40])) == []
    assert kept((1,), "int32", np.int64([4])) == [[4]] * 3


def test_a_variable_without_values_has_none() -> None:
    assert list(brought_to([Var("y", (1,))], {"x": np.ones(1)})) == []
