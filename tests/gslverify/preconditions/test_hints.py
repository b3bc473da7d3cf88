"""Hints reach the report of a run, where there is time and somebody asks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gslverify.cli import main
from gslverify.codes.numeric import OUTPUTS_DIFFER, TOO_FEW_EXAMPLES
from gslverify.engine import examination
from gslverify.engine.deadline import OutOfTimeError
from gslverify.engine.examination import wants_hints
from gslverify.finding import Counterexample, Finding, RuleResult, StageResult, Verdict
from gslverify.preconditions import hints
from gslverify.preconditions.propose import Proposal
from gslverify.report.details import rule_block
from gslverify.report.style import Style
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.shape import SHAPE
from tests.gslverify.preconditions import rules
from tests.gslverify.rule_files import write_rule
from tests.gslverify.stages.asking import only, question

CHOSEN = """
x, y = pat.Wildcard(), pat.Wildcard()
chosen = op.Where(pat.Const(value=True), x, y)
return Subst(chosen, x)
"""
CONDITION = "x.shape == chosen.shape"
FAILED = Finding(OUTPUTS_DIFFER, "", counterexample=Counterexample({}, (), ()))


def run(folder: Path, *arguments: str) -> str:
    write_rule(folder, CHOSEN)
    given = ["check", "rules.py", "-j0", "--stages", "static,satisfiable,shape", *arguments]
    return CliRunner().invoke(main, given, prog_name="gslverify").stdout


@pytest.mark.smt
def test_the_report_has_a_hint_and_a_field(folder: Path) -> None:
    text = run(folder)
    assert f"hint          add the condition `{CONDITION}`" in text
    (finding,) = json.loads(run(folder, "--output-format", "json"))["rules"][0]["findings"]
    assert finding["condition"] == CONDITION


@pytest.mark.smt
def test_hints_can_be_turned_off(folder: Path) -> None:
    assert "hint " not in run(folder, "--no-hints")
    plain = run(folder, "--no-hints", "--output-format", "json")
    (finding,) = json.loads(plain)["rules"][0]["findings"]
    assert finding["condition"] is None


@pytest.mark.smt
def test_a_failure_on_the_way_keeps_the_refutation(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = question(rules.chosen_by_truth)
    result = SHAPE.run(asked)

    def fail(*given: Any) -> None:
        raise ValueError("out of ideas")

    monkeypatch.setattr(hints, "proposal", fail)
    kept = hints.with_hints(asked, result)
    assert kept.findings == result.findings
    assert kept.notes == ("no condition was looked for: ValueError: out of ideas",)


def test_one_search_gives_one_hint_for_all_that_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = question(rules.chosen_by_truth)
    unknown = replace(FAILED, code=TOO_FEW_EXAMPLES, counterexample=None, cure="give it more time")
    result = StageResult("shape", Verdict.FAIL, (FAILED, unknown, replace(FAILED, message="b")))
    searched: list[Finding] = []
    told: list[StageResult] = []

    def search(asked: Question, finding: Finding, tell: Callable[[Proposal], None]) -> Proposal:
        searched.append(finding)
        tell(Proposal("x.ndim == 2", True, 3, 4))
        return Proposal("x.ndim == 2", True, 3, 4)

    monkeypatch.setattr(hints, "proposal", search)
    found = hints.with_hints(asked, result, told.append)

    assert searched == [FAILED]
    assert [one.condition for one in found.findings] == ["x.ndim == 2", "", "x.ndim == 2"]
    assert [one.cure for one in found.findings][1] == "give it more time"
    assert told == [found]
    text = "\n".join(
        rule_block(RuleResult("a.py::f", None, (found,)), found.findings, Settings(), Style())
    )
    assert text.count("add the condition `x.ndim == 2`") == 1


@pytest.mark.smt
def test_warnings_get_no_hint() -> None:
    asked = question(rules.chosen_by_truth)
    finding = only(SHAPE.run(asked))
    warning = replace(finding, code=replace(finding.code, verdict=Verdict.PASS))
    result = StageResult("shape", Verdict.PASS, (warning,))
    assert hints.with_hints(asked, result) == result


@pytest.mark.parametrize(
    ("settings", "changes", "wanted"),
    [
        ({}, {}, True),
        ({"hints": False}, {}, False),
        ({"rule_budget": 20.0}, {}, True),
        ({"rule_budget": 20.0}, {"seconds": 18.0}, False),
        ({"rule_budget": 20.0, "hint_budget": 1.0}, {"seconds": 18.0}, True),
        ({"stage_timeout": 2.0}, {}, False),
        ({}, {"verdict": Verdict.VACUOUS}, False),
        ({}, {"findings": (Finding(OUTPUTS_DIFFER, ""),)}, False),
    ],
)
def test_hints_are_looked_for_where_there_is_time_and_a_counterexample(
    settings: dict[str, Any], changes: dict[str, Any], wanted: bool
) -> None:
    result = replace(StageResult("numeric", Verdict.FAIL, (FAILED,)), **changes)
    assert wants_hints(result, question(rules.right, **settings)) is wanted


def test_nobody_asks_what_an_expected_failure_lacks() -> None:
    asked = question(rules.right)
    asked.rule = replace(asked.rule, expect="GSL401")
    assert not wants_hints(StageResult("numeric", Verdict.FAIL, (FAILED,)), asked)


@pytest.mark.smt
def test_the_time_of_a_search_is_shown(folder: Path) -> None:
    text = run(folder)
    assert re.search(r"\d\.\ds, hint \d\.\ds", text)
    report = json.loads(run(folder, "--output-format", "json", "--no-cache"))
    ((rule_id, seconds),) = report["timing"]["hints"].items()
    assert 0 < seconds <= report["timing"]["rules"][rule_id]
    assert "hints" not in report["rules"][0]


@pytest.mark.smt
def test_a_search_that_takes_too_long_ends_with_a_note(folder: Path) -> None:
    text = " ".join(run(folder, "--hint-budget", "0.001", "-v").split())
    assert "GSL301" in text
    assert "no condition was found in 0.001 s; --hint-budget gives it more" in text
    assert "add the condition" not in text


def test_what_is_known_when_time_is_over_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(result: StageResult, asked: Question, tell: Any) -> StageResult:
        tell(replace(result, findings=(replace(FAILED, condition="x.ndim == 2"),)))
        raise OutOfTimeError

    monkeypatch.setattr(examination, "with_hints", search)
    asked = examination.Examination.__new__(examination.Examination)
    asked.question, asked.found, asked.notify = question(rules.right), None, lambda event: None
    result = asked._with_hints(StageResult("numeric", Verdict.FAIL, (FAILED,)))
    assert result.findings[0].condition == "x.ndim == 2"
    assert result.hint_seconds > 0


def test_the_refutation_is_out_before_a_condition_is_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order: list[str] = []

    def search(result: StageResult, *rest: Any) -> StageResult:
        order.append("search")
        return result

    monkeypatch.setattr(examination, "with_hints", search)
    asked = examination.Examination.__new__(examination.Examination)
    asked.question, asked.found = question(rules.right), None
    asked.notify = lambda event: order.append(type(event).__name__)
    asked._with_hints(StageResult("numeric", Verdict.FAIL, (FAILED,)))
    assert order == ["Found", "search"]
