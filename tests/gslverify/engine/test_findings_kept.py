"""What a stage has found counts, whatever ends it; what it has not finished is no pass."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from gslverify.engine.deadline import OutOfTimeError, ended_after
from tests.gslverify.runs import codes, run, verdicts

JOBS = pytest.mark.parametrize("jobs", [0, 2])


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Press Ctrl-C once in a block."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def swallow_once() -> None:
    """Sleep on, whatever is raised meanwhile, until something is raised again."""
    with suppress(BaseException):
        time.sleep(10)
    time.sleep(10)


@JOBS
def test_stage_that_is_ended_has_found_something(jobs: int, folder: Path) -> None:
    done = run(folder, ["finds", "sound"], jobs=jobs, stage_timeouts=(("numeric", 1.0),))

    assert verdicts(done) == {"finds": "FAIL", "sound": "PASS"}
    assert codes(done) == {"finds": ["GSL401"]}


@JOBS
def test_rule_that_is_ended_has_found_something(jobs: int, folder: Path) -> None:
    done = run(folder, ["finds", "sound"], jobs=jobs, rule_budget=1.5)

    assert verdicts(done) == {"finds": "FAIL", "sound": "PASS"}


@JOBS
def test_run_that_is_ended_has_found_something(jobs: int, folder: Path) -> None:
    done = run(folder, ["finds", "sleeps"], jobs=jobs, budget=6.0)

    assert verdicts(done) == {"finds": "FAIL", "sleeps": "INCONCLUSIVE"}
    assert codes(done) == {"finds": ["GSL401"], "sleeps": ["GSL612"]}


@JOBS
def test_interrupted_run_tells_what_was_found_and_no_more(jobs: int, folder: Path) -> None:
    with interrupted_after(5.0):
        done = run(folder, ["finds", "sleeps"], jobs=jobs)

    assert done.interrupted
    assert verdicts(done) == {"finds": "FAIL"}


def test_stage_in_this_process_ends_in_time(folder: Path) -> None:
    started = time.monotonic()

    done = run(folder, ["sleeps", "sound"], stage_timeouts=(("numeric", 1.0),))

    assert verdicts(done) == {"sleeps": "INCONCLUSIVE", "sound": "PASS"}
    assert codes(done) == {"sleeps": ["GSL904"]}
    assert time.monotonic() - started < 60


def test_rule_in_this_process_ends_in_time(folder: Path) -> None:
    done = run(folder, ["sleeps", "sound"], rule_budget=1.0)

    assert verdicts(done) == {"sleeps": "INCONCLUSIVE", "sound": "PASS"}
    assert codes(done) == {"sleeps": ["GSL613"]}


def test_a_block_is_ended_even_if_it_swallows_exceptions() -> None:
    with pytest.raises(OutOfTimeError), ended_after(0.05):
        swallow_once()


def test_blocks_in_each_other_end_at_the_earlier_time() -> None:
    before, _ = signal.getitimer(signal.ITIMER_REAL)
    with pytest.raises(OutOfTimeError), ended_after(0.05), ended_after(30.0):
        time.sleep(10)
    with ended_after(30.0):
        with pytest.raises(OutOfTimeError), ended_after(0.05):
            time.sleep(10)
        left, _ = signal.getitimer(signal.ITIMER_REAL)
    assert 0 < left < 30
    assert before - 30 < signal.getitimer(signal.ITIMER_REAL)[0] <= before


def test_what_ends_in_time_is_left_alone() -> None:
    with ended_after(0.05):
        pass
    time.sleep(0.1)
