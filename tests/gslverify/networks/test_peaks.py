"""Inputs with the extrema at one place after the other."""

from __future__ import annotations

import numpy as np
import pytest

from gsl import Call, Var
from gsl.operators import lookup
from gslverify.networks.network import Network
from gslverify.networks.peaks import MOST_ELEMENTS_OF_ENDS, peaks, saturated


def argmax(size: int, operator: str = "Argmax") -> Network:
    chosen = Call(lookup(operator), [Var("x", (size,), "int32")], {"axis": 0})
    return Network((chosen,), (chosen,), "alone")


def largest(size: int) -> list[int]:
    return [int(np.argmax(inputs["x"])) for inputs in peaks(argmax(size), 0)]


@pytest.mark.parametrize("size", [6, 24])
def test_every_element_of_few_is_the_largest(size: int) -> None:
    assert sorted(largest(size)) == list(range(size))


@pytest.mark.parametrize("size", [25, 129, 400, 401, 2050, MOST_ELEMENTS_OF_ENDS])
def test_the_last_and_the_first_of_many_are(size: int) -> None:
    assert largest(size)[:2] == [size - 1, 0]


def test_nothing_is_raised_in_the_largest_networks() -> None:
    assert largest(MOST_ELEMENTS_OF_ENDS + 1) == []


@pytest.mark.parametrize("size", [24, 400, 2050])
def test_the_last_and_the_first_are_the_smallest_too(size: int) -> None:
    found = [int(np.argmin(inputs["x"])) for inputs in peaks(argmax(size, "Argmin"), 0)]
    assert {0, size - 1} <= set(found)


def limited(dtype: str, operator: str = "Maximum") -> Network:
    both = [Var(name, (3,), dtype) for name in "xy"]
    result = Call(lookup(operator), both)
    return Network((result,), (result,), "alone")


@pytest.mark.parametrize(("dtype", "least"), [("int8", -100), ("uint8", 0), ("float32", -100)])
def test_all_inputs_of_limits_are_large_at_once_and_small(dtype: str, least: int) -> None:
    large, small = saturated(limited(dtype), 0)
    assert {name: set(value.tolist()) for name, value in large.items()} == {"x": {100}, "y": {100}}
    assert all(set(value.tolist()) == {least} for value in small.values())
    assert small["x"].dtype == dtype


def test_what_limits_nothing_or_one_input_is_not_saturated() -> None:
    assert saturated(limited("int8", "Add"), 0) == []
    assert saturated(argmax(8), 0) == []
