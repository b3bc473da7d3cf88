"""A block of code that ends in time, in this process.

Where rules are verified without worker processes nobody else can end a stage, so a signal does.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import inf
from types import FrameType

from gslverify.interruption import OutOfTimeError, interrupted_after

__all__ = ["PROCESSOR", "WALL", "Clock", "OutOfTimeError", "ended_after"]

INSISTING = 0.5
"""Seconds after which it is tried again, where something has swallowed the exception."""

NATIVE, SWALLOWING, SOON = frozenset({"z3"}), frozenset({"__del__", "gc_callback"}), 0.01
"""Packages with native objects, which must not be left half made, functions out of which no
exception comes, and seconds after which it is looked again."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A timer of the system: which one, the signal that it sends, and how it is read."""

    timer: int
    signal: int
    now: Callable[[], float]


WALL = Clock(signal.ITIMER_REAL, signal.SIGALRM, time.monotonic)
PROCESSOR = Clock(signal.ITIMER_PROF, signal.SIGPROF, time.process_time)
"""Counts what this process computes, however busy the machine is."""


@contextmanager
def ended_after(seconds: float, clock: Clock = WALL) -> Iterator[None]:
    """Raise OutOfTimeError in a block that takes longer than some seconds.

    A question to z3 that is under way then is given up.
    Only the main thread of a process can be interrupted; elsewhere, and where somebody else has
    set an alarm that comes earlier, nothing is done.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if seconds == inf or not is_main:
        yield
        return
    others, interval = signal.getitimer(clock.timer)
    if 0 < others <= seconds:
        yield
        return
    with interrupted_after(seconds, clock.now):
        ended: list[int] = []
        before = signal.signal(clock.signal, partial(_end, ended))
        started = clock.now()
        signal.setitimer(clock.timer, max(seconds, 1e-3), INSISTING)
        try:
            yield
        except Exception as error:
            # The timer and the clock need not agree about the last hundredth of a second.
            if ended or clock.now() - started >= seconds:
                raise OutOfTimeError from error  # what comes of being ended half way
            raise
        finally:
            signal.setitimer(clock.timer, 0)
            signal.signal(clock.signal, before)
            if others:
                left = others - (clock.now() - started)
                signal.setitimer(clock.timer, max(left, 1e-3), interval)


def _end(ended: list[int], number: int, frame: FrameType | None) -> None:
    if _must_go_on(frame):
        clock = WALL if number == WALL.signal else PROCESSOR
        signal.setitimer(clock.timer, SOON, INSISTING)
        return
    ended.append(number)
    raise OutOfTimeError


def _must_go_on(frame: FrameType | None) -> bool:
    """Tell whether one of the callers has native objects or swallows exceptions."""
    while frame is not None:
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if package in NATIVE or frame.f_code.co_name in SWALLOWING:
            return True
        frame = frame.f_back
    return False
