"""Blocks end in time, but not in the middle of what cannot be left."""

from __future__ import annotations

import signal
import time
from types import FunctionType

import pytest

from gslverify.engine.deadline import PROCESSOR, OutOfTimeError, ended_after


def busy(seconds: float, ends: list[str]) -> None:
    """Wait without a call that a signal would cut short, and say when it is over."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
    ends.append("ended")


def test_a_block_ends_in_time() -> None:
    ends: list[str] = []
    with pytest.raises(OutOfTimeError), ended_after(0.02):
        busy(10.0, ends)
    assert ends == []
    assert signal.getitimer(signal.ITIMER_REAL)[1] == 0.0  # others may have set a time, too


def test_what_waits_takes_no_time_of_the_processor() -> None:
    ends: list[str] = []
    with ended_after(0.1, PROCESSOR):
        time.sleep(0.3)
        ends.append("slept")
    assert ends == ["slept"]
    with pytest.raises(OutOfTimeError), ended_after(30.0), ended_after(0.02, PROCESSOR):
        busy(10.0, ends)
    assert ends == ["slept"]
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


@pytest.mark.parametrize(("module", "name"), [("z3.z3", "busy"), ("gsl", "__del__")])
def test_what_cannot_be_left_is_waited_for(module: str, name: str) -> None:
    around = {**globals(), "__name__": module}
    waiting = FunctionType(busy.__code__.replace(co_name=name), around)
    ends: list[str] = []

    def both() -> None:
        waiting(0.15, ends)
        busy(10.0, ends)

    with pytest.raises(OutOfTimeError), ended_after(0.02):
        both()
    assert ends == ["ended"]


def test_a_block_that_ends_by_itself_is_left_alone() -> None:
    ends: list[str] = []
    with ended_after(5.0):
        busy(0.0, ends)
    assert ends == ["ended"]
    assert signal.getitimer(signal.ITIMER_REAL)[1] == 0.0  # others may have set a time, too
