"""What stages come to: a proof that does not hold for empty tensors says where it begins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gslverify.codes.internal import CONTRADICTION
from gslverify.codes.levels import EMPTY_DIFFERS, EMPTY_REFUSED
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.corpus.declaration import CollectedRule, declaration_of
from gslverify.engine.conclusion import rule_result
from gslverify.finding import (
    Assurance,
    Code,
    Finding,
    Level,
    Reach,
    RuleResult,
    StageResult,
    Verdict,
)
from gslverify.prove.claim import CONTRADICTING
from gslverify.settings import Settings
from tests.gslverify.prove.proving import corpus


def result_of(code: Code, reach: Reach = Reach.SIZES, expect: str = "") -> RuleResult:
    """Return the result of a rule that is proved, and in which numeric found a code."""
    rule = replace(next(rule for rule in corpus("sound")), expect=expect)
    proved = [
        StageResult(
            name, Verdict.PASS, (), (Assurance(name, Level.PROVED, "proved, rank 1", reach),)
        )
        for name in ("shape", "prove")
    ]
    numeric = StageResult("numeric", code.verdict, (Finding(code, "found", rule.span),))
    item = CollectedRule("rules.py::one", Path("rules.py"), declaration_of(rule))
    return rule_result(item, (*proved, numeric), Settings())


def proofs(code: Code) -> list[str]:
    """Return what shape and prove are said to have established where numeric found a code."""
    return [one.text for one in result_of(code).assurances]


@pytest.mark.parametrize("code", [EMPTY_REFUSED, EMPTY_DIFFERS], ids=lambda code: code.id)
def test_proofs_of_rules_that_fail_for_empty_tensors_begin_at_one(code: Code) -> None:
    assert proofs(code) == ["proved, rank 1, sizes from 1"] * 2


def test_other_findings_leave_proofs_as_they_are() -> None:
    assert proofs(OUTPUTS_DIFFER) == ["proved, rank 1"] * 2


@pytest.mark.parametrize("code", sorted(CONTRADICTING, key=str), ids=str)
def test_a_rule_that_is_proved_and_refuted_is_a_defect_even_where_it_is_expected(
    code: Code,
) -> None:
    (remark,) = result_of(code).remarks
    expected = result_of(code, expect=code.id)

    assert remark.code is CONTRADICTION
    assert str(code) in remark.message
    assert expected.verdict is code.verdict
    assert CONTRADICTION in {one.code for one in expected.remarks}


@pytest.mark.parametrize(
    ("code", "reach"),
    [(OUTPUTS_DIFFER, Reach.SIZES_IN_PART), (EMPTY_DIFFERS, Reach.SIZES)],
    ids=["proved in part", "beyond the proof"],
)
def test_what_a_proof_does_not_speak_of_contradicts_nothing(code: Code, reach: Reach) -> None:
    assert result_of(code, reach).remarks == ()
    assert result_of(code, reach, code.id).verdict is Verdict.XFAIL
