"""Integers of a source that depend on rounding: on a machine they are what they are.

A float16 counts up to 2048 and a bfloat16 up to 256, so a sum of ones in them stands still there.
"""

from __future__ import annotations

import pytest

from gsl import Subst, op, pat, rule
from gslverify.codes.levels import FLAG_MISSING
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import only

pytestmark = pytest.mark.smt

FORWARD = {"exclusive": False}


def result_of(dtype: str, most: int, seed: int) -> StageResult:
    """int32(cumsum(float(x)))  =>  cumsum(int32(x)), for so many elements at most"""

    @rule(flags=())
    def counted() -> Subst:
        x = pat.Wildcard(dtype="bool", ndim=1)
        total = op.Cast(op.Cumsum(op.Cast(x, dtype=dtype), axis=0, **FORWARD), dtype="int32")
        counts = op.Cumsum(op.Cast(x, dtype="int32"), axis=0, **FORWARD)
        return Subst(total, counts, where=[x.shape[0] <= most])

    asked = Question("tests::counted", counted, Settings(use_tvm=False, seed=seed, explained=False))
    return NUMERIC.run(asked)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("dtype", "most"), [("float16", 2049), ("bfloat16", 257)])
def test_a_count_beyond_the_digits_of_a_float_is_no_exact_rule(
    dtype: str, most: int, seed: int
) -> None:
    result = result_of(dtype, most, seed)

    assert result.verdict is Verdict.FAIL
    assert only(result).code is FLAG_MISSING


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("dtype", "most"), [("float16", 2048), ("bfloat16", 256)])
def test_a_count_within_the_digits_of_a_float_is_exact(dtype: str, most: int, seed: int) -> None:
    assert result_of(dtype, most, seed).verdict is Verdict.PASS
