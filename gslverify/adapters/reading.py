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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gslverify.adapters.foreign import Lifted, Options, PassFinding, PassResult
from gslverify.adapters.remembered import Entry, Readings

INTERRUPTED = "interrupted"
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


Notice = Callable[[Entry], None]
"""Takes an entry as soon as it is written, or known: `names`, `pass` or `rule`."""


def ignore(entry: Entry) -> None:
    """Take no notice of an entry."""


def read_rules(
    library: str,
    targets: Sequence[str],
    seconds: float,
    options: Options | None = None,
    notice: Notice = ignore,
    memory: Readings | None = None,
) -> Reading:
    """Return the rules and passes that targets of a library name, read within so many seconds.

    What a `memory` has of earlier runs is not read again.
    """
    options = options or Options()
    found = memory.recall() if memory else []
    for entry in found:
        notice(entry)
    if _is_whole(found, options):
        return _reading(found, "", len(found))
    known, failure = len(found), ""
    options = replace(
        options,
        known_passes=[one["pass"]["name"] for one in found if "pass" in one],
        known_rules=[one["rule"]["name"] for one in found if "rule" in one],
    )
    try:
        failure = _read(library, targets, seconds, options, notice, found)
    except KeyboardInterrupt:
        failure = INTERRUPTED
    whole = [] if failure else [{"whole": not options.only_list}]
    if memory is not None:
        with suppress(OSError):  # a disk that takes nothing costs time only
            memory.keep([*found, *whole])
    return _reading(found, failure, known)


def _is_whole(entries: Sequence[Entry], options: Options) -> bool:
    """Tell whether earlier runs have come to the end; one that only lists tries no pass."""
    ends = [one["whole"] for one in entries if "whole" in one]
    return any(ends) or (bool(ends) and options.only_list)


def _read(
    library: str,
    targets: Sequence[str],
    seconds: float,
    options: Options,
    notice: Notice,
    found: list[Entry],
) -> str:
    """Have a child read what is not known yet; return what has ended it, or nothing."""
    with TemporaryDirectory() as folder:
        file, errors = Path(folder, "rules.jsonl"), Path(folder, "errors.txt")
        file.touch()
        given = json.dumps(asdict(options))
        command = [sys.executable, "-m", "gslverify.adapters", library, str(file), given, *targets]
        with _child(command, errors) as child:
            for entry in _entries(file, child, time.monotonic() + seconds):
                found.append(entry)
                notice(entry)
            if child.poll() is None:
                return f"not read to the end within {seconds:g} seconds"
            last = _last_line(errors) if child.returncode else ""
            ended = f"the process ended with {child.returncode}{last and ': '}{last}"
            return ended if child.returncode else ""


def _reading(entries: Sequence[Entry], failure: str, known: int) -> Reading:
    """Return entries as what was read, of which so many were known."""
    rules = {one["rule"]["name"]: Lifted(**one["rule"]) for one in entries if "rule" in one}
    passes = {
        (one["pass"]["name"], one["pass"]["place"]): replace(
            result_of_plain(one["pass"]), cached=place < known
        )
        for place, one in enumerate(entries)
        if "pass" in one
    }
    names = next((tuple(one["names"]) for one in entries if "names" in one), ())
    was_interrupted = failure == INTERRUPTED
    found = tuple(rules.values()), failure, tuple(passes.values())
    return Reading(*found, was_interrupted, names)


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
