"""What actions do to a process is found out in a child of it."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import pytest

from gsl.rule_files.guard import Loss, exit_text, followed, outcome_of, outcomes_of

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
def test_what_is_lost_comes_back_as_a_sentence(
    action: Callable[[], object], how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gsl.rule_files.guard.GRACE_SECONDS", 0.5)

    loss = outcome_of(action, SOON)

    assert isinstance(loss, Loss)
    assert (loss.how, loss.raised) == (how, "")


def endless_text() -> NoReturn:
    class EndlessError(Exception):
        def __str__(self) -> str:
            loop()

    raise EndlessError


def close_everything() -> NoReturn:
    os.closerange(3, 1000)
    loop()


def no_files() -> object:
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    return open(__file__)


def forged() -> object:
    class Forged:
        def __reduce__(self) -> Any:
            return os._exit, (0,)

    return Forged()


@pytest.mark.parametrize(
    ("action", "how"),
    [
        (endless_text, "does not come to an end"),
        (close_everything, "ends the process"),
        (no_files, "raises OSError"),
        (forged, "sends what cannot be read: it holds posix._exit, which is not data"),
        (lambda: os, "raises TypeError"),
        (lambda: 1 / 0, "raises ZeroDivisionError: division by zero"),
        (lambda: sys.exit(3), "raises SystemExit: 3"),
        (lambda: signal.setitimer(signal.ITIMER_VIRTUAL, 0.01) and loop(), "SIGVTALRM"),
    ],
)
def test_nothing_reaches_the_parent(
    action: Callable[[], object], how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gsl.rule_files.guard.GRACE_SECONDS", 0.5)

    loss = outcome_of(action, SOON)

    assert isinstance(loss, Loss)
    assert how in loss.how or how == "SIGVTALRM"


@pytest.mark.parametrize("value", [None, 0, "text", {"a": (1, 2.5)}, [b"x"], Loss("is lost")])
def test_values_come_back(value: object) -> None:
    assert outcome_of(lambda: value, SOON) == value


def test_steps_come_back_up_to_the_one_that_is_lost() -> None:
    def steps() -> Iterator[int]:
        yield 1
        yield 2
        os._exit(4)

    seen: list[int] = []
    found = followed(steps, SOON, each=seen.append)

    assert (found.values, seen) == ([1, 2], [1, 2])
    assert found.loss is not None
    assert found.loss.how == "ends the process with exit code 4"


def test_a_copy_that_forks_off_says_nothing() -> None:
    assert outcome_of(fork, SOON) is None


def test_place_is_the_line_that_was_running() -> None:
    loss = outcome_of(interrupt, SOON)

    assert isinstance(loss, Loss)
    assert loss.line_in(__file__) == interrupt.__code__.co_firstlineno + 1
    assert loss.line_in("elsewhere.py") is None


def test_output_of_the_child_is_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    outcome_of(lambda: print("out"), SOON)
    outcome_of(lambda: os.system("echo err >&2"), SOON)

    assert capfd.readouterr() == ("", "")


def test_children_end_with_what_they_have_started(tmp_path: Path) -> None:
    note = tmp_path / "child"

    def start_and_loop() -> None:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        note.write_text(str(child.pid), "utf-8")
        loop()

    outcome_of(start_and_loop, SOON)

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


def test_several_run_at_once_and_are_told_in_their_order(tmp_path: Path) -> None:
    def met(mine: str, other: str) -> str:
        (tmp_path / mine).touch()
        while not (tmp_path / other).exists():
            time.sleep(0.01)
        return mine

    actions = [partial(met, "a", "b"), partial(met, "b", "a"), partial(met, "c", "a")]

    assert list(outcomes_of(actions, 10.0, at_once=2)) == ["a", "b", "c"]
    assert isinstance(next(outcomes_of([partial(met, "d", "e")], 0.1, at_once=2)), Loss)


def test_those_that_nobody_waits_for_any_more_are_ended(tmp_path: Path) -> None:
    def name_itself() -> int:
        (tmp_path / "number").write_text(str(os.getpid()))
        (tmp_path / "begun").touch()
        time.sleep(30)
        return 0

    def first() -> int:
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        return 1

    running = outcomes_of([first, name_itself], 60.0, at_once=2)

    assert next(running) == 1
    running.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "number").read_text()), 0)
