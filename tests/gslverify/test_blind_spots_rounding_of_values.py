"""Rules that round otherwise for few of the numbers that their conditions allow, or in one arm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from gsl import Subst, attr, op, pat, rule
from gslverify.codes.levels import FLAG_MISSING
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]
POWERS = (0.25, 0.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 0.125)


def floats() -> Any:
    return pat.Wildcard(ndim=1, dtype="float32")


def scalar() -> Any:
    return pat.Const(shape=(), dtype="float32")


def reciprocal_of(numbers: Sequence[float]) -> Subst:
    """x / c  =>  x * (1 / c), which is the same for powers of two"""
    x, c = floats(), scalar()
    target = x * pat.Const(1 / c.value, dtype="float32")
    return Subst(x / c, target, where=[attr.In(c.value, numbers)])


def even(one: Any) -> list[Any]:
    return [one.value % 2 == 0, one.value > 0, one.value < 9]


def last_of_ten() -> Subst:
    return reciprocal_of((*POWERS, 10.0))


def one_of_a_few_even_numbers() -> Subst:
    x, c = floats(), scalar()
    return Subst(x / c, x * pat.Const(1 / c.value, dtype="float32"), where=even(c))


def one_pair_of_sixteen() -> Subst:
    """x * a * b  =>  x * (a * b), which is not the same for two numbers: 6 and 6"""
    x, a, b = floats(), scalar(), scalar()
    return Subst(x * a * b, x * (a * b), where=[*even(a), *even(b)])


def one_slope_of_ten() -> Subst:
    x = floats()
    leaky = op.LeakyRelu(x)
    divided = x / pat.Const(1 / leaky.alpha, dtype="float32")
    target = op.Where(op.Greater(x, op.ZerosLike(x)), x, divided)
    return Subst(leaky, target, where=[attr.In(leaky.alpha, (*POWERS, 0.1))])


def few_permutations_of_many() -> Subst:
    x = pat.Wildcard(ndim=4, dtype="float32")
    moved = op.Transpose(x / 3.0)
    axes = moved.axes
    is_wrong = (axes[0] == 2) & (axes[1] == 3) & (axes[2] == 0)
    third = pat.Cond(is_wrong, x * (1 / 3), x / 3.0)
    return Subst(moved, op.Transpose(third, axes=axes))


def a_dtype_in_one_arm() -> Subst:
    x = pat.Wildcard()
    three = pat.Const(3.0, dtype=x.dtype)
    most = op.Max(x / three)
    is_wrong = (x.ndim == 3) & (attr.Length(most.axis) == 2) & (x.dtype == "float16")
    third = pat.Cond(is_wrong, x * pat.Const(1 / 3, dtype=x.dtype), x / three)
    target = op.Max(third, **pat.same_attr(most))
    known = [attr.In(x.dtype, ("float16", "float32")), x.ndim >= 1]
    return Subst(most, target, where=known)


WRONG = (
    last_of_ten,
    one_of_a_few_even_numbers,
    one_pair_of_sixteen,
    one_slope_of_ten,
    few_permutations_of_many,
    a_dtype_in_one_arm,
)


def powers_of_two() -> Subst:
    return reciprocal_of(POWERS)


def asked(write: Write, seed: int) -> StageResult:
    settings = Settings(use_tvm=False, explained=False, seed=seed)
    written = rule(flags={"nnan", "ninf", "nsz"})(write)
    return NUMERIC.run(Question(f"tests::{written.name}", written, settings))


def by_name(write: Any) -> str:
    return write.__name__


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=by_name)
def test_every_number_and_every_arm_is_rounded(write: Write, seed: int) -> None:
    assert FLAG_MISSING in {finding.code for finding in asked(write, seed).findings}


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_the_same_for_all_numbers_passes(seed: int) -> None:
    assert asked(powers_of_two, seed).verdict is Verdict.PASS
