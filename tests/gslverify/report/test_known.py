"""Failures of a baseline are known in every format, with the reason."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gslverify.report.concise import concise
from gslverify.report.github import github
from gslverify.report.gitlab import gitlab
from gslverify.report.html.model import page_model
from gslverify.report.json import report_document
from gslverify.report.junit import junit
from gslverify.report.known import ACCEPTED, Known, marked
from gslverify.report.markdown import markdown
from gslverify.report.record import Report
from gslverify.report.sarif import sarif
from gslverify.report.style import Style
from gslverify.report.text import full
from tests.gslverify.report.making import report_of
from tests.gslverify.results import failing, passing

REASON = "issue 12, groups"
KNOWN = Known({("conv.py::two_conv_add", "GSL401"): REASON})
OTHER = Known({("conv.py::two_conv_add", "GSL302"): REASON})


@pytest.fixture
def report(folder: Path) -> Report:
    return report_of(failing(folder), passing(folder), known=KNOWN)


@pytest.fixture
def unknown(folder: Path) -> Report:
    return report_of(failing(folder), passing(folder), known=OTHER)


def test_a_rule_is_known_if_all_is_known_that_speaks_against_it(folder: Path) -> None:
    result = failing(folder)

    assert KNOWN.covers(result)
    assert KNOWN.reason_of(result) == REASON
    assert not OTHER.covers(result)
    assert not KNOWN.covers(passing(folder))
    assert Known({("conv.py::two_conv_add", "GSL401"): ""}).reason_of(result) == ACCEPTED


def test_text_has_a_line_instead_of_a_block(report: Report, unknown: Report) -> None:
    lines = full(report).splitlines()

    assert "known failures" in lines
    assert f"  conv.py::two_conv_add  GSL401  {REASON}" in lines
    assert not any(line.startswith("FAIL conv.py") for line in lines)
    assert any(line.startswith("FAIL conv.py") for line in full(unknown).splitlines())


def test_all_is_told_on_demand(folder: Path) -> None:
    report = report_of(failing(folder), known=KNOWN, style=Style(verbosity=1))

    assert any(line.startswith("FAIL conv.py") for line in full(report).splitlines())


def test_annotations_are_notices(report: Report, unknown: Report) -> None:
    assert "::error" not in github(report)
    assert f"%0Aknown: {REASON}" in github(report)
    assert "::error" in github(unknown)


def test_lines_are_of_level_known(report: Report, unknown: Report) -> None:
    assert " known GSL401 " in concise(report)
    assert f"({REASON})" in concise(report)
    assert " error GSL401 " in concise(unknown)


def test_issues_of_gitlab_come_last(report: Report, unknown: Report) -> None:
    last = json.loads(gitlab(report))[-1]

    assert last["severity"] == "info"
    assert last["description"].startswith(f"Known ({REASON}): GSL401")
    assert "major" in [one["severity"] for one in json.loads(gitlab(unknown))]


def test_cases_of_junit_are_skipped(report: Report, unknown: Report) -> None:
    root = ElementTree.fromstring(junit(report))
    (skipped,) = root.iter("skipped")

    assert root.get("failures") == "0"
    assert REASON in (skipped.get("message") or "")
    assert ElementTree.fromstring(junit(unknown)).get("failures") == "1"


def test_results_of_sarif_are_suppressed(report: Report, unknown: Report) -> None:
    first, second = json.loads(sarif(report))["runs"][0]["results"]

    assert second["suppressions"] == [{"kind": "external", "justification": REASON}]
    assert "suppressions" not in first
    assert "suppressions" not in sarif(unknown)


def test_markdown_has_a_section(report: Report, unknown: Report) -> None:
    text = markdown(report)

    assert "<details><summary>1 known failure</summary>" in text
    assert text.index("two_conv_add") > text.index("1 known failure")
    assert "known failure" not in markdown(unknown)


def test_pages_have_a_group(report: Report, unknown: Report) -> None:
    groups = page_model(report_document(report), {}, everything=False).groups
    others = page_model(report_document(unknown), {}, everything=False).groups

    assert [group.kind for group in groups] == ["known", "tested"]
    assert groups[0].rules[0].known == REASON
    assert [group.kind for group in others] == ["fail", "tested"]


def test_merged_reports_are_marked_alike(report: Report, unknown: Report) -> None:
    whole = marked(report_document(unknown), KNOWN)

    assert whole.rules == report_document(report).rules
    assert whole.rules != report_document(unknown).rules
