"""Rules that are wrong where values of functions like `exp` lie in a narrow range.

The solver knows few laws of such functions, and no draw meets the range.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest

from gsl import Subst, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]


def tensor(dtype: str = "float32", **constraints: Any) -> pat.Pattern:
    return pat.Wildcard(dtype=dtype, **constraints)


def within(value: pat.Pattern, low: float, high: float) -> pat.Pattern:
    return op.LogicalAnd(op.Greater(value, low), op.Less(value, high))


def doubled_where(value: pat.Pattern, *conditions: pat.Pattern) -> Subst:
    """value => where(conditions, 2 * value, value)"""
    return Subst(value, op.Where(reduce(op.LogicalAnd, conditions), value * 2.0, value))


def value_of_one_input() -> Subst:
    value = op.Abs(op.Tanh(tensor()))
    return doubled_where(value, within(value, 0.5, 0.50005))


def sum_of_two_functions() -> Subst:
    value = op.Exp(tensor()) + op.Exp(tensor())
    return doubled_where(value, within(value, 20.0, 20.001))


def two_values_at_once() -> Subst:
    one, other = op.Tanh(tensor()), op.Exp(tensor())
    return doubled_where(one * other, within(one, 0.3, 0.3001), within(other, 5.6, 5.601))


def logarithm_of_a_share() -> Subst:
    value = -op.LogSoftmax(tensor(shape=(3,)), axis=-1)
    return doubled_where(value, within(value, 1.7, 1.7005))


def reduced_in_double() -> Subst:
    value = op.LogSumExp(tensor("float64", ndim=2), axis=(1,), keepdims=False)
    return doubled_where(value, within(value, 4.44, 4.4401))


def range_that_no_value_reaches() -> Subst:
    value = op.Tanh(tensor())
    return doubled_where(value, within(value, 1.25, 1.5))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "write",
    [
        value_of_one_input,
        sum_of_two_functions,
        two_values_at_once,
        logarithm_of_a_share,
        reduced_in_double,
    ],
    ids=lambda write: write.__name__,
)
def test_values_of_functions_are_looked_for(write: Write, seed: int) -> None:
    assert only(ask(NUMERIC, write, seed=seed, explained=False)).code is OUTPUTS_DIFFER


def test_a_range_without_values_makes_no_difference() -> None:
    assert ask(NUMERIC, range_that_no_value_reaches).verdict is Verdict.PASS
