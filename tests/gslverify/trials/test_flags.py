"""Which flags a rule needs is found out, shown and compared with what it says, by the stage."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from gsl import Subst, op, pat, rule
from gsl.flags import OF_ROUNDING, OF_SPECIAL_VALUES, in_order
from gslverify.codes.levels import FLAG_MISSING, SPECIAL_VALUES_CHANGE
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Finding, Verdict
from gslverify.stage import Question, Settings, StageResult
from gslverify.stages.numeric import NUMERIC
from gslverify.trials.replay import replay

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]


def divided_by_itself() -> Subst:
    x = pat.Wildcard()
    return Subst(x / x, op.OnesLike(x), where=[x.dtype == "float32"])


def logarithm_of_exponential() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Log(op.Exp(x)), x, where=[x.dtype == "float32"])


def subtraction() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x + (-y), x - y, where=[x.dtype == "float32"])


def reordered() -> Subst:
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst((x + y) + z, x + (y + z), where=[x.dtype == "float32"])


def scaled_there_and_back() -> Subst:
    x = pat.Wildcard()
    return Subst((x * 2.0**-100) * 2.0**100, x, where=[x.dtype == "float32"])


def root_of_square() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Sqrt(x * x), op.Abs(x), where=[x.dtype == "float32"])


def eighths() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x / 8.0 + y / 8.0, (x + y) / 8.0, where=[x.dtype == "float32"])


def half_for_divided_by_two() -> Subst:
    x = pat.Wildcard()
    return Subst(x / 2.0, x * 0.5, where=[x.dtype == "float32"])


def shifted_comparison() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    alike = [x.dtype == "float32", y.dtype == "float32"]
    return Subst(op.Less(x, y), op.Less(x + 1.0, y + 1.0), where=alike)


def halved_before_it_is_compared() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(op.NotEqual(x, 0.0), op.NotEqual(x * 0.5, 0.0))


def shifted_place() -> Subst:
    x = pat.Wildcard(ndim=1, dtype="float32")
    place = op.Argmax(x, axis=0, keepdims=True)
    return Subst(place, op.Argmax(x + 1.0, axis=0, keepdims=True))


def floor_of_shifted() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(op.Floor(x + 1.0), op.Floor(x) + 1.0)


def comparison_turned() -> Subst:
    x, y = pat.Wildcard(dtype="float32"), pat.Wildcard(dtype="float32")
    return Subst(op.Less(x, y), op.Greater(-x, -y))


def scaled_before_it_is_true() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(op.Cast(x, dtype="bool"), op.Cast(x * 0.25, dtype="bool"))


def less_than_the_next() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(op.IsFinite(x), op.Less(x, x + 1.0))


def more_than_a_thousand_less() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(op.IsFinite(x), op.Less(x - 1000.0, x))


def place_of_halves() -> Subst:
    x = pat.Wildcard(ndim=1, dtype="float32")
    place = op.Argmax(x, axis=0, keepdims=True)
    return Subst(place, op.Argmax(x * 0.5, axis=0, keepdims=True))


def chosen_by_halves() -> Subst:
    x, y = pat.Wildcard(dtype="float32"), pat.Wildcard(dtype="float32")
    return Subst(op.Where(op.Less(x, y), x, y), op.Where(op.Less(x * 0.5, y * 0.5), x, y))


def other_number_that_is_narrowed() -> Subst:
    """The numbers are neighbours in float32."""
    x = pat.Wildcard(dtype="float32")
    one, other = (op.Cast(x * number, dtype="float16") for number in (1.0, 1.0000001))
    return Subst(one, other)


def half_of_double() -> Subst:
    x = pat.Wildcard()
    return Subst(op.FloorDivide(x * 2, 2), x, where=[x.dtype == "int32"])


def double_for_half() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Abs(op.Abs(x)), op.FloorDivide(op.Abs(x) * 2, 2), where=[x.dtype == "int32"])


def difference_of_sum() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst((x + y) - y, x, where=[x.dtype == "int8", x.shape == y.shape])


TRUTH: dict[Write, str] = {
    divided_by_itself: "nnan",
    logarithm_of_exponential: "ninf nsz afn",
    subtraction: "",
    reordered: "ninf reassoc",
    scaled_there_and_back: "reassoc",
    root_of_square: "ninf reassoc afn",
    eighths: "ninf reassoc",
    half_for_divided_by_two: "",
    shifted_comparison: "reassoc",
    halved_before_it_is_compared: "reassoc",
    shifted_place: "reassoc",
    floor_of_shifted: "reassoc",
    comparison_turned: "",
    scaled_before_it_is_true: "reassoc",
    less_than_the_next: "reassoc",
    more_than_a_thousand_less: "reassoc",
    place_of_halves: "reassoc",
    chosen_by_halves: "reassoc",
}


def asked(write: Write, flags: Iterable[str] | None) -> StageResult:
    settings = Settings(use_tvm=False, max_examples=12, min_examples=6, max_variants=8)
    return NUMERIC.run(Question("tests::flags", rule(flags=flags)(write), settings))


def refutation(result: StageResult) -> Finding:
    (finding,) = [one for one in result.findings if not one.code.is_warning]
    return finding


def needs(result: StageResult) -> str:
    """Return the flags on the line of a rule."""
    texts = [one.text for one in result.assurances if one.text.startswith("needs ")]
    return texts[0].removeprefix("needs ").partition(",")[0] if texts else ""


@pytest.mark.parametrize("write", TRUTH, ids=lambda write: write.__name__)
def test_a_pass_never_hides_what_changes(write: Write) -> None:
    result = asked(write, None)
    assert (result.verdict, needs(result)) == (Verdict.PASS, TRUTH[write])
    witnesses = [note.partition(" ")[0] for note in result.notes if " is needed: " in note]
    assert witnesses == TRUTH[write].split()
    said = {one.text for one in result.assurances}
    assert ("bit-exact, 12 graphs" in said) == (not TRUTH[write])


def test_what_was_found_out_is_in_the_result_as_plain_values() -> None:
    flags = asked(logarithm_of_exponential, None).flags
    assert (flags["needed"], flags["declared"]) == (["ninf", "nsz", "afn"], None)
    assert not flags["bit_exact"]
    assert flags["witnesses"].keys() == {"ninf", "nsz", "afn"}
    assert flags["witnesses"]["afn"]["source"][0].startswith("%0 = Exp(")
    assert flags["witnesses"]["nsz"]["inputs"].keys() == {"x"}
    units = flags["units_in_the_last_place"]["float32"]
    assert units["target"] == 0.0 < units["source"]


@pytest.mark.parametrize(
    ("write", "flag", "code"),
    [
        (divided_by_itself, "nnan", SPECIAL_VALUES_CHANGE),
        (logarithm_of_exponential, "afn", FLAG_MISSING),
        (logarithm_of_exponential, "nsz", SPECIAL_VALUES_CHANGE),
        (scaled_there_and_back, "reassoc", FLAG_MISSING),
        (root_of_square, "afn", FLAG_MISSING),
        (shifted_comparison, "reassoc", FLAG_MISSING),
        (shifted_place, "reassoc", FLAG_MISSING),
    ],
)
def test_with_one_flag_less_it_is_refuted_by_what_shows_that(
    write: Write, flag: str, code: object
) -> None:
    declared = rule(flags={*TRUTH[write].split()} - {flag})(write)
    finding = refutation(asked(write, {*TRUTH[write].split()} - {flag}))
    assert finding.code is code
    listed = ", ".join(f'"{name}"' for name in TRUTH[write].split())
    assert f"write @rule(flags={{{listed}}}) if" in finding.cure
    example = finding.counterexample
    assert example is not None
    assert example.case is not None
    assert replay(declared(), example.case, finding.code.id).code is code
    enough = rule(flags=TRUTH[write].split())(write)
    assert code is SPECIAL_VALUES_CHANGE or not replay(enough(), example.case, code.id).code


def test_what_no_flag_explains_refutes_a_rule_that_declares_none() -> None:
    written = rule(flags=())(other_number_that_is_narrowed)
    result = NUMERIC.run(Question("tests::flags", written, Settings(use_tvm=False)))
    found = refutation(result)
    assert found.code is FLAG_MISSING
    assert "nothing is rounded otherwise" in found.message


def test_with_the_flags_that_it_needs_a_rule_passes() -> None:
    result = asked(logarithm_of_exponential, {"ninf", "nsz", "afn"})
    assert (result.verdict, needs(result)) == (Verdict.PASS, "ninf nsz afn")
    assert not any("is declared" in note for note in result.notes)


def test_flags_that_nothing_needed_are_noted() -> None:
    result = asked(subtraction, OF_SPECIAL_VALUES | OF_ROUNDING)
    assert result.verdict is Verdict.PASS
    noted = [note.partition(" ")[0] for note in result.notes if "is declared" in note]
    assert noted == in_order(OF_SPECIAL_VALUES | OF_ROUNDING)
    assert result.flags["unneeded"] == noted


def test_integers_of_the_source_need_not_wrap_under_the_flag_for_that() -> None:
    result = asked(half_of_double, {"nowrap"})
    assert (result.verdict, needs(result)) == (Verdict.PASS, "nowrap")
    assert result.flags["witnesses"].keys() == {"nowrap"}
    assert not result.flags["bit_exact"]


@pytest.mark.parametrize("flags", [None, ()], ids=["none declared", "no flag"])
def test_without_that_flag_integers_wrap(flags: Iterable[str] | None) -> None:
    finding = refutation(asked(half_of_double, flags))
    assert finding.code is OUTPUTS_DIFFER
    assert '"nowrap"' in finding.cure
    example = finding.counterexample
    assert example is not None
    assert example.case is not None
    granted = rule(flags={"nowrap"})(half_of_double)()
    assert replay(rule()(half_of_double)(), example.case, "GSL401").code is OUTPUTS_DIFFER
    assert replay(granted, example.case, "GSL401").code is None


def test_a_target_may_not_wrap_where_the_source_does_not() -> None:
    finding = refutation(asked(double_for_half, {"nowrap"}))
    assert finding.code is OUTPUTS_DIFFER
    assert "nowrap" not in finding.cure


def test_where_wrapping_does_no_harm_the_flag_is_noted() -> None:
    result = asked(difference_of_sum, {"nowrap"})
    assert result.flags["unneeded"] == ["nowrap"]
    assert result.verdict is Verdict.PASS
