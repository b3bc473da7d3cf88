"""The tests are about what a person sees; what CI changes is asked for by tests of its own."""

from __future__ import annotations

import os
import signal


def pytest_configure() -> None:
    os.environ.pop("CI", None)
    _hear_interrupts()


def _hear_interrupts() -> None:
    """What a shell starts in the background ignores Ctrl-C, and so would its children."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
