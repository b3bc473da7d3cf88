"""Counterexamples are replayed by a process that has loaded the library."""

from __future__ import annotations

from pathlib import Path

import pytest

from gslverify.adapters import LIBRARIES
from gslverify.adapters.replaying import library_process
from gslverify.case import Case

MODULE = """
import os, signal
from gslverify.adapters.foreign import ForeignRule, Replayed

def fails():
    raise ValueError

def shown(case):
    print("chatter")
    return Replayed(True, f"context {case.context}", "print()")

def raises(case):
    raise KeyError("no such input")

def dies(case):
    os.kill(os.getpid(), signal.SIGSEGV)

def rules(targets):
    for name, replay in (("one", shown), ("one", raises), ("dying", dies), ("mute", None)):
        yield ForeignRule(name, "a.py:1", fails, replay=replay)
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A library whose rules are replayed by a module that is not ours."""
    (tmp_path / "replayed_library.py").write_text(MODULE)
    (tmp_path / "sitecustomize.py").write_text(
        "from gslverify import adapters\nadapters.LIBRARIES['replayed'] = 'replayed_library'\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(__file__).parents[3]}")
    monkeypatch.setitem(LIBRARIES, "replayed", "replayed_library")
    return "replayed"


def test_every_answer_is_of_the_rule_that_was_asked_about(library: str) -> None:
    case = Case((), (), (), context="alone")
    with library_process(library, ["any"]) as process:
        one, two, three, four, five = (
            process.replay(name, case) for name in ("one", "one_2", "dying", "mute", "unknown")
        )

    assert (one.is_shown, one.message, one.script) == (True, "context alone", "print()")
    assert not two.is_shown
    assert two.message.startswith("KeyError: 'no such input'")
    assert (three.is_shown, three.message) == (True, "its process ended: SIGSEGV")
    assert not four.is_shown
    assert not five.is_shown


def test_a_library_that_does_not_load_shows_nothing() -> None:
    with library_process("replayed", ["any"]) as process:
        answer = process.replay("one", Case((), (), ()))

    assert not answer.is_shown
    assert answer.message == "the process of the library ended"
