"""Special values where floats become integers or are made of them: asked wherever it is defined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat, rule
from gslverify.codes.levels import SPECIAL_VALUES_CHANGE
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import Write, only

pytestmark = pytest.mark.smt


def single(x: Any) -> Any:
    return op.Cast(x, dtype="float32")


def whole(x: Any) -> Any:
    return op.Cast(x, dtype="int32")


def quotient_of_itself() -> Subst:
    n = single(pat.Wildcard(dtype="int32"))
    return Subst(n / n, op.OnesLike(n, dtype="float32"))


def half_minus_itself() -> Subst:
    n = op.Cast(pat.Wildcard(dtype="int32"), dtype="float16")
    return Subst(n - n, op.ZerosLike(n, dtype="float16"))


def logarithm_of_a_flag() -> Subst:
    b = single(pat.Wildcard(dtype="bool"))
    return Subst(op.Log(b) * 0.0, op.ZerosLike(b, dtype="float32"))


def opposite_of_an_integer() -> Subst:
    n = single(pat.Wildcard(dtype="int32"))
    return Subst(op.Negative(n), 0.0 - n)


def times_zero_beside_a_conversion() -> Subst:
    x, y = pat.Wildcard(dtype="float32"), pat.Wildcard(dtype="float32")
    n = single(whole(y))
    zeros = op.ZerosLike(x, dtype="float32")
    return Subst(x * 0.0 + n, zeros + n, where=[x.shape == y.shape])


def truth_of_nan() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(op.Cast(x, dtype="bool"), op.Greater(op.Abs(x), 0.0))


def truncated_by_an_integer() -> Subst:
    x = op.Clip(pat.Wildcard(dtype="float32"), min=-100.0, max=100.0)
    return Subst(single(whole(x)), op.Trunc(x))


def truncated_without_a_sign() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(single(whole(x)), op.Trunc(x) + op.ZerosLike(x, dtype="float32"))


def truth_of_a_sum() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(op.Cast(x, dtype="bool"), op.NotEqual(x, 0.0))


WRONG = [
    quotient_of_itself,
    half_minus_itself,
    logarithm_of_a_flag,
    opposite_of_an_integer,
    times_zero_beside_a_conversion,
    truth_of_nan,
    truncated_by_an_integer,
]


def asked(write: Write, seed: int = 0, **declared: Any) -> StageResult:
    settings = Settings(use_tvm=False, seed=seed, explained=False)
    return NUMERIC.run(Question("tests::rule", rule(**declared)(write), settings))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=lambda write: write.__name__)
def test_no_rule_changes_them_that_says_it_does_not(write: Write, seed: int) -> None:
    assert only(asked(write, seed, flags=())).code is SPECIAL_VALUES_CHANGE


@pytest.mark.parametrize("write", WRONG, ids=lambda write: write.__name__)
def test_what_a_rule_needs_is_said(write: Callable[[], Subst]) -> None:
    result = asked(write)
    assert result.verdict is Verdict.PASS
    needed = {flag for one in result.assurances for flag in one.flags}
    assert needed & {"nnan", "ninf", "nsz"}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", [truncated_without_a_sign, truth_of_a_sum])
def test_what_has_no_integer_says_nothing(write: Write, seed: int) -> None:
    assert asked(write, seed, flags=()).verdict is Verdict.PASS
