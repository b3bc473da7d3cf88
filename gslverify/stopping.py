"""Signals that end a run, as Ctrl-C does: what is known by then is reported."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from gslverify.endings import Exit

ENDINGS = {signal.SIGHUP: Exit.HUNG_UP, signal.SIGTERM: Exit.TERMINATED}
"""Signals that schedulers and closed terminals send, with the exit codes that shells expect."""


@dataclass(slots=True)
class Stop:
    """Which signal has ended a run, if one has."""

    by: int = 0

    def code(self, code: Exit) -> Exit:
        """Return the exit code of a run that would end with `code` if it was for Ctrl-C."""
        return ENDINGS[signal.Signals(self.by)] if self.by and code is Exit.INTERRUPTED else code


@contextmanager
def stopped_by_signals() -> Iterator[Stop]:
    """Have SIGTERM and SIGHUP raise KeyboardInterrupt once; only a main thread can have that."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def act(number: int, frame: FrameType | None) -> None:
        for other in ENDINGS:
            signal.signal(other, signal.SIG_IGN)
        stop.by = number
        raise KeyboardInterrupt

    before = {number: signal.signal(number, act) for number in ENDINGS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
