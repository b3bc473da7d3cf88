"""The rules of a library, read by a child process that may crash, hang or print what it likes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from gslverify.adapters.foreign import Lifted


@dataclass(frozen=True, slots=True)
class Reading:
    """The rules that were read; `failure` says what ended the reading before its end, or is empty.

    What was read until then counts.
    """

    rules: tuple[Lifted, ...]
    failure: str = ""


def read_rules(library: str, targets: Sequence[str], seconds: float) -> Reading:
    """Return the rules that targets of a library name, read within so many seconds."""
    with TemporaryDirectory() as folder:
        file, errors = Path(folder, "rules.jsonl"), Path(folder, "errors.txt")
        command = [sys.executable, "-m", "gslverify.adapters", library, str(file), *targets]
        failure = ""
        with errors.open("wb") as log:
            try:
                done = subprocess.run(
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=seconds
                )
                if done.returncode:
                    last = _last_line(errors)
                    failure = f"the process ended with {done.returncode}{last and ': '}{last}"
            except subprocess.TimeoutExpired:
                failure = f"not read to the end within {seconds:g} seconds"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return Reading(tuple(_rules(lines)), failure)


def _rules(lines: Sequence[str]) -> list[Lifted]:
    found = []
    for line in lines:
        try:
            found.append(Lifted(**json.loads(line)))
        except (ValueError, TypeError):  # the last line of a process that was ended
            break
    return found


def _last_line(errors: Path) -> str:
    lines = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else ""
