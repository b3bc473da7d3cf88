"""What stages come to: a proof that does not hold for empty tensors says where it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from gslverify.codes.levels import EMPTY_DIFFERS, EMPTY_REFUSED
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.corpus.declaration import CollectedRule, declaration_of
from gslverify.engine.conclusion import rule_result
from gslverify.finding import Assurance, Code, Finding, Level, StageResult, Verdict
from gslverify.settings import Settings
from tests.gslverify.prove.proving import corpus


def proofs(code: Code) -> list[str]:
    """Return what shape and prove are said to have established where numeric found a code."""
    rule = next(rule for rule in corpus("sound"))
    proved = [
        StageResult(name, Verdict.PASS, (), (Assurance(name, Level.PROVED, "proved, rank 1"),))
        for name in ("shape", "prove")
    ]
    numeric = StageResult("numeric", code.verdict, (Finding(code, "found", rule.span),))
    item = CollectedRule("rules.py::one", Path("rules.py"), declaration_of(rule))
    result = rule_result(item, (*proved, numeric), Settings())
    return [one.text for one in result.assurances]


@pytest.mark.parametrize("code", [EMPTY_REFUSED, EMPTY_DIFFERS], ids=lambda code: code.id)
def test_proofs_of_rules_that_fail_for_empty_tensors_begin_at_one(code: Code) -> None:
    assert proofs(code) == ["proved, rank 1, sizes from 1"] * 2


def test_other_findings_leave_proofs_as_they_are() -> None:
    assert proofs(OUTPUTS_DIFFER) == ["proved, rank 1"] * 2
