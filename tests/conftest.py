"""The tests are about what a person sees; what CI changes is asked for by tests of its own.

The collector of cycles passes over what thousands of tests and their imports have made.
"""

from __future__ import annotations

import os
import signal

from gsl.collector import collect_seldom


def pytest_configure() -> None:
    os.environ.pop("CI", None)
    _hear_interrupts()


def pytest_collection_finish() -> None:
    collect_seldom()


def _hear_interrupts() -> None:
    """What a shell starts in the background ignores Ctrl-C and Ctrl-\\, as its children would."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN:
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)
