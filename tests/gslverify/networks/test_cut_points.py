"""Numbers that a network and its rule mention are among the elements of its inputs."""

from __future__ import annotations

from math import inf, nextafter
from types import SimpleNamespace

import numpy as np
import pytest

from gsl import Call, Const, Subst, Var, op, pat
from gsl.expr import Expr
from gsl.operators import lookup
from gslverify.networks.arrays import filled_inputs
from gslverify.networks.cut_points import cut_points, held
from gslverify.networks.network import Network


def network(output: Expr, subst: Subst | None = None) -> Network:
    sampler = None if subst is None else SimpleNamespace(instance=SimpleNamespace(subst=subst))
    return Network((output,), (output,), "alone", sampler=sampler)


def clipped() -> Expr:
    x = Var("x", (64,), "float32")
    low = Call(lookup("Maximum"), [x, Const(np.float32([37.25, 1.0]).max(), "float32")])
    return Call(lookup("Clip"), [low], {"min": -500.0, "max": 2.0})


def test_constants_and_attributes_are_mentioned() -> None:
    assert set(cut_points(network(clipped()))[:2]) == {37.25, -500.0}


def between(low: float, high: float, dtype: str) -> Subst:
    """relu(x) => low < x < high ? x : relu(x)"""
    x = pat.Variable(dtype=dtype, shape=(None,))
    inside = op.LogicalAnd(op.Greater(x, low), op.Less(x, high))
    return Subst(op.Relu(x), op.Where(inside, x, op.Relu(x)))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(5150.0, 5151.0, 5150.5), (-70, 2, -34), (1000, 1010, 1005), (1000, 1001, 1000.5)],
)
def test_numbers_between_neighbours_follow(low: float, high: float, expected: float) -> None:
    subst = between(low, high, "float64")
    found = cut_points(network(Var("x", (2,)), subst))
    assert expected in found
    assert {low, high} - {2} <= set(found)


def test_of_many_neighbours_the_closest_have_numbers_between_them() -> None:
    many = Const(np.array([4.0, 6.0, 9.0, 13.0, 18.0, 24.0, 31.0, 39.0], np.float32))
    both = Call(lookup("Maximum"), [Call(lookup("Maximum"), [many, many]), Const(1e30, "float32")])
    found = cut_points(network(both))
    assert {5.0, 7.5, 11.0, 35.0} <= set(found)
    assert len(found) <= 8 + 1 + 8


def test_infinities_and_nan_are_no_neighbours() -> None:
    special = Call(lookup("Clip"), [Var("x", (2,))], {"min": float("-inf"), "max": 100.0})
    assert [n for n in cut_points(network(special)) if np.isfinite(n)] == [100.0]


def test_numbers_of_the_target_are_mentioned() -> None:
    x = pat.Wildcard()
    subst = Subst(op.Equal(x, x), op.NotEqual(x, pat.Const(value=54321, dtype="int32")))
    assert 54321 in cut_points(network(Var("x", (2,)), subst))


def test_large_constants_mention_a_few_numbers() -> None:
    many = Const(np.arange(1000, dtype="int32"))
    assert len(cut_points(network(many))) <= 16


def with_opposites(*numbers: float) -> set[float]:
    return {*numbers, *(-number for number in numbers)}


def beside_and_opposite(*numbers: float) -> set[float]:
    return with_opposites(
        *(near for n in numbers for near in (n, nextafter(n, 0), nextafter(n, inf)))
    )


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("int8", {100, 101, 99, -100, -28}),
        ("uint8", {100, 101, 99, 228}),
        ("float16", with_opposites(100.0, 99.9375, 100.0625, 0.5, 0.5 - 2**-12, 0.5 + 2**-11)),
        ("bfloat16", with_opposites(100.0, 99.5, 100.5, 0.5, 0.5 - 2**-9, 0.5 + 2**-8)),
        ("float64", beside_and_opposite(100.0, 0.5)),
    ],
)
def test_dtypes_get_what_they_hold(dtype: str, expected: set[float]) -> None:
    numbers = (100, 0.5, 1e30, float("nan"), float("inf"))
    found = set(held(numbers, np.dtype(dtype)))
    assert {number for number in found if abs(number) < 1e29} == expected


def test_a_wide_dtype_holds_large_numbers() -> None:
    assert set(held((1e30,), np.dtype("float64"))) == beside_and_opposite(1e30)
    assert held((1e30,), np.dtype("float16")) == []


def test_about_half_of_the_elements_are_cut_points() -> None:
    drawn = filled_inputs(network(clipped()), ("cut points", False), 0)["x"]
    numbers = np.float32(cut_points(network(clipped())))
    share = np.isin(np.abs(drawn), np.abs(numbers)).mean()
    assert 0.25 < share < 0.75


def test_without_numbers_integers_are_small() -> None:
    drawn = filled_inputs(network(Var("x", (64,), "int32")), ("cut points", False), 0)["x"]
    assert np.abs(drawn).max() <= 3
