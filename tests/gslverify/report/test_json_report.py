from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gslverify.events import RunDone
from gslverify.finding import RuleResult, StageResult, Verdict
from gslverify.report.json import document, dumps
from gslverify.report.record import Report
from gslverify.settings import Settings
from gslverify.versions import tool_versions
from tests.gslverify.results import expected, failing, passing, undecided

ARGV = ("check", "conv.py", "--seed", "3", "-j", "2")


def report(results: list[RuleResult], seconds: float = 1.5) -> dict[str, Any]:
    done = RunDone(tuple(results), seconds)
    text = dumps(document(Report(done, Settings(seed=3, jobs=2), ("conv.py",), 1, ARGV)))
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def test_run_and_tools_are_described(folder: Path) -> None:
    parsed = report([passing(folder)])

    assert parsed["schema_version"] == 1
    assert parsed["run"] == {
        "argv": ["check", "conv.py", "--seed", "3"],
        "paths": ["conv.py"],
        "stages": ["static", "examples", "satisfiable", "shape", "prove", "numeric"],
        "max_examples": 60,
        "min_examples": 20,
        "draws": 7,
        "seed": 3,
        "use_tvm": True,
        "keep_going": False,
        "profile": "dev",
        "tags": [],
        "expression": None,
        "changed_since": None,
        "solver_limit": 4_000_000,
        "budget_s": None,
        "rule_budget_s": None,
        "shard": "1/1",
        "exit_code": 1,
        "stop_reason": "completed",
    }
    assert parsed["tool"].keys() == {"gslverify", "gsl", "tvm", "z3", "hypothesis", "numpy"}


def test_stages_taken_from_the_cache_are_named_below_timing(folder: Path) -> None:
    fresh = passing(folder)
    first, *others = fresh.stages
    again = replace(fresh, stages=(first, *(replace(one, cached=True) for one in others)))
    known = report([again])

    assert known["timing"]["cached"] == {"conv.py::diamond": [one.stage for one in others]}
    assert report([fresh])["timing"]["cached"] == {}
    assert known["rules"] == report([fresh])["rules"]


def test_passing_rules_are_listed_with_their_assurance(folder: Path) -> None:
    (rule,) = report([passing(folder)])["rules"]

    assert rule["id"] == "conv.py::diamond"
    assert rule["verdict"] == "pass"
    assert rule["expected"] is None
    assert rule["findings"] == []
    assert rule["assurance"][0] == {"subject": "shape", "level": 5, "text": "proved, rank 4"}
    assert [stage["name"] for stage in rule["stages"]] == ["static", "shape", "numeric"]


def test_findings_have_place_repro_and_counterexample(folder: Path) -> None:
    (rule,) = report([failing(folder)])["rules"]

    warning, finding = rule["findings"]
    assert (warning["level"], finding["level"]) == ("warning", "error")
    assert finding["code"] == "GSL401"
    assert finding["verdict"] == "fail"
    assert finding["span"] == {
        "file": "conv.py",
        "line": 6,
        "column": 9,
        "end_line": 6,
        "end_column": 48,
    }
    assert finding["repro"] == "gslverify check conv.py::two_conv_add --seed 3"
    assert len(finding["fingerprint"]) == 16
    example = finding["counterexample"]
    assert example["attrs"]["conv1.groups"] == 2
    assert example["shapes"] == {"x": [1, 2], "w": [4, 8]}
    assert example["source_ssa"] == ["%0 = Conv2D(x, w, groups=2)", "return %0"]
    assert example["outputs"][0]["worst"][0] == {"index": [0, 1], "source": 4.0, "target": 1.0}


@pytest.mark.parametrize("jobs", [["-j", "2"], ["-j2"], ["--jobs", "2"], ["--jobs=2"]])
def test_number_of_workers_is_left_out_of_the_arguments(jobs: list[str]) -> None:
    argv = ("check", *jobs, "-k", "conv")

    parsed = document(Report(RunDone((), 1.0), Settings(), (), 5, argv))

    assert parsed["run"]["argv"] == ["check", "-k", "conv"]


def test_examples_are_told_of_the_numeric_stage_only(folder: Path) -> None:
    counts = {"examples": 41, "rejected": 7, "draws": 164}
    numeric = StageResult("numeric", Verdict.FAIL, counts=counts)
    rule = RuleResult("a.py::b", None, (StageResult("static", Verdict.PASS), numeric))

    static, numbers = report([rule])["rules"][0]["stages"]

    assert static["examples"] is None
    assert numbers["examples"] == {"wanted": 60, "run": 41, "rejected": 7, "draws": 164}


def test_rules_carry_the_hash_of_their_meaning(folder: Path) -> None:
    stage = StageResult("static", Verdict.PASS, rule_hash="sha256:0a")
    known, unknown = report([RuleResult("a.py::b", None, (stage,)), undecided()])["rules"]

    assert (known["ir_hash"], unknown["ir_hash"]) == ("sha256:0a", None)


def test_nan_is_written_as_text(folder: Path) -> None:
    (rule,) = report([failing(folder)])["rules"]

    worst = rule["findings"][1]["counterexample"]["outputs"][0]["worst"]
    assert worst[1]["source"] == "nan"


def test_skipped_and_undecided_stages_say_so() -> None:
    (rule,) = report([undecided()])["rules"]

    assert [(s["status"], s["reason"]) for s in rule["stages"]] == [
        ("inconclusive", None),
        ("skipped", "nothing to differentiate"),
    ]
    assert rule["span"] is None


def test_expected_failures_are_counted_apart(folder: Path) -> None:
    parsed = report([passing(folder), failing(folder), expected()])

    assert parsed["summary"] == {"pass": 1, "fail": 1, "xfail": 1}
    assert parsed["rules"][2]["expected"] == "GSL401"
    assert parsed["rules"][2]["expected_reason"] == "issue 12 <of 7>"
    assert parsed["rules"][0]["expected_reason"] is None


def test_times_and_workers_are_only_below_timing(folder: Path) -> None:
    fast, slow = report([passing(folder)], 1.0), report([passing(folder)], 2.0)

    assert fast["timing"]["total_s"] == 1.0
    assert fast["timing"]["jobs"] == 2
    assert fast["timing"]["rules"]["conv.py::diamond"] == 1.25
    assert fast["timing"]["stages"]["conv.py::diamond"]["numeric"] == 1.0
    assert fast.pop("timing") != slow.pop("timing")
    assert fast == slow


def test_text_is_sorted_and_ends_with_a_newline(folder: Path) -> None:
    text = dumps(document(Report(RunDone((), 1.0), Settings(), (), 5)))

    keys = [line.split('"')[1] for line in text.splitlines() if line.startswith('  "')]
    assert keys == sorted(keys)
    assert text.endswith("}\n")


def test_absent_tools_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gslverify.versions.DISTRIBUTIONS", {"tvm": "no-such-distribution"})

    assert tool_versions()["tvm"] == "absent"
