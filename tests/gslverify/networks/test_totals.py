"""Inputs that add up to what a network or its rule mentions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Call, Const, Subst, Var, op, pat
from gsl.expr import Expr
from gsl.operators import lookup
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Verdict
from gslverify.networks.network import Network
from gslverify.networks.totals import MOST_ELEMENTS, totals
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.stages.asking import ask, only


def compared(x: Var, axes: tuple[int, ...], number: float = 100, operator: str = "Sum") -> Network:
    """Return a network that compares the sum of x along axes with a number."""
    whole = Call(lookup(operator), [x], {"axis": axes})
    output: Expr = Call(lookup("Equal"), [whole, Const(np.array(number, x.dtype))])
    return Network((output,), (output,), "alone")


@pytest.mark.parametrize("dtype", ["int32", "float32", "int8"])
@pytest.mark.parametrize("axes", [(0, 1), (0,), (1,)])
def test_some_inputs_add_up_along_the_axes(axes: tuple[int, ...], dtype: str) -> None:
    drawn = totals(compared(Var("x", (2, 3), dtype), axes), 0)
    assert any((inputs["x"].sum(axis=axes) == 100).all() for inputs in drawn)
    assert all(inputs["x"].dtype == dtype for inputs in drawn)


def test_what_adds_nothing_up_or_is_large_is_left_alone() -> None:
    assert totals(compared(Var("x", (2, 3)), (0,), operator="Max"), 0) == []
    assert totals(compared(Var("x", (2, 3)), (0,), number=2), 0) == []
    assert totals(compared(Var("x", (MOST_ELEMENTS + 1,)), (0,)), 0) == []


def total_at(number: float, added: int) -> Subst:
    """relu(x) => sum(x) == number ? x + added : max(x, 0)"""
    x = pat.Variable(dtype="float32", shape=(None, None))
    whole = op.Sum(x, axis=(0, 1), keepdims=True)
    other = x + added if added else op.Maximum(x, 0)
    return Subst(op.Relu(x), op.Where(op.Equal(whole, number), other, op.Maximum(x, 0)))


@pytest.mark.smt
@pytest.mark.parametrize("seed", range(2))
def test_a_rule_that_is_wrong_for_one_total_is_refuted(seed: int) -> None:
    wrong: Any = ask(NUMERIC, lambda: total_at(100.0, 1), seed=seed)
    assert only(wrong).code is OUTPUTS_DIFFER
    assert ask(NUMERIC, lambda: total_at(100.0, 0), seed=seed).verdict is Verdict.PASS
