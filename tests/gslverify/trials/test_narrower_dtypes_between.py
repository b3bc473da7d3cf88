"""Conversions to a narrower dtype and back, which a compiler may leave out if it is granted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat, rule
from gslverify.codes.levels import FLAG_MISSING
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import only

pytestmark = pytest.mark.smt


def there_and_back(x: Any, dtype: str = "bfloat16") -> Any:
    return op.Cast(op.Cast(x, dtype=dtype), dtype="float32")


def left_out() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(there_and_back(x), x)


def added() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(op.Negative(x), op.Negative(there_and_back(x)))


def left_out_of_half_floats() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(there_and_back(x, "float16"), x)


def left_out_and_wrong() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(there_and_back(x), x * 1.001)


def integers_between() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(there_and_back(x, "int32"), x)


Write = Callable[[], Subst]


def judged(write: Write, *flags: str) -> StageResult:
    written = rule(flags=flags)(write)
    return NUMERIC.run(Question("tests::narrower", written, Settings(use_tvm=False)))


@pytest.mark.parametrize(
    ("write", "flags"),
    [
        (left_out, ("lossy",)),
        (added, ("lossy",)),
        # Numbers that float32 holds are infinite in float16.
        (left_out_of_half_floats, ("ninf", "lossy")),
    ],
)
def test_what_is_lost_in_between_is_excused(write: Write, flags: tuple[str, ...]) -> None:
    result = judged(write, *flags)
    assert result.verdict is Verdict.PASS
    assert result.flags["needed"] == list(flags)


@pytest.mark.parametrize("write", [left_out, added, left_out_of_half_floats])
def test_it_is_refuted_without_the_flag_which_is_named(write: Write) -> None:
    finding = only(judged(write, "ninf", "reassoc"))
    assert finding.code is OUTPUTS_DIFFER
    assert '@rule(flags={"ninf", "reassoc", "lossy"}) if a compiler may leave that out' in (
        finding.cure
    )


def small_numbers_between() -> Subst:
    """float16 has all digits of a bfloat16, and not its small numbers."""
    x = pat.Wildcard(dtype="bfloat16")
    scaled = op.Clip(x, min=-100.0, max=100.0) * pat.Const(0.125, dtype="bfloat16")
    return Subst(op.Cast(op.Cast(scaled, dtype="float16"), dtype="bfloat16"), scaled)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_lost_of_small_numbers_has_to_be_declared(seed: int) -> None:
    settings = Settings(use_tvm=False, seed=seed, explained=False)
    written = rule(small_numbers_between)
    finding = only(NUMERIC.run(Question("tests::narrower", written, settings)))
    assert finding.code in (OUTPUTS_DIFFER, FLAG_MISSING)


@pytest.mark.parametrize("write", [left_out_and_wrong, integers_between])
def test_nothing_else_is_excused(write: Write) -> None:
    finding = only(judged(write, "ninf", "lossy"))
    assert finding.code is OUTPUTS_DIFFER
    assert "lossy" not in finding.cure
