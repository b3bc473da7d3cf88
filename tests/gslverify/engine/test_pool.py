"""Worker processes: the same report for any number of them, and no rule suffers for another."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gslverify.engine.pool import Pool, Task
from gslverify.events import RunDone
from gslverify.exits import Exit, exit_code
from gslverify.finding import RuleResult, StageResult
from gslverify.settings import Settings
from tests.gslverify.fake_stages import WAVES
from tests.gslverify.rule_files import write_rules
from tests.gslverify.runs import codes, run, verdicts


def timeless(done: RunDone) -> list[RuleResult]:
    """Return the results without times and without tracebacks, which know where they ran."""

    def stage_of(stage: StageResult) -> StageResult:
        findings = tuple(dataclasses.replace(f, details=()) for f in stage.findings)
        return dataclasses.replace(stage, seconds=0.0, findings=findings)

    return [
        dataclasses.replace(result, stages=tuple(stage_of(stage) for stage in result.stages))
        for result in done.results
    ]


def alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process_id}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    return status != "Z"


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def children_in(diary: Path) -> list[int]:
    lines = diary.read_text("utf-8").splitlines()
    return [int(line.split()[1]) for line in lines if line.startswith("child")]


def test_report_does_not_depend_on_the_number_of_workers(folder: Path) -> None:
    names = ["slow", "one", "wrong", "early", "raises", "unclear", "two"]

    here = run(folder, names, jobs=0)
    one = run(folder, names, jobs=1)
    three = run(folder, names, jobs=3)

    assert timeless(here) == timeless(one) == timeless(three)


def test_rules_are_shared_among_workers(folder: Path, diary: Path) -> None:
    run(folder, ["slow_a", "slow_b", "slow_c", "slow_d"], jobs=2)

    lines = [line.split() for line in diary.read_text("utf-8").splitlines()]
    workers = {line[2] for line in lines if line[0] == "expensive"}
    assert len(workers) == 2
    assert str(os.getpid()) not in workers


def test_dying_worker_costs_one_rule(folder: Path, diary: Path) -> None:
    done = run(folder, ["one", "dies", "two", "three"], jobs=2)

    assert verdicts(done) == {"one": "PASS", "dies": "ERROR", "two": "PASS", "three": "PASS"}
    assert codes(done) == {"dies": ["GSL902"]}
    assert done.results[1].findings[0].message == (
        "the worker process ended with SIGSEGV in stage numeric"
    )
    assert exit_code(done) is Exit.INTERNAL
    assert sum(" dies " in line for line in diary.read_text("utf-8").splitlines()) == 2


def test_lost_rule_keeps_the_stages_that_were_finished(folder: Path, diary: Path) -> None:
    (result,) = run(folder, ["dies"], jobs=1).results

    assert [(stage.stage, str(stage.verdict)) for stage in result.stages] == [
        ("static", "PASS"),
        ("satisfiable", "PASS"),
        ("numeric", "ERROR"),
    ]


def test_accident_that_does_not_repeat_costs_nothing(folder: Path, diary: Path) -> None:
    done = run(folder, ["one", "once", "two"], jobs=2)

    assert verdicts(done) == {"one": "PASS", "once": "PASS", "two": "PASS"}


def test_hanging_worker_is_ended_with_all_it_has_started(folder: Path, diary: Path) -> None:
    done = run(folder, ["one", "hangs"], jobs=2, stage_timeout=1.0)

    assert codes(done) == {"hangs": ["GSL902"]}
    assert "did not come back within 1 seconds" in done.results[1].findings[0].message
    assert len(children_in(diary)) == 1
    assert wait_until(lambda: not any(map(alive, children_in(diary))))


def test_result_that_cannot_be_sent_is_a_crash(folder: Path) -> None:
    done = run(folder, ["one", "unpicklable"], jobs=1)

    assert codes(done) == {"unpicklable": ["GSL901"]}


def test_file_that_changes_meanwhile_is_a_crash(folder: Path) -> None:
    """A worker that no longer finds a rule says so."""
    path = write_rules(folder, ["one"])
    with Pool(1, Settings(), lambda live: None) as pool:
        ((number, outcome),) = pool.run([Task(5, "rules.py::gone", path, WAVES[1])])

    assert number == 5
    assert outcome[0].findings[0].code.id == "GSL901"
    assert "changed while it was verified" in outcome[0].findings[0].message


def test_workers_end_with_the_pool(folder: Path, diary: Path) -> None:
    run(folder, ["slow_a", "slow_b"], jobs=2)

    lines = [line.split() for line in diary.read_text("utf-8").splitlines()]
    workers = [int(line[2]) for line in lines if line[0] == "expensive"]
    assert workers
    assert not any(map(alive, workers))


SCRIPT = """
from tests.gslverify.fake_stages import WAVES
from gslverify.session import Output, run_check
from gslverify.settings import Settings

if __name__ == "__main__":
    raise SystemExit(run_check(["rules.py"], Settings(jobs=2), Output(), waves=WAVES))
"""


@pytest.fixture
def hanging_run(folder: Path, diary: Path) -> subprocess.Popen[str]:
    """A run in a process of its own that has finished one rule and hangs in another."""
    write_rules(folder, ["one", "hangs"])
    (folder / "run.py").write_text(SCRIPT, "utf-8")
    root = Path(__file__).parents[3]
    process = subprocess.Popen(
        [sys.executable, "run.py"],
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert wait_until(lambda: len(children_in(diary)) == 1, seconds=30)
    return process


def test_ctrl_c_prints_what_finished_and_leaves_nothing_behind(
    hanging_run: subprocess.Popen[str], diary: Path
) -> None:
    time.sleep(0.5)
    hanging_run.send_signal(signal.SIGINT)
    stdout, stderr = hanging_run.communicate(timeout=20)

    assert hanging_run.returncode == 130
    assert "PASS          one" in stdout
    assert "interrupted" in stdout
    assert "Traceback" not in stderr
    assert wait_until(lambda: not any(map(alive, children_in(diary))))


def test_workers_end_with_their_parent_even_when_it_is_killed(
    hanging_run: subprocess.Popen[str], diary: Path
) -> None:
    hanging_run.kill()
    hanging_run.communicate(timeout=20)

    assert wait_until(lambda: not any(map(alive, children_in(diary))))
