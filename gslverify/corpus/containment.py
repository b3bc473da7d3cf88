"""Run code of rule files in this process so that what it does to the process is undone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any

STREAMS = (1, 2)


@contextmanager
def contained() -> Iterator[None]:
    """Restore the working directory and the standard streams; end a copy that forks off inside.

    Whatever is written to the standard output of the process goes to standard error, because
    reports are written there.
    """
    process_id = os.getpid()
    saved = _duplicates()
    try:
        if saved.keys() == {*STREAMS}:
            with suppress(AttributeError, OSError, ValueError):  # it may be closed, or not there
                sys.stdout.flush()
            os.dup2(2, 1)
        out, err = (stream and Lent(stream) for stream in (sys.stdout, sys.stderr))
        with chdir(os.getcwd()), redirect_stdout(out), redirect_stderr(err):
            yield
    finally:
        if os.getpid() != process_id:
            os._exit(0)
        for descriptor, duplicate in saved.items():
            os.dup2(duplicate, descriptor)
            os.close(duplicate)


def _duplicates() -> dict[int, int]:
    found = {}
    for descriptor in STREAMS:
        with suppress(OSError):
            found[descriptor] = os.dup(descriptor)
    return found


class Lent:
    """A stream that is somebody else's: it can be written to, but closing it does nothing."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def close(self) -> None:
        """Leave the stream open, as the owner goes on to write to it."""
