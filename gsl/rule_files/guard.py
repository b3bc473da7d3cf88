"""Run code of rule files in child processes: what it does to its process is done to nobody else.

The child is a fork, which costs milliseconds: it needs nothing sent and imports nothing twice. What
it finds out comes back as data.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from multiprocessing.connection import wait
from types import FrameType
from typing import Generic, Self, TypeVar

from gsl.errors import described
from gsl.rule_files.descriptors import keep_only
from gsl.rule_files.messages import MessageError, read, written
from gsl.rule_files.pipe import Outbox, pipe

POLL_SECONDS = 0.2
GRACE_SECONDS = 2.0
"""What is given to code that does not notice the end of its time, before its process is ended."""

CLOSING_SECONDS = 0.01
"""Between the end of a pipe and that of the process that held it."""

Value = TypeVar("Value")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Loss:
    """Why there is no value; `frames` are files and lines that were running, outermost first.

    `how` completes a sentence: "it ends the process with exit code 0". `raised` is the text of an
    exception that any caller could have handled, with its type.
    """

    how: str
    frames: tuple[tuple[str, int], ...] = ()
    timed_out: bool = False
    raised: str = ""

    def line_in(self, file: str) -> int | None:
        """Return the innermost line of `file` that was running, if that is known."""
        lines = [line for name, line in self.frames if name == file]
        return lines[-1] if lines else None


@dataclass(slots=True)
class Followed(Generic[Value]):
    """The values that came back from a child process, and why no more came if some are lacking."""

    values: list[Value] = field(default_factory=list)
    loss: Loss | None = None


@dataclass(frozen=True, slots=True)
class Call(Generic[Value]):
    """What is to be run in a child process, as it is given to `followed`."""

    steps: Callable[[], Iterator[Value]]
    seconds: float
    silent: bool = True


@dataclass(frozen=True, slots=True)
class _Value:
    """A value of one step, on its way to the parent."""

    value: object


class TimeIsUpError(BaseException):
    """Raised in code that has used up its time; no `except Exception` holds it up."""


def followed(
    steps: Callable[[], Iterator[Value]],
    seconds: float,
    *,
    silent: bool = True,
    each: Callable[[Value], None] = lambda value: None,
) -> Followed[Value]:
    """Return what an iterator yields in a child process; each of its steps has so many seconds.

    It is lost when it ends the process, takes longer, or raises anything. Values have to be data
    (`gsl.rule_files.messages`); `each` is told of them as they come. What is printed goes nowhere,
    or to standard error if the child is not `silent`.
    """
    child: _Child[Value] = _Child(steps, seconds, silent, each)
    try:
        return child.follow()
    finally:
        child.end()


def outcome_of(action: Callable[[], Value], seconds: float, *, silent: bool = True) -> Value | Loss:
    """Return what a function returns in a child process, or why not; see `followed`."""
    (outcome,) = outcomes_of([action], seconds, silent=silent)
    return outcome


def outcomes_of(
    actions: Iterable[Callable[[], Value]],
    seconds: float,
    *,
    silent: bool = True,
    at_once: int = 1,
) -> Iterator[Value | Loss]:
    """Yield what functions return in child processes, in their order, or why not; see `followed`.

    So many of them run at the same time.
    """
    begun: deque[_Child[Value]] = deque()
    waiting = iter(actions)
    try:
        while True:
            for action in islice(waiting, at_once - len(begun)):
                begun.append(_Child(_only(action), seconds, silent, _ignore))
            if not begun:
                return
            yield begun[0].outcome()
            begun.popleft().end()
    finally:
        for child in begun:
            child.end()


Talk = Generator[Call[Value], Followed[Value], Result]


class Together(Generic[Value, Result]):
    """Generators that yield calls and are sent what came of them, so many of them `at_once`.

    What they return is in `results`, by their numbers. A context manager that ends all processes.
    """

    def __init__(self, talks: Iterable[Talk[Value, Result]], at_once: int) -> None:
        self.results: dict[int, Result] = {}
        self._at_once = at_once
        self._waiting = deque(enumerate(talks))
        self._active: dict[int, tuple[Talk[Value, Result], _Child[Value]]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for _, child in self._active.values():
            child.end()
        self._active.clear()

    @property
    def is_over(self) -> bool:
        """Whether all of them have returned."""
        return not self._waiting and not self._active

    def follow(self, patience: float = inf) -> None:
        """Follow them until all are over, or none has returned or begun for so many seconds."""
        moved = time.monotonic()
        while not self.is_over and time.monotonic() - moved < patience:
            begun, ended = self._begin(), self._take()
            if begun or ended:
                moved = time.monotonic()

    def _begin(self) -> bool:
        """Begin with as many as may have a process; tell whether there were any."""
        before = len(self._active)
        while self._waiting and len(self._active) < self._at_once:
            number, talk = self._waiting.popleft()
            self._active[number] = talk, _begun(next(talk))
        return len(self._active) > before

    def _take(self) -> bool:
        """Wait for a moment and take what there is; tell whether any has returned."""
        before = len(self.results)
        wait([child.inbox.fileno() for _, child in self._active.values()], POLL_SECONDS)
        for number, (talk, child) in list(self._active.items()):
            if not child.is_over():
                continue
            child.end()
            del self._active[number]
            try:
                self._active[number] = talk, _begun(talk.send(child.found))
            except StopIteration as end:
                self.results[number] = end.value
        return len(self.results) > before


def _begun(call: Call[Value]) -> _Child[Value]:
    return _Child(call.steps, call.seconds, call.silent, _ignore)


def _only(action: Callable[[], Value]) -> Callable[[], Iterator[Value]]:
    return lambda: iter((action(),))


def _ignore(value: object) -> None:
    """Take no notice of a value: it is returned."""


class _Child(Generic[Value]):
    """The parent's side of one child process."""

    def __init__(
        self,
        steps: Callable[[], Iterator[Value]],
        seconds: float,
        silent: bool,
        each: Callable[[Value], None],
    ) -> None:
        self.seconds, self.each = seconds, each
        self.found: Followed[Value] = Followed()
        self.inbox, theirs = pipe()
        self.status: int | None = None
        # Ctrl-C must not strike in the child before it has left the group of the terminal.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        self.process_id = os.fork()
        if self.process_id == 0:
            try:
                os.setsid()
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
                keep_only(theirs.fileno())
                _take_steps(theirs, steps, seconds, silent)
            finally:
                os._exit(1)
        theirs.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        self.deadline = self._new_deadline()

    def _new_deadline(self) -> float:
        return time.monotonic() + self.seconds + GRACE_SECONDS

    def follow(self) -> Followed[Value]:
        """Return what the process sends until it is done or lost."""
        self.deadline = self._new_deadline()
        while not self.is_over(POLL_SECONDS):
            pass
        return self.found

    def is_over(self, patience: float = 0.0) -> bool:
        """Take what the process has sent, or sends soon; tell whether it is done or lost."""
        ended, before = self._has_ended(), len(self.found.values)
        try:
            while (message := self._receive(patience)) is not None:
                if message == b"":
                    return True
                self._take(message)
                if self.found.loss is not None:
                    return True
                patience = 0.0
        except MessageError as error:
            self.found.loss = _unreadable(error)
            return True
        if len(self.found.values) > before:
            self.deadline = self._new_deadline()
        elif ended:
            self.found.loss = Loss(f"ends the process with {exit_text(self.status or 0)}")
        elif time.monotonic() > self.deadline:
            self.found.loss = _too_slow(self.seconds)
        return self.found.loss is not None

    def outcome(self) -> Value | Loss:
        """Return the first value that the process sends, or why there is none."""
        found = self.follow()
        return found.values[0] if found.values else found.loss or Loss("returns nothing")

    def _take(self, message: bytes) -> None:
        try:
            sent = read(message)
        except MessageError as error:
            sent = _unreadable(error)
        if isinstance(sent, _Value):
            self.found.values.append(sent.value)  # type: ignore[arg-type]
            self.each(self.found.values[-1])
        else:
            own = isinstance(sent, Loss)
            self.found.loss = sent if own else Loss(f"sends a {type(sent).__name__}")

    def _has_ended(self) -> bool:
        if self.status is None:
            process_id, status = os.waitpid(self.process_id, os.WNOHANG)
            if process_id:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def _receive(self, patience: float) -> bytes | None:
        """Return what the process has sent, or None after a while without anything."""
        try:
            return self.inbox.take(patience)
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
        self.inbox.close()


