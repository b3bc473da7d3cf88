"""Numbers that a network and its rule mention are among the elements of its inputs."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gsl import Call, Const, Subst, Var, op, pat
from gsl.expr import Expr
from gsl.operators import lookup
from gslverify.generate.arrays import filled_inputs
from gslverify.generate.mentioned import held, mentioned_numbers
from gslverify.generate.network import Network


def network(output: Expr, subst: Subst | None = None) -> Network:
    sampler = None if subst is None else SimpleNamespace(instance=SimpleNamespace(subst=subst))
    return Network((output,), (output,), "alone", sampler=sampler)


def clipped() -> Expr:
    x = Var("x", (64,), "float32")
    low = Call(lookup("Maximum"), [x, Const(np.float32([37.25, 1.0]).max(), "float32")])
    return Call(lookup("Clip"), [low], {"min": -500.0, "max": 2.0})


def test_constants_and_attributes_are_mentioned() -> None:
    assert set(mentioned_numbers(network(clipped()))) == {37.25, -500.0}


def test_numbers_of_the_target_are_mentioned() -> None:
    x = pat.Wildcard()
    subst = Subst(op.Equal(x, x), op.NotEqual(x, pat.Const(value=54321, dtype="int32")))
    assert 54321 in mentioned_numbers(network(Var("x", (2,)), subst))


def test_large_constants_mention_a_few_numbers() -> None:
    many = Const(np.arange(1000, dtype="int32"))
    assert len(mentioned_numbers(network(many))) <= 8


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("int8", {100, 101, 99, -100}),
        ("uint8", {100, 101, 99}),
        ("float16", {100.0, -100.0, 0.5, -0.5}),
        ("float64", {100.0, -100.0, 0.5, -0.5, 1e30, -1e30}),
    ],
)
def test_dtypes_get_what_they_hold(dtype: str, expected: set[float]) -> None:
    numbers = (100, 0.5, 1e30, float("nan"), float("inf"))
    assert set(held(numbers, np.dtype(dtype))) == expected


def test_about_half_of_the_elements_are_mentioned_numbers() -> None:
    drawn = filled_inputs(network(clipped()), ("mentioned", False), 0)["x"]
    share = np.isin(drawn, np.float32([37.25, -37.25, 500.0, -500.0])).mean()
    assert 0.25 < share < 0.75


def test_without_numbers_integers_are_small() -> None:
    drawn = filled_inputs(network(Var("x", (64,), "int32")), ("mentioned", False), 0)["x"]
    assert np.abs(drawn).max() <= 3
