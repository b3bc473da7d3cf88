"""What a session of pytest keeps, and what it takes from earlier runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gslverify.repro.form import read
from gslverify.repro.store import pin
from tests.gslverify.rule_files import HEAD, rule_text

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.smt

QUICKLY = ("--gsl", "--gsl-no-tvm", "--gsl-max-examples=5", "-v")
WRONG = "Subst(op.Relu(op.Relu(x)), op.Abs(x))"


def write_wrong(folder: Path) -> None:
    (folder / "rules.py").write_text(HEAD + rule_text("wrong", result=WRONG), "utf-8")


def test_counterexamples_are_kept_and_tried_first(project: pytest.Pytester) -> None:
    write_wrong(project.path)
    result = project.runpytest_inprocess(*QUICKLY)
    (file,) = (project.path / ".gslverify" / "failures").glob("wrong-GSL401-*.json")

    result.stdout.fnmatch_lines([f"*repro * gslverify repro .gslverify/failures/{file.name}"])
    assert read(file).rule_id == "rules.py::wrong"

    pin(file, project.path / "rules.py", "wrong")
    again = project.runpytest_inprocess(*QUICKLY)

    again.stdout.fnmatch_lines(
        ["rules.py::wrong::static PASSED*", "rules.py::wrong::pinned FAILED*"]
    )
    again.stdout.fnmatch_lines(["*::numeric SKIPPED (pinned refuted the rule)*"])
    again.assert_outcomes(passed=1, failed=1, skipped=3)


def test_pinned_counterexample_has_a_marker(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--markers", "--strict-markers")

    result.stdout.fnmatch_lines(["@pytest.mark.gsl_pinned: the pinned stage of a rule"])


def test_results_of_earlier_sessions_are_used_again(project: pytest.Pytester) -> None:
    write_wrong(project.path)
    (project.path / "more.py").write_text(HEAD + rule_text("sound"), "utf-8")
    report = f"--gsl-report=json={project.path}/r.json"
    runs = []
    for more in ((), (), ("--gsl-max-examples=6",)):
        project.runpytest_inprocess(*QUICKLY, *more, report).assert_outcomes(passed=7, failed=1)
        document = json.loads((project.path / "r.json").read_text("utf-8"))
        del document["timing"]
        runs.append((document["rules"], cached_in(project)))

    assert runs[0][0] == runs[1][0]
    assert runs[0][1] == runs[1][1]
    assert len(runs[2][1]) == len(runs[1][1]) + 2


def cached_in(project: pytest.Pytester) -> list[str]:
    return sorted(p.name for p in (project.path / ".gslverify" / "cache").rglob("*.result"))


def test_nothing_is_kept_where_settings_say_so(project: pytest.Pytester) -> None:
    (project.path / "rules.py").write_text(HEAD + rule_text("sound"), "utf-8")
    (project.path / "pyproject.toml").write_text("[tool.gslverify]\ncache = false\n")

    project.runpytest_inprocess(*QUICKLY).assert_outcomes(passed=4)

    assert cached_in(project) == []
