"""Questions to z3 that are given up: no signal of Python's reaches code that runs in z3."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

POLL_SECONDS = 0.01

_asked: list[Any] = []
"""The solver that is at work on a question, if there is one."""

_over: list[object] = []
"""Blocks that are to end."""


class OutOfTimeError(BaseException):
    """The time of a block is over; no `except Exception` keeps it from ending."""


def answered(solver: Any, *assumptions: Any) -> Any:
    """Return the answer of a solver of z3; raise OutOfTimeError where the time is over by then."""
    _asked.append(solver)
    try:
        answer = solver.check(*assumptions)
    finally:
        _asked.pop()
    if _over:
        raise OutOfTimeError
    return answer


@contextmanager
def interrupted_after(seconds: float, now: Callable[[], float]) -> Iterator[None]:
    """Interrupt the questions of a block once it has taken so many seconds on a clock."""
    end, left = now() + seconds, threading.Event()

    def watch() -> None:
        while not left.wait(max(POLL_SECONDS, end - now())):
            if now() < end:
                continue
            if left not in _over:
                _over.append(left)
            for solver in _asked[-1:]:
                solver.interrupt()

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        left.set()
        watching.join()
        if left in _over:
            _over.remove(left)
