"""Counterexamples to lifted rules, asked about in a process that has loaded their library."""

from __future__ import annotations

import base64
import json
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gslverify.adapters.foreign import Replayed
from gslverify.case import Case


class LibraryProcess:
    """A process that answers what a library does on counterexamples; started when first asked."""

    def __init__(self, library: str, targets: Sequence[str]) -> None:
        self._command = [sys.executable, "-m", "gslverify.adapters.serving", library, *targets]
        self._process: subprocess.Popen[str] | None = None

    def replay(self, name: str, case: Case) -> Replayed:
        """Return what the library does on the counterexample to a rule of this name."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        text = base64.b64encode(pickle.dumps(case)).decode()
        try:
            process.stdin.write(f"{name}\t{text}\n")
            process.stdin.flush()
            return Replayed(**json.loads(process.stdout.readline()))
        except (OSError, ValueError):
            self.close()
            return Replayed(False, "the process of the library ended")

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                start_new_session=True,
            )
        return self._process

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


@contextmanager
def library_process(library: str, targets: Sequence[str]) -> Iterator[LibraryProcess]:
    """Give a process for a library, which ends with the block."""
    process = LibraryProcess(library, targets)
    try:
        yield process
    finally:
        process.close()
