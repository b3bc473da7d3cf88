"""Which flags of special values a rule needs is found out, shown and compared with what it says.

The truth about the laws is that of LLVM, whose documentation and InstSimplify ask for these flags.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from gsl import Subst, op, pat, rule
from gsl.flags import OF_SPECIAL_VALUES, in_order
from gslverify.codes.levels import SPECIAL_VALUES_CHANGE
from gslverify.finding import Verdict
from gslverify.stage import Question, Settings, StageResult
from gslverify.stages.numeric import NUMERIC
from gslverify.trials.replay import replay

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]


def divided_by_itself() -> Subst:
    x = pat.Wildcard()
    return Subst(x / x, op.OnesLike(x), where=[x.dtype == "float32"])


def times_zero() -> Subst:
    x = pat.Wildcard()
    return Subst(x * 0, op.ZerosLike(x), where=[x.dtype == "float32"])


def subtracted_from_itself() -> Subst:
    x = pat.Wildcard()
    return Subst(x - x, op.ZerosLike(x), where=[x.dtype == "float32"])


def plus_zero() -> Subst:
    x = pat.Wildcard()
    return Subst(x + 0, x, where=[x.dtype == "float32"])


def times_one() -> Subst:
    x = pat.Wildcard()
    return Subst(x * 1, x, where=[x.dtype == "float32"])


def logarithm_of_exponential() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Log(op.Exp(x)), x, where=[x.dtype == "float32"])


def subtraction() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x + (-y), x - y, where=[x.dtype == "float32"])


def equal_to_itself() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Equal(x, x), op.OnesLike(x, dtype="bool"), where=[x.dtype == "float32"])


TRUTH: dict[Write, str] = {
    divided_by_itself: "nnan",
    times_zero: "nnan nsz",
    subtracted_from_itself: "nnan",
    plus_zero: "nsz",
    times_one: "",
    logarithm_of_exponential: "ninf nsz",
    subtraction: "",
    equal_to_itself: "nnan",
}


def asked(write: Write, flags: Iterable[str] | None) -> StageResult:
    settings = Settings(use_tvm=False, max_examples=16, min_examples=6, max_variants=12)
    return NUMERIC.run(Question("tests::flags", rule(flags=flags)(write), settings))


def needs(result: StageResult) -> str:
    """Return the flags on the line of a rule."""
    texts = [one.text for one in result.assurances if one.text.startswith("needs ")]
    return texts[0].removeprefix("needs ").partition(",")[0] if texts else ""


@pytest.mark.parametrize("write", TRUTH, ids=lambda write: write.__name__)
def test_a_pass_never_hides_that_a_special_value_changes(write: Write) -> None:
    result = asked(write, None)
    assert (result.verdict, needs(result)) == (Verdict.PASS, TRUTH[write])
    witnesses = [note.partition(" ")[0] for note in result.notes if " is needed: " in note]
    assert witnesses == TRUTH[write].split()


@pytest.mark.parametrize("write", TRUTH, ids=lambda write: write.__name__)
def test_with_the_flags_that_it_needs_a_rule_passes(write: Write) -> None:
    result = asked(write, TRUTH[write].split())
    assert (result.verdict, needs(result)) == (Verdict.PASS, TRUTH[write])
    assert not any("is declared" in note for note in result.notes)


@pytest.mark.parametrize(
    ("write", "flag"),
    [(write, flag) for write, flags in TRUTH.items() for flag in flags.split()],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_with_one_flag_less_it_is_refuted_by_what_shows_that(write: Write, flag: str) -> None:
    result = asked(write, {*TRUTH[write].split()} - {flag})
    (finding,) = result.findings
    assert finding.code is SPECIAL_VALUES_CHANGE
    listed = ", ".join(f'"{name}"' for name in TRUTH[write].split())
    assert f"write @rule(flags={{{listed}}}) if" in finding.cure
    assert finding.counterexample is not None
    assert finding.counterexample.case is not None
    again = replay(write(), finding.counterexample.case, finding.code.id)
    assert again.code is SPECIAL_VALUES_CHANGE


def test_flags_that_nothing_needed_are_noted() -> None:
    result = asked(subtraction, OF_SPECIAL_VALUES)
    assert result.verdict is Verdict.PASS
    noted = [note.partition(" ")[0] for note in result.notes if "is declared" in note]
    assert noted == in_order(OF_SPECIAL_VALUES)
