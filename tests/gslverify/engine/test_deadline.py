"""Blocks end in time, but not in the middle of what cannot be left."""

from __future__ import annotations

import signal
import time
from types import FunctionType

import pytest
import z3

from gslverify.engine.deadline import PROCESSOR, WALL, Clock, OutOfTimeError, ended_after
from gslverify.interruption import answered


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


def test_an_error_that_comes_of_being_ended_is_none() -> None:
    def swallowing() -> None:
        try:
            busy(10.0, [])
        except BaseException:
            raise AssertionError("half way") from None

    with pytest.raises(OutOfTimeError), ended_after(0.02):
        swallowing()
    with pytest.raises(ZeroDivisionError), ended_after(30.0):
        1 / 0  # noqa: B018 (it raises)


def test_a_clock_that_is_behind_its_timer_makes_no_error() -> None:
    slow = Clock(signal.ITIMER_PROF, signal.SIGPROF, lambda: 0.5 * time.process_time())

    def swallowing() -> None:
        try:
            busy(10.0, [])
        except BaseException:
            raise IndexError("half way") from None

    with pytest.raises(OutOfTimeError), ended_after(0.05, slow):
        swallowing()


def hard_question() -> z3.Solver:
    """Return a solver that would look for the factors of a product of large primes for hours."""
    solver = z3.Solver()
    one, other = z3.BitVecs("one other", 128)
    product = 18446744073709551557 * 18446744073709551533
    most = z3.BitVecVal(2**64 - 1, 128)
    solver.add(one * other == product, z3.ULE(one, most), z3.ULE(other, most), z3.UGT(one, 1))
    solver.add(z3.UGT(other, 1))
    return solver


def ask_again_and_again(solver: z3.Solver) -> None:
    while True:
        answered(solver)


@pytest.mark.parametrize("clock", [WALL, PROCESSOR])
def test_a_question_to_the_solver_is_given_up(clock: Clock) -> None:
    solver, started = hard_question(), time.process_time()
    with pytest.raises(OutOfTimeError), ended_after(0.2, clock):
        ask_again_and_again(solver)
    assert time.process_time() - started < 2.0


def test_questions_of_later_blocks_are_answered() -> None:
    with pytest.raises(OutOfTimeError), ended_after(0.05):
        ask_again_and_again(hard_question())
    with ended_after(20.0):
        assert answered(z3.Solver()) == z3.sat
