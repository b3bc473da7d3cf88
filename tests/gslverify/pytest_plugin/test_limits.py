"""Limits of time and Ctrl-C in sessions of pytest: what was found is told, the rest is no pass."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.gslverify.rule_files import HEAD, rule_text

pytest_plugins = ["pytester"]

WRONG = "Subst(op.Relu(op.Relu(x)), x)"

SLEEP = """
import pathlib, time

def sleep(*given):
    pathlib.Path(__file__).with_name("asleep").touch()
    time.sleep(600)
"""
SLOW_TO_SIMPLIFY = f"""{SLEEP}
import gslverify.trials.refutation
gslverify.trials.refutation.simplest = sleep
"""
SLOW = f"""{SLEEP}
from gslverify.stages.satisfiable import SATISFIABLE
object.__setattr__(SATISFIABLE, "examine", sleep)
"""

QUICK = ("--gsl", "--gsl-no-tvm", "--gsl-no-cache")


@pytest.fixture(autouse=True)
def startup(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every process of the session do what `write` says before anything else."""
    known = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(project.path), known))))


def write(project: pytest.Pytester, head: str, *rules: str) -> None:
    project.path.joinpath("rules.py").write_text(HEAD + "".join(rules), "utf-8")
    project.path.joinpath("sitecustomize.py").write_text(head, "utf-8")


def test_stage_that_is_ended_fails_by_what_it_found(project: pytest.Pytester) -> None:
    write(project, SLOW_TO_SIMPLIFY, rule_text("wrong", result=WRONG))

    result = project.runpytest_subprocess(*QUICK, "--gsl-stage-timeout=3s")

    result.stdout.fnmatch_lines(["*GSL401*", "*FAILED*::wrong::numeric*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize(
    ("option", "reason"),
    [("--gsl-stage-timeout=2s", "GSL904"), ("--gsl-rule-budget=2s", "GSL613")],
)
def test_stage_without_end_is_skipped(project: pytest.Pytester, option: str, reason: str) -> None:
    write(project, SLOW, rule_text("one"))

    result = project.runpytest_subprocess(*QUICK, option, "-rs")

    result.stdout.fnmatch_lines([f"SKIPPED*{reason}*"])


@pytest.mark.parametrize("head", [SLOW_TO_SIMPLIFY, SLOW], ids=["found", "nothing found"])
def test_interrupted_session_tells_what_was_found(project: pytest.Pytester, head: str) -> None:
    write(project, head, rule_text("wrong", result=WRONG))
    command = [sys.executable, "-m", "pytest", *QUICK, "--gsl-report", "json=report.json"]
    process = subprocess.Popen(
        command, cwd=project.path, stdout=subprocess.PIPE, text=True, env=os.environ
    )
    until = time.monotonic() + 120
    while not project.path.joinpath("asleep").exists() and time.monotonic() < until:
        time.sleep(0.1)
    time.sleep(1)  # for what was found before to arrive
    struck = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)

    assert time.monotonic() - struck < 20
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    report = project.path.joinpath("report.json").read_text("utf-8")
    is_found = head is SLOW_TO_SIMPLIFY
    assert ("GSL401" in out) == ("GSL401" in report) == is_found
    assert '"pass": 1' not in report
    assert '"stop_reason": "interrupted"' in report
