"""Operators that are defined by a close approximation may stand for what they approximate."""

from __future__ import annotations

import numpy as np
import pytest

from gsl import Const, Var
from gsl.expr import Call, Expr
from gsl.operators import lookup
from gslverify.comparison.compare import compare, evaluate_bounded

X = Var("x", (3,), "float64")
VALUES = {"x": np.array([-1.0, 12.0, 24.0])}


def softplus(threshold: float, beta: float = 1.0) -> Expr:
    return Call(lookup("Softplus"), [X], {"beta": beta, "threshold": threshold})


def logarithm(one: float = 1.0, beta: float = 1.0) -> Expr:
    grown = Call(lookup("Exp"), [Call(lookup("Multiply"), [X, Const(beta, "float64")])])
    sum_of_both = Call(lookup("Add"), [grown, Const(one, "float64")])
    whole = Call(lookup("Log"), [sum_of_both])
    return Call(lookup("Divide"), [whole, Const(beta, "float64")])


def agree(one: Expr, other: Expr) -> bool:
    (left, right), _ = evaluate_bounded([one, other], VALUES)
    (comparison,) = compare("y", left, right)
    assert comparison.compared == 3
    return comparison.difference is None


@pytest.mark.parametrize("beta", [1.0, 3.0])
def test_softplus_is_the_logarithm_also_above_its_threshold(beta: float) -> None:
    assert agree(softplus(20.0, beta), logarithm(beta=beta))


@pytest.mark.parametrize("threshold", [1.0, 10.0])
def test_low_threshold_makes_another_function(threshold: float) -> None:
    assert not agree(softplus(threshold), logarithm())


def test_deviation_below_the_threshold_is_found() -> None:
    assert not agree(softplus(30.0), logarithm(one=1 + 1e-9))


def test_what_lies_below_the_threshold_has_the_error_of_rounding_only() -> None:
    (value,), _ = evaluate_bounded([softplus(20.0)], VALUES)
    assert (value.error[:2] < 1e-13).all()
    assert 1e-11 < value.error[2] < 1e-10
