from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gslverify.report.jsonl import JsonLines, jsonl
from tests.gslverify.report.making import report_of, report_of_everything
from tests.gslverify.results import failing
from tests.gslverify.runs import events_of


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_events_of_a_rule_come_in_order(folder: Path) -> None:
    found = records(jsonl(report_of(failing(folder))))

    assert [record["event"] for record in found] == [
        "run_started",
        "rule_started",
        "stage_done",
        "stage_done",
        "finding",
        "finding",
        "rule_done",
        "run_done",
    ]
    assert [r["code"] for r in found if r["event"] == "finding"] == ["GSL140", "GSL401"]
    assert found[-2]["verdict"] == "fail"
    assert found[-1]["summary"] == {"fail": 1}


def test_every_line_is_json_without_bare_words(folder: Path) -> None:
    text = jsonl(report_of_everything(folder))

    for line in text.splitlines():
        json.loads(line, parse_constant=pytest.fail)


def test_lines_are_written_while_the_run_goes_on(folder: Path) -> None:
    lines: list[str] = []
    writer = JsonLines(lines.append)
    counts = []

    for event in events_of(folder, ["one", "two"]):
        writer.consume(event)
        counts.append(len(lines))

    assert 1 < counts[-3] < counts[-2] < counts[-1]
    assert {json.loads(line).get("rule") for line in lines} == {
        None,
        "rules.py::one",
        "rules.py::two",
    }