def _take_steps(
    outbox: Outbox, steps: Callable[[], Iterator[object]], seconds: float, silent: bool
) -> None:
    """Be the child: take the steps and send what becomes of each."""
    _redirect(silent)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, _time_is_up)
    process_id = os.getpid()
    iterator: Iterator[object] | None = None
    while True:
        iterator, message = _step(steps, iterator, seconds)
        if os.getpid() != process_id:
            return  # the code has forked, and this is the copy
        outbox.send(message)
        if iterator is None:
            time.sleep(GRACE_SECONDS)  # until the parent, which has all it needs, ends the process
            return


def _redirect(silent: bool) -> None:
    """Keep what is printed off the standard output, where reports are written."""
    faulthandler.disable()  # pytest enables it, and a crash in a child is told of in a sentence
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    for descriptor in (1, 2) if silent else (1,):
        os.dup2(null if silent else 2, descriptor)
    sys.stdout = sys.stderr
    if silent:
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (until the process ends)


def _time_is_up(number: int, frame: FrameType | None) -> None:
    raise TimeIsUpError


def _step(
    steps: Callable[[], Iterator[object]], iterator: Iterator[object] | None, seconds: float
) -> tuple[Iterator[object] | None, bytes]:
    """Take one step; return the iterator, None if there is nothing more, and what is to be sent."""
    try:
        signal.setitimer(signal.ITIMER_REAL, 0 if seconds == inf else seconds)
        try:
            iterator = steps() if iterator is None else iterator
            for value in iterator:
                return iterator, written(_Value(value))
            return None, b""
        except (Exception, SystemExit) as error:
            text = described(error)  # while the time runs: the text of an exception may never end
            shown = " ".join(text.split()).rstrip(": ")
            return None, written(Loss(f"raises {shown}", _frames(error), raised=text))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except TimeIsUpError as error:
        return None, written(_too_slow(seconds, error))
    except BaseException as error:
        shown = " ".join(described(error).split()).rstrip(": ")
        return None, written(Loss(f"raises {shown}", _frames(error)))


def _unreadable(error: MessageError) -> Loss:
    return Loss(f"sends what cannot be read: {error}")


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
