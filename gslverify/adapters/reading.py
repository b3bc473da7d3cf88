"""The rules of a library, read by a child process that may crash, hang or print what it likes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gslverify.adapters.foreign import Lifted, Options, PassFinding, PassResult


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read; `failure` says what ended the reading before its end, or is empty.

    What was read until then counts.
    """

    rules: tuple[Lifted, ...]
    failure: str = ""
    passes: tuple[PassResult, ...] = ()


def read_rules(
    library: str, targets: Sequence[str], seconds: float, options: Options | None = None
) -> Reading:
    """Return the rules and passes that targets of a library name, read within so many seconds."""
    given = json.dumps(asdict(options or Options()))
    with TemporaryDirectory() as folder:
        file, errors = Path(folder, "rules.jsonl"), Path(folder, "errors.txt")
        command = [sys.executable, "-m", "gslverify.adapters", library, str(file), given]
        command += targets
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
    found = _entries(lines)
    rules = tuple(Lifted(**one["rule"]) for one in found if "rule" in one)
    return Reading(rules, failure, tuple(_result(one["pass"]) for one in found if "pass" in one))


def _entries(lines: Sequence[str]) -> list[dict[str, Any]]:
    found = []
    for line in lines:
        try:
            found.append(json.loads(line))
        except ValueError:  # the last line of a process that was ended
            break
    return found


def _result(plain: dict[str, Any]) -> PassResult:
    return PassResult(**{**plain, "findings": [PassFinding(**one) for one in plain["findings"]]})


def _last_line(errors: Path) -> str:
    lines = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else ""
