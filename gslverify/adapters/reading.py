"""The rules of a library, read by a child process that may crash, hang or print what it likes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gslverify.adapters.foreign import Lifted, Options, PassFinding, PassResult

INTERVAL = 0.2
"""Seconds between two looks at what the child has written."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read; `failure` says what ended the reading before its end, or is empty.

    What was read until then counts, also when somebody has `interrupted` it. The `names` are those
    of all rules and passes, as far as the library says them.
    """

    rules: tuple[Lifted, ...]
    failure: str = ""
    passes: tuple[PassResult, ...] = ()
    interrupted: bool = False
    names: tuple[str, ...] = ()


Notice = Callable[[Mapping[str, Any]], None]
"""Takes an entry as soon as it is written: `names`, `begins`, `pass` or `rule`."""


def ignore(entry: Mapping[str, Any]) -> None:
    """Take no notice of an entry."""


def read_rules(
    library: str,
    targets: Sequence[str],
    seconds: float,
    options: Options | None = None,
    notice: Notice = ignore,
) -> Reading:
    """Return the rules and passes that targets of a library name, read within so many seconds."""
    given = json.dumps(asdict(options or Options()))
    found: list[Mapping[str, Any]] = []
    failure, interrupted = "", False
    with TemporaryDirectory() as folder:
        file, errors = Path(folder, "rules.jsonl"), Path(folder, "errors.txt")
        file.touch()
        command = [sys.executable, "-m", "gslverify.adapters", library, str(file), given, *targets]
        try:
            with _child(command, errors) as child:
                for entry in _entries(file, child, time.monotonic() + seconds):
                    found.append(entry)
                    notice(entry)
                if child.poll() is None:
                    failure = f"not read to the end within {seconds:g} seconds"
                elif child.returncode:
                    last = _last_line(errors)
                    failure = f"the process ended with {child.returncode}{last and ': '}{last}"
        except KeyboardInterrupt:
            failure, interrupted = "interrupted", True
    rules = tuple(Lifted(**one["rule"]) for one in found if "rule" in one)
    passes = tuple(result_of_plain(one["pass"]) for one in found if "pass" in one)
    names = next((tuple(one["names"]) for one in found if "names" in one), ())
    return Reading(rules, failure, passes, interrupted, names)


@contextmanager
def _child(command: Sequence[str], errors: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process in a group of its own, which is ended with the block."""
    with errors.open("wb") as log:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield child
    finally:
        if child.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def _entries(
    file: Path, child: subprocess.Popen[bytes], until: float
) -> Iterator[Mapping[str, Any]]:
    """Yield what a child writes, until it ends or its time is over."""
    with file.open(encoding="utf-8") as lines:
        part, ended = "", False
        while True:
            part += lines.read()
            *whole, part = part.split("\n")
            for line in whole:
                yield json.loads(line)
            if ended or time.monotonic() > until:
                return
            ended = child.poll() is not None
            if not ended:
                time.sleep(INTERVAL)


def result_of_plain(plain: Mapping[str, Any]) -> PassResult:
    """Return what was found about a pass, written by a child as JSON."""
    return PassResult(**{**plain, "findings": [PassFinding(**one) for one in plain["findings"]]})


def _last_line(errors: Path) -> str:
    lines = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else ""
