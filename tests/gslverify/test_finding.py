from __future__ import annotations

import pickle

import pytest

from gsl.span import Span
from gslverify.codes.corpus import FILE_DOES_NOT_IMPORT
from gslverify.codes.numeric import OUTPUTS_DIFFER, TOO_FEW_EXAMPLES
from gslverify.codes.satisfiable import VACUOUS
from gslverify.codes.static import SILENT_DEFAULT
from gslverify.finding import (
    CODES,
    Assurance,
    Code,
    Counterexample,
    Difference,
    Finding,
    Level,
    Mismatch,
    RuleResult,
    StageResult,
    Tensor,
    Verdict,
    code,
)
from gslverify.stage import verdict_of


def result_of(*codes: Code, expect: str = "", remarks: tuple[Finding, ...] = ()) -> RuleResult:
    stages = [StageResult("static", Verdict.PASS)]
    stages += [StageResult("any", code.verdict, (Finding(code, "text"),)) for code in codes]
    return RuleResult("rules.py::example", Span("rules.py", 1), tuple(stages), expect, remarks)


@pytest.mark.parametrize(
    ("codes", "verdict"),
    [
        ((), Verdict.PASS),
        ((SILENT_DEFAULT,), Verdict.PASS),
        ((OUTPUTS_DIFFER,), Verdict.FAIL),
        ((VACUOUS,), Verdict.VACUOUS),
        ((TOO_FEW_EXAMPLES,), Verdict.INCONCLUSIVE),
        ((FILE_DOES_NOT_IMPORT,), Verdict.ERROR),
        ((TOO_FEW_EXAMPLES, OUTPUTS_DIFFER), Verdict.FAIL),
        ((TOO_FEW_EXAMPLES, FILE_DOES_NOT_IMPORT), Verdict.ERROR),
        ((VACUOUS, FILE_DOES_NOT_IMPORT), Verdict.VACUOUS),
    ],
)
def test_the_severest_stage_decides(codes: tuple[Code, ...], verdict: Verdict) -> None:
    assert result_of(*codes).verdict is verdict
    assert verdict_of([Finding(code, "text") for code in codes]) is verdict


def test_expected_code_makes_xfail() -> None:
    assert result_of(OUTPUTS_DIFFER, expect="GSL401").verdict is Verdict.XFAIL


def test_other_code_than_expected_stays_a_failure() -> None:
    assert result_of(VACUOUS, expect="GSL401").verdict is Verdict.VACUOUS


def test_a_warning_cannot_be_the_expected_refutation() -> None:
    assert result_of(SILENT_DEFAULT, expect="GSL140").verdict is Verdict.PASS


def test_undecided_is_not_the_expected_refutation() -> None:
    assert result_of(TOO_FEW_EXAMPLES, expect="GSL401").verdict is Verdict.INCONCLUSIVE


def test_remarks_count_like_findings() -> None:
    remark = Finding(OUTPUTS_DIFFER, "text")

    result = result_of(remarks=(remark,))

    assert result.verdict is Verdict.FAIL
    assert result.findings == (remark,)


def test_skipped_stages_have_no_say() -> None:
    skipped = StageResult("numeric", Verdict.INCONCLUSIVE, skipped="shape refuted the rule")
    done = StageResult("static", Verdict.PASS)

    assert RuleResult("id", None, (done, skipped)).verdict is Verdict.PASS
    assert RuleResult("id", None, (skipped,)).verdict is Verdict.INCONCLUSIVE


def test_assurances_come_strongest_first() -> None:
    exact = Assurance("", Level.EXACT, "exact, 3 graphs")
    proved = Assurance("shape", Level.PROVED, "proved, rank 4")
    numeric = StageResult("numeric", Verdict.PASS, assurances=(exact,), seconds=2.0)
    shape = StageResult("shape", Verdict.PASS, assurances=(proved,), seconds=1.0)

    result = RuleResult("id", None, (numeric, shape))

    assert result.assurances == (proved, exact)
    assert result.seconds == 3.0
    assert [str(assurance) for assurance in result.assurances] == [
        "shape proved, rank 4",
        "exact, 3 graphs",
    ]


def test_fingerprint_ignores_wording_and_place() -> None:
    one = Finding(OUTPUTS_DIFFER, "3 of 4 elements", Span("rules.py", 3), subject="y")
    moved = Finding(OUTPUTS_DIFFER, "4 of 4 elements", Span("rules.py", 9), subject="y")
    other = Finding(OUTPUTS_DIFFER, "3 of 4 elements", Span("rules.py", 3), subject="z")

    assert one.fingerprint("rules.py::a") == moved.fingerprint("rules.py::a")
    assert one.fingerprint("rules.py::a") != other.fingerprint("rules.py::a")
    assert one.fingerprint("rules.py::a") != one.fingerprint("rules.py::b")


def test_codes_are_registered_once() -> None:
    with pytest.raises(ValueError, match="GSL401 is registered twice"):
        code("GSL401", "again", "again", Verdict.FAIL, meaning="Again.")
    assert CODES["GSL401"] is OUTPUTS_DIFFER


def test_results_survive_the_way_between_processes() -> None:
    example = Counterexample(
        {"conv.groups": 2},
        ("return x",),
        ("return y",),
        (Tensor("x", "float32", (1, 2), [[1.0, 2.0]]),),
        (Difference("y", 1, 2, 3.0, (Mismatch((0, 1), 4.0, 1.0),)),),
    )
    finding = Finding(OUTPUTS_DIFFER, "text", Span("rules.py", 3), counterexample=example)
    result = StageResult("numeric", Verdict.FAIL, (finding,), counts={"graphs": 3})

    assert pickle.loads(pickle.dumps(result)) == result
