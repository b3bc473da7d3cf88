"""What actions do to a process is found out in a child of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from gsl.rule_files.guard import exit_text, losses

SOON = 0.5


def loop() -> NoReturn:
    while True:
        pass


def loop_that_holds_on() -> NoReturn:
    while True:
        try:
            loop()
        except BaseException:
            continue


def interrupt() -> NoReturn:
    raise KeyboardInterrupt


def generator_exit() -> NoReturn:
    raise GeneratorExit("odd")


def fork() -> None:
    if os.fork() == 0:
        return
    os.wait()


def leave_a_child() -> NoReturn:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    os._exit(5)


@pytest.mark.parametrize(
    ("action", "how"),
    [
        (lambda: os._exit(0), "ends the process with exit code 0"),
        (lambda: os._exit(7), "ends the process with exit code 7"),
        (lambda: os.kill(os.getpid(), signal.SIGTERM), "ends the process with SIGTERM"),
        (lambda: os.killpg(0, signal.SIGKILL), "ends the process with SIGKILL"),
        (leave_a_child, "ends the process with exit code 5"),
        (loop, "does not come to an end within 0.5 seconds"),
        (loop_that_holds_on, "does not come to an end within 0.5 seconds"),
        (interrupt, "raises KeyboardInterrupt"),
        (generator_exit, "raises GeneratorExit: odd"),
    ],
)
def test_only_the_harmful_action_is_lost(
    action: Callable[[], object], how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gsl.rule_files.guard.GRACE_SECONDS", 0.5)

    lost = losses([lambda: None, action, lambda: None, action, lambda: None], SOON)

    assert [(number, loss.how) for number, loss in lost.items()] == [(1, how), (3, how)]


@pytest.mark.parametrize(
    "action", [lambda: None, lambda: 1 / 0, lambda: sys.exit(3), lambda: [][1], fork]
)
def test_what_the_caller_can_handle_is_not_lost(action: Callable[[], object]) -> None:
    assert losses([action, action], SOON) == {}


def test_nothing_to_try() -> None:
    assert losses([], SOON) == {}


def test_place_is_the_line_that_was_running() -> None:
    (loss,) = losses([interrupt], SOON).values()

    assert loss.line_in(__file__) == interrupt.__code__.co_firstlineno + 1
    assert loss.line_in("elsewhere.py") is None


def test_output_of_the_child_is_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    losses([lambda: print("out"), lambda: os.system("echo err >&2")], SOON)

    assert capfd.readouterr() == ("", "")


def test_children_end_with_what_they_have_started(tmp_path: Path) -> None:
    note = tmp_path / "child"

    def start_and_loop() -> None:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        note.write_text(str(child.pid), "utf-8")
        loop()

    losses([start_and_loop], SOON)

    child = int(note.read_text("utf-8"))
    status = Path(f"/proc/{child}/stat")
    ended = time.monotonic() + 10
    while status.exists() and " Z " not in status.read_text("utf-8") and time.monotonic() < ended:
        time.sleep(0.05)
    assert not status.exists() or " Z " in status.read_text("utf-8")


@pytest.mark.parametrize(
    ("code", "text"), [(0, "exit code 0"), (-11, "SIGSEGV"), (-200, "signal 200")]
)
def test_exit_codes_as_text(code: int, text: str) -> None:
    assert exit_text(code) == text
