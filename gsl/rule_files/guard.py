"""Try out code of rule files in a child process, so that nothing it does can end the run.

The child is a fork, which costs milliseconds: it needs nothing sent and imports nothing twice.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from types import FrameType

from gsl.errors import described

POLL_SECONDS = 0.2
GRACE_SECONDS = 2.0
"""What is given to code that does not notice the end of its time, before its process is ended."""

CLOSING_SECONDS = 0.01
"""Between the end of a pipe and that of the process that held it."""

Action = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Loss:
    """Why an action must not be run in this process; `frames` are files and lines, outermost first.

    `how` completes a sentence: "it ends the process with exit code 0".
    """

    how: str
    frames: tuple[tuple[str, int], ...] = ()
    timed_out: bool = False

    def line_in(self, file: str) -> int | None:
        """Return the innermost line of `file` that was running, if that is known."""
        lines = [line for name, line in self.frames if name == file]
        return lines[-1] if lines else None


Message = tuple[int, Loss | None]
"""The number of an action that is over, and its loss if it is lost."""


class _TimeIsUpError(BaseException):
    """Raised in code that has used up its time; no `except Exception` holds it up."""


def losses(actions: Sequence[Action], seconds: float) -> dict[int, Loss]:
    """Try actions in a child process, one after the other; return which were lost, and how.

    Lost is an action that ends the process, takes longer than `seconds`, or raises what is neither
    an Exception nor SystemExit. Whatever else it raises does not count, as the caller can handle
    it. What actions print is not shown.
    """
    lost: dict[int, Loss] = {}
    first = 0
    while first < len(actions):
        child = _Child(actions, first, seconds)
        try:
            first = child.follow(lost)
        finally:
            child.end()
    return lost


class _Child:
    """The parent's side of one child process, which tries the actions from number `first` on."""

    def __init__(self, actions: Sequence[Action], first: int, seconds: float) -> None:
        self.current, self.count, self.seconds = first, len(actions), seconds
        self.deadline = self._new_deadline()
        self.connection, theirs = Pipe(duplex=False)
        self.status: int | None = None
        # Ctrl-C must not strike in the child before it has left the group of the terminal.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        self.process_id = os.fork()
        if self.process_id == 0:
            try:
                os.setsid()
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
                _try_all(theirs, actions, first, seconds)
            finally:
                os._exit(1)
        theirs.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def _new_deadline(self) -> float:
        return time.monotonic() + self.seconds + GRACE_SECONDS

    def follow(self, lost: dict[int, Loss]) -> int:
        """Note what is lost until the process is done or lost; return the next action to try."""
        while self.current < self.count:
            ended = self._has_ended()
            message = self._receive()
            if message is not None:
                number, reported = message
                if reported is not None:
                    lost[number] = reported
                self.current, self.deadline = number + 1, self._new_deadline()
            elif ended or time.monotonic() > self.deadline:
                how = f"ends the process with {exit_text(self.status or 0)}"
                lost[self.current] = Loss(how) if ended else _too_slow(self.seconds)
                return self.current + 1
        return self.current

    def _has_ended(self) -> bool:
        if self.status is None:
            process_id, status = os.waitpid(self.process_id, os.WNOHANG)
            if process_id:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def _receive(self) -> Message | None:
        """Return what the process has sent, or None after a while without anything."""
        try:
            return self.connection.recv() if self.connection.poll(POLL_SECONDS) else None
        except (EOFError, OSError):
            time.sleep(CLOSING_SECONDS)
            return None

    def end(self) -> None:
        """End the process and all that it has started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process_id, signal.SIGKILL)
        if self.status is None:
            with suppress(ProcessLookupError):
                os.kill(self.process_id, signal.SIGKILL)
            os.waitpid(self.process_id, 0)
        self.connection.close()


def _try_all(connection: Connection, actions: Sequence[Action], first: int, seconds: float) -> None:
    """Be the child: try the actions and send what became of each."""
    _silence()
    signal.signal(signal.SIGALRM, _time_is_up)
    process_id = os.getpid()
    for number in range(first, len(actions)):
        loss = _tried(actions[number], seconds)
        if os.getpid() != process_id:
            return  # the action has forked, and this is the copy
        connection.send((number, loss))


def _silence() -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (open until the process ends)


def _time_is_up(number: int, frame: FrameType | None) -> None:
    raise _TimeIsUpError


def _tried(action: Action, seconds: float) -> Loss | None:
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            action()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except (Exception, SystemExit):
        return None
    except _TimeIsUpError as error:
        return _too_slow(seconds, error)
    except BaseException as error:
        text = " ".join(described(error).split()).rstrip(": ")
        return Loss(f"raises {text}", _frames(error))
    return None


def _too_slow(seconds: float, error: BaseException | None = None) -> Loss:
    how = f"does not come to an end within {seconds:g} seconds"
    return Loss(how, _frames(error) if error else (), timed_out=True)


def _frames(error: BaseException) -> tuple[tuple[str, int], ...]:
    found = traceback.extract_tb(error.__traceback__)
    return tuple((frame.filename, frame.lineno or 1) for frame in found)


def exit_text(exit_code: int) -> str:
    """Return "exit code 3" or, for a process that was ended by a signal, its name."""
    if exit_code >= 0:
        return f"exit code {exit_code}"
    with suppress(ValueError):
        return signal.Signals(-exit_code).name
    return f"signal {-exit_code}"
