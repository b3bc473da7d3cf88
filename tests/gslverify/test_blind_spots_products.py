"""Rules that are wrong where integers multiply to a certain number, without any product wrapping.

The solver cannot divide numbers of many bits into factors, and few of them are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat, rule
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import only

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]
FIRST, SECOND, THIRD = (pat.Wildcard(dtype="int32") for _ in range(3))
LONG, LONGER = (pat.Wildcard(dtype="int64") for _ in range(2))


def lost_where(result: pat.Pattern, product: pat.Pattern, number: int) -> Subst:
    """result => where(product == number, result + 1, result)"""
    return Subst(result, op.Where(op.Equal(product, number), result + 1, result))


def large_and_small_factor() -> Subst:
    return lost_where(FIRST * SECOND, FIRST * SECOND, 7 * 1000003)


def factors_of_one_size() -> Subst:
    return lost_where(FIRST * SECOND, FIRST * SECOND, 1013 * 1019)


def three_factors() -> Subst:
    several = [op.Clip(one, min=2, max=1000) for one in (FIRST, SECOND, THIRD)]
    product = several[0] * several[1] * several[2]
    return lost_where(product, product, 101 * 103 * 107)


def negative_product() -> Subst:
    return lost_where(LONG - LONGER, LONG * LONGER, -1000003 * 8191)


WRONG = large_and_small_factor, factors_of_one_size, three_factors, negative_product


def asked(write: Write, seed: int) -> StageResult:
    settings = Settings(use_tvm=False, explained=False, seed=seed)
    written = rule(flags={"nowrap"})(write)
    return NUMERIC.run(Question(f"tests::{written.name}", written, settings))


def by_name(write: Any) -> str:
    return write.__name__


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=by_name)
def test_what_is_wrong_at_a_product_is_found(write: Write, seed: int):
    finding = only(asked(write, seed))
    assert finding.code is OUTPUTS_DIFFER


def product_that_no_integers_have() -> Subst:
    product = FIRST * FIRST
    return lost_where(product, product, 1013 * 1019)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_no_integers_multiply_to_is_no_difference(seed: int):
    assert asked(product_that_no_integers_have, seed).verdict is Verdict.PASS
