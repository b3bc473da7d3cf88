"""Tasks run one after the other in forked children, which may crash, hang or corrupt themselves."""

from __future__ import annotations

import faulthandler
import os
import pickle
import resource
import select
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

HEADER = struct.Struct("<Q")
MOST_TEXT = 600
REMARKS = ("#", "Use tlparse", "Original traceback", "While executing", "None", "Set TORCH")
"""How lines of messages begin that do not say what is wrong."""


@dataclass(frozen=True, slots=True)
class Raised:
    """A task raised an exception; `where` is the innermost function of the traceback."""

    kind: str
    text: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.kind else self.text


@dataclass(frozen=True, slots=True)
class Died:
    """The process ended within a task, by a signal or by itself."""

    how: str


@dataclass(frozen=True, slots=True)
class Hung:
    """A task did not come to its end in time and its process was ended."""

    seconds: float


Answer = Any
"""What a task returned, or `Raised`, `Died` or `Hung`."""


def failure_of(answer: Answer) -> str:
    """Return why a task has returned nothing; empty where it did."""
    match answer:
        case Raised():
            return str(answer)
        case Died(how):
            return f"the process ended: {how}"
        case Hung(seconds):
            return f"no result within {seconds:g} seconds"
    return ""


def run_each(tasks: Sequence[Callable[[], Any]], seconds: float) -> Iterator[Answer]:
    """Yield what each task returns, or how it failed, in order.

    A child runs as many tasks as it survives, with its output thrown away; what comes after a
    crash runs in a new child. What tasks return has to be picklable. `seconds` are for one task.
    """
    start = 0
    while start < len(tasks):
        with _child(tasks[start:]) as (reader, process):
            while start < len(tasks):
                start += 1
                answer = _received(reader, process, seconds)
                yield answer
                if isinstance(answer, Died | Hung):
                    break


def survived(task: Callable[[], Any], seconds: float) -> bool:
    """Tell whether a child comes to the end of a task, whatever that returns or raises."""
    (answer,) = run_each([lambda: task() and None], seconds)
    return not isinstance(answer, Died | Hung)


@contextmanager
def _child(tasks: Sequence[Callable[[], Any]]) -> Iterator[tuple[int, list[int]]]:
    """Fork a child that runs tasks; it is ended when the block is left."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _serve(tasks, writer)
    os.close(writer)
    process = [child]
    try:
        yield reader, process
    finally:
        os.close(reader)
        if process:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _serve(tasks: Sequence[Callable[[], Any]], writer: int) -> None:
    """Run tasks in the child and write down what they return; does not return."""
    try:
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
        for task in tasks:
            _write(writer, _answer(task))
    finally:
        os._exit(0)


def _answer(task: Callable[[], Any]) -> bytes:
    try:
        return pickle.dumps(task())
    except BaseException as error:  # code of others may raise anything, SystemExit included
        return pickle.dumps(raised(error))


def raised(error: BaseException) -> Raised:
    """Return what an exception and its first cause say."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith(REMARKS)]
    text = said[-1][:MOST_TEXT] if said else ""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{os.path.basename(frames[-1].filename)}: {frames[-1].name}" if frames else ""
    return Raised(type(error).__name__, text, where)


def _write(writer: int, data: bytes) -> None:
    view = memoryview(HEADER.pack(len(data)) + data)
    while view:
        view = view[os.write(writer, view) :]


def _received(reader: int, process: list[int], seconds: float) -> Answer:
    """Return the next answer of a child; a process that has ended is taken off the list."""
    until = time.monotonic() + seconds
    header = _read(reader, HEADER.size, until)
    data = _read(reader, HEADER.unpack(header)[0], until) if isinstance(header, bytes) else header
    if isinstance(data, bytes):
        return pickle.loads(data)
    if data is None:
        return Hung(seconds)
    _, status = os.waitpid(process.pop(), 0)
    if os.WIFSIGNALED(status):
        return Died(signal.Signals(os.WTERMSIG(status)).name)
    return Died(f"it ended itself with {os.waitstatus_to_exitcode(status)}")


def _read(reader: int, count: int, until: float) -> bytes | bool | None:
    """Return so many bytes, None when they do not come in time, False when they never will."""
    parts: list[bytes] = []
    while count:
        ready, _, _ = select.select([reader], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return None
        part = os.read(reader, min(count, 1 << 20))
        if not part:
            return False
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
