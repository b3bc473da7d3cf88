"""Tasks may do to their process what they like; the others run all the same."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from gslverify.passes.isolation import Died, Hung, Raised, run_each
from gslverify.passes.verdicts import Ending, Verdict, verdict_of


def crash() -> None:
    ctypes.string_at(0)


def leave() -> None:
    os._exit(3)


def hang() -> None:
    time.sleep(60)


def fail() -> None:
    try:
        raise KeyError("first")
    except KeyError as error:
        raise ValueError("second") from error


def chatter() -> int:
    print("noise")
    sys.stderr.write("noise")
    return 5


def number(value: int) -> Callable[[], int]:
    return lambda: value


def test_each_task_has_its_answer_whatever_the_others_do(capfd: Any) -> None:
    tasks = [number(1), crash, number(2), hang, leave, fail, chatter, lambda: lambda: 0]

    found = list(run_each(tasks, 2.0))

    assert found[0] == 1
    assert found[1] == Died("SIGSEGV")
    assert found[2] == 2
    assert found[3] == Hung(2.0)
    assert found[4] == Died("it ended itself with 3")
    assert isinstance(found[5], Raised)
    assert (found[5].kind, found[5].where) == ("KeyError", "test_isolation.py: fail")
    assert found[6] == 5
    assert isinstance(found[7], Raised)  # what cannot be sent
    assert capfd.readouterr() == ("", "")


def test_large_answers_come_whole() -> None:
    (found,) = run_each([lambda: b"x" * 5_000_000], 10.0)

    assert len(found) == 5_000_000


def test_children_that_nobody_waits_for_are_ended() -> None:
    answers = run_each([os.getpid, hang], 30.0)
    child = next(answers)
    answers.close()  # type: ignore[attr-defined]

    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError("the child is still there")


def test_answers_say_how_a_graph_fared() -> None:
    assert verdict_of(Died("SIGSEGV")).ending is Ending.ENDS_PROCESS
    assert verdict_of(Hung(1.0)).ending is Ending.HANGS
    assert verdict_of(Raised("ValueError", "x")).ending is Ending.UNDECIDED
    assert verdict_of(Verdict(Ending.AGREES)).ending is Ending.AGREES
    assert not Verdict(Ending.UNDECIDED).is_finding
    assert Verdict(Ending.HANGS).is_finding
