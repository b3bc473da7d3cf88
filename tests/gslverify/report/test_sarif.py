from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from pydantic_sarif.model import (
    StaticAnalysisResultsFormatSarifVersion210JsonSchema as PublicSchema,
)

from gsl.span import Span
from gslverify.report.known import Known
from gslverify.report.sarif import sarif
from tests.gslverify.report.making import report_of, report_of_everything
from tests.gslverify.results import crashed, expected, failing, passing, undecided


def run_of(*results: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(sarif(report_of(*results)))
    return document["runs"][0]


def test_report_follows_the_public_schema(folder: Path) -> None:
    PublicSchema.model_validate_json(sarif(report_of_everything(folder)))


@pytest.mark.parametrize(
    ("old", "new"), [('"ruleIndex"', '"ruleNumber"'), ('"2.1.0"', '"2.2.0"'), ('"note"', '"info"')]
)
def test_public_schema_would_notice(old: str, new: str, folder: Path) -> None:
    text = sarif(report_of_everything(folder))
    assert old in text

    with pytest.raises(ValidationError):
        PublicSchema.model_validate_json(text.replace(old, new))


def test_codes_lead_to_their_pages_where_these_are_known(folder: Path) -> None:
    def links(address: str) -> list[str | None]:
        report = report_of(failing(folder))
        text = sarif(replace(report, settings=replace(report.settings, docs_url=address)))
        PublicSchema.model_validate_json(text)
        driver = json.loads(text)["runs"][0]["tool"]["driver"]
        return [rule.get("helpUri") for rule in driver["rules"]]

    page = "https://example.org/docs/reference/codes"
    assert links("https://example.org/docs/") == [f"{page}/GSL140/", f"{page}/GSL401/"]
    assert links("") == [None, None]


def test_results_have_places_relative_to_the_root(folder: Path) -> None:
    warning, finding = run_of(failing(folder))["results"]

    assert (warning["level"], finding["level"]) == ("warning", "error")
    assert finding["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "conv.py", "uriBaseId": "ROOT"},
                "region": {"startLine": 6, "startColumn": 9, "endLine": 6, "endColumn": 48},
            },
            "logicalLocations": [
                {
                    "name": "two_conv_add",
                    "fullyQualifiedName": "conv.py::two_conv_add",
                    "kind": "function",
                }
            ],
        }
    ]


def test_no_absolute_place_is_written(folder: Path) -> None:
    assert str(folder) not in sarif(report_of_everything(folder))


def test_odd_file_names_are_escaped(folder: Path) -> None:
    result = failing(folder)
    odd = replace(result, stages=(), span=Span(str(folder / "a b%#.py"), 1), remarks=())
    finding = replace(result.findings[1], span=odd.span)

    (found,) = run_of(replace(odd, remarks=(finding,)))["results"]

    uri = found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "a%20b%25%23.py"


def test_rules_are_those_that_occur_and_are_indexed(folder: Path) -> None:
    run = run_of(failing(folder), undecided())

    codes = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert codes == ["GSL140", "GSL401", "GSL490"]
    assert [codes[r["ruleIndex"]] for r in run["results"]] == [r["ruleId"] for r in run["results"]]
    assert run["results"][-1]["level"] == "note"


def test_fingerprints_survive_another_line(folder: Path) -> None:
    result = failing(folder)
    moved = [replace(f, span=None, message="other") for f in result.findings]
    again = replace(result, stages=(), remarks=tuple(moved))

    def prints(*results: Any) -> list[str]:
        return [r["partialFingerprints"]["gslFinding/v1"] for r in run_of(*results)["results"]]

    assert prints(result) == prints(again)
    assert all(re.fullmatch("[0-9a-f]{16}", text) for text in prints(result))


def test_crashes_are_notifications_and_expected_failures_are_nothing(folder: Path) -> None:
    run = run_of(crashed(), expected(), passing(folder))

    assert run["results"] == []
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    assert "stage shape raised" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_run_that_was_cut_short_is_no_success(folder: Path) -> None:
    text = sarif(report_of(passing(folder), stop_reason="interrupted"))

    assert not json.loads(text)["runs"][0]["invocations"][0]["executionSuccessful"]


def test_results_say_what_the_baseline_knows(folder: Path) -> None:
    def states(reasons: dict[tuple[str, str], str] | None) -> list[str | None]:
        known = None if reasons is None else Known(reasons)
        text = sarif(report_of(failing(folder), known=known))
        PublicSchema.model_validate_json(text)
        return [one.get("baselineState") for one in json.loads(text)["runs"][0]["results"]]

    assert states(None) == [None, None]
    assert states({}) == ["new", "new"]
    assert states({("conv.py::two_conv_add", "GSL401"): ""}) == ["new", "unchanged"]
    assert states({("conv.py::other", "GSL401"): ""}) == ["new", "new"]
