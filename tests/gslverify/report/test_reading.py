"""A finding that went through a JSON report reads as it did in the run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gslverify.documents import DocumentError, read
from gslverify.finding import Finding, RuleResult, Verdict
from gslverify.report.details import block_lines, rule_block
from gslverify.report.documents import FindingDocument
from gslverify.report.formats import render
from gslverify.report.json import document, dumps
from gslverify.report.reading import as_finding
from gslverify.report.style import Style
from gslverify.settings import Settings
from tests.gslverify.report.making import report_of, report_of_everything
from tests.gslverify.results import failing, undecided


def finding_of(document: dict[str, Any]) -> Finding:
    return as_finding(read(FindingDocument, document))


def written(result: RuleResult) -> Any:
    """Return the last finding of a rule as it stands in a report."""
    (rule,) = json.loads(dumps(document(report_of(result))))["rules"]
    return rule["findings"][-1]


def test_the_block_is_that_of_the_run(folder: Path) -> None:
    result = failing(folder)
    finding = written(result)
    (folder / "conv.py").write_text("another version\n", "utf-8")

    lines = block_lines(
        result.rule_id, [finding_of(finding)], finding["repro"], Style(), [finding["source_line"]]
    )

    failing(folder)
    assert lines == rule_block(result, [result.findings[-1]], Settings(seed=3), Style())
    assert "  6 |     y = op.Conv2D(x, w, **pat.same_attr(conv1))" in lines


def test_a_finding_without_place_and_counterexample() -> None:
    result = undecided()
    finding = written(result)

    told = finding_of(finding)

    assert (told.span, told.counterexample) == (None, None)
    lines = block_lines(result.rule_id, [told], finding["repro"], Style(), [finding["source_line"]])
    assert lines == rule_block(result, [result.findings[-1]], Settings(seed=3), Style())


def test_a_code_of_another_release_keeps_its_name(folder: Path) -> None:
    told = finding_of(written(failing(folder)) | {"code": "GSL499"})

    assert (told.code.id, told.code.verdict) == ("GSL499", Verdict.FAIL)


def test_what_was_added_later_may_be_missing(folder: Path) -> None:
    older = written(failing(folder))
    for name in ("stored", "condition", "source_line"):
        del older[name]
    for name in ("source_values", "target_values", "divergence", "matters", "same_for_any"):
        del older["counterexample"][name]

    told = finding_of(older)

    assert (told.stored, told.message) == ("", "output y: 2 of 4 elements differ")


@pytest.mark.parametrize(
    "damage", [{"message": None, "details": None}, {"verdict": "x"}, {"span": {}}]
)
def test_what_no_report_says_is_refused(damage: dict[str, Any], folder: Path) -> None:
    with pytest.raises(DocumentError):
        finding_of(written(failing(folder)) | damage)


def test_without_hints_no_format_has_one(folder: Path) -> None:
    result = failing(folder)
    silent = Settings(seed=3, hints=False)

    assert "  hint          add groups=1 to conv1" in rule_block(
        result, [result.findings[-1]], Settings(), Style()
    )
    assert "hint" not in "\n".join(rule_block(result, [result.findings[-1]], silent, Style()))
    assert written(result)["cure"] == "add groups=1 to conv1"


@pytest.mark.parametrize("name", ["json", "sarif", "github", "markdown", "junit", "html", "full"])
def test_hints_are_in_all_formats_or_in_none(name: str, folder: Path) -> None:
    report = report_of_everything(folder)
    silent = replace(report, settings=replace(report.settings, hints=False))

    assert "add groups=1 to conv1" in render(name, report)
    assert "add groups=1 to conv1" not in render(name, silent)
