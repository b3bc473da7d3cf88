"""Wrong rules whose target divides the least integer by -1, where the source does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat
from gslverify.codes.numeric import TARGET_UNDEFINED
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt


def vector(dtype: str) -> pat.Variable:
    return pat.Variable(dtype=dtype, shape=(None,))


def remainder_of_relu(dividend: Callable[[Any], Any]) -> Subst:
    """relu(x) % y => x > 0 ? dividend % y : 0"""
    x, y = vector("int32"), vector("int32")
    is_positive = op.Greater(x, pat.Const(0, dtype="int32"))
    return Subst(op.Relu(x) % y, op.Where(is_positive, dividend(x) % y, op.ZerosLike(x)))


def remainder_before_the_choice() -> Subst:
    return remainder_of_relu(lambda x: x)


def remainder_of_what_is_positive() -> Subst:
    return remainder_of_relu(op.Relu)


def quotients(parts: Callable[..., Any]) -> Subst:
    c, x, y, z = vector("bool"), vector("int8"), vector("int8"), vector("int8")
    return Subst(op.Where(c, x, y) // z, parts(c, x, y, z))


def quotients_before_the_choice() -> Subst:
    """(c ? x : y) // z => c ? x // z : y // z"""
    return quotients(lambda c, x, y, z: op.Where(c, x // z, y // z))


def quotients_of_the_choice() -> Subst:
    return quotients(lambda c, x, y, z: op.Where(op.LogicalNot(c), y, x) // z)


WRONG = [remainder_before_the_choice, quotients_before_the_choice]
SOUND = [remainder_of_what_is_positive, quotients_of_the_choice]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=lambda write: write.__name__)
def test_targets_that_divide_the_least_integer_are_refuted(
    write: Callable[[], Subst], seed: int
) -> None:
    assert only(ask(NUMERIC, write, seed=seed, explained=False)).code is TARGET_UNDEFINED


@pytest.mark.parametrize("write", SOUND, ids=lambda write: write.__name__)
def test_the_least_integer_is_no_counterexample_where_the_source_divides_it(
    write: Callable[[], Subst],
) -> None:
    assert ask(NUMERIC, write).verdict is Verdict.PASS
