"""Rules whose comparisons depend on rounding, most of floats that are made of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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

Write = Callable[[], Subst]


def integers(dtype: str) -> tuple[Any, Any]:
    x = pat.Wildcard(ndim=1, dtype=dtype)
    return x, op.Cast(x, dtype="float32")


def square_of_root() -> Subst:
    """sqrt(x) * sqrt(x) < x  =>  false"""
    x, number = integers("uint8")
    root = op.Sqrt(number)
    return Subst(op.Less(root * root, number), op.ZerosLike(x, dtype="bool"))


def quotient_by_reciprocal() -> Subst:
    _, number = integers("int16")
    return Subst(op.GreaterEqual(number / 41.0, 1.0), op.GreaterEqual(number * (1 / 41), 1.0))


def quotient_times_divisor() -> Subst:
    x, number = integers("int16")
    return Subst(op.Equal(number / 41.0 * 41.0, number), op.OnesLike(x, dtype="bool"))


def count_of_comparisons() -> Subst:
    x, number = integers("uint8")
    root = op.Sqrt(number)
    found = op.Cast(op.Less(root * root, number), dtype="int32")
    none = op.ZerosLike(x, dtype="int32")
    along = {"axis": (0,), "keepdims": True}
    return Subst(op.Sum(found, **along), op.Sum(none, **along))


def exponential_of_logarithm() -> Subst:
    x, number = integers("uint8")
    above = number + 1.0
    return Subst(op.Less(op.Exp(op.Log(above)), above), op.ZerosLike(x, dtype="bool"))


def threshold_before_a_scale() -> Subst:
    """Of all floats the one below 3 is the only one for which it falls otherwise."""
    x = pat.Wildcard(ndim=1, dtype="float32")
    return Subst(op.Less(x * 0.7, 2.1), op.Less(x, 3.0))


def halves() -> Subst:
    """x / 2 * 2 == x  =>  true"""
    x, number = integers("int16")
    return Subst(op.Equal(number / 2.0 * 2.0, number), op.OnesLike(x, dtype="bool"))


def same_comparison() -> Subst:
    """not (sqrt(x) * sqrt(x) < x)  =>  sqrt(x) * sqrt(x) >= x"""
    _, number = integers("uint8")
    square = op.Sqrt(number) * op.Sqrt(number)
    return Subst(op.LogicalNot(op.Less(square, number)), op.GreaterEqual(square, number))


WRONG = (
    square_of_root,
    quotient_by_reciprocal,
    quotient_times_divisor,
    count_of_comparisons,
    exponential_of_logarithm,
    threshold_before_a_scale,
)
RIGHT = halves, same_comparison


def asked(write: Write, seed: int) -> StageResult:
    settings = Settings(use_tvm=False, explained=False, seed=seed)
    written = rule(flags={"nnan", "ninf", "nsz"})(write)
    return NUMERIC.run(Question(f"tests::{written.name}", written, settings))


def by_name(write: Any) -> str:
    return write.__name__


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=by_name)
def test_what_rounding_decides_is_computed_as_on_a_machine(write: Write, seed: int) -> None:
    assert only(asked(write, seed)).code is FLAG_MISSING


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", RIGHT, ids=by_name)
def test_what_rounding_does_not_decide_passes(write: Write, seed: int) -> None:
    assert asked(write, seed).verdict is Verdict.PASS
