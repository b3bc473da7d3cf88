"""The file of what is known: one rule per line, sorted, so that branches merge easily."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from gsl.errors import GslError
from gslverify import __version__, documents
from gslverify.atomic import reason_of, why_unreadable, write_whole
from gslverify.documents import DocumentError, written
from gslverify.gate.entry import Entry

DEFAULT_FILE = "gslverify-baseline.json"


class BaselineError(GslError):
    """A baseline cannot be read, or not be used for this run; the message has file and line."""


@dataclass(frozen=True, slots=True)
class BaselineDocument:
    """The file of a baseline; `gslverify` is the version that has written it."""

    format: Literal[1]
    gslverify: str
    profile: str
    seed: int
    rules: Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is known about all rules, under which profile and seed, by which version."""

    profile: str = "dev"
    seed: int = 0
    version: str = __version__
    rules: Mapping[str, Entry] = field(default_factory=dict)

    def text(self) -> str:
        """Return the contents of the file."""
        document = BaselineDocument(1, self.version, self.profile, self.seed, self.rules)
        head = written(document)
        rules = head.pop("rules")
        opening = json.dumps(head, ensure_ascii=False)[:-1]
        lines = [
            f"{json.dumps(rule_id, ensure_ascii=False)}:"
            f"{json.dumps(entry, ensure_ascii=False, separators=(',', ':'))}"
            for rule_id, entry in sorted(rules.items())
        ]
        return "\n".join([f'{opening}, "rules": {{', ",\n".join(lines), "}}"]) + "\n"

    def write(self, path: Path) -> None:
        """Put the file in the place of an older one; raise BaselineError."""
        try:
            write_whole(path, self.text().encode())
        except OSError as error:
            raise BaselineError(f"{path} cannot be written: {reason_of(error)}") from error

    def require_fit(self, path: Path, profile: str, version: str = __version__) -> None:
        """Raise BaselineError unless a run with `profile` can be compared."""
        if self.profile != profile:
            raise BaselineError(
                f"{path} is of profile `{self.profile}`, this run of `{profile}`; "
                f"run with --profile {self.profile}, or: gslverify baseline write "
                f"--profile {profile} --baseline {path}"
            )
        if _major(self.version) != _major(version):
            raise BaselineError(
                f"{path} was written by gslverify {self.version}, this is {version}; "
                f"write it anew: gslverify baseline write --baseline {path}"
            )


def _major(version: str) -> str:
    return version.partition(".")[0]


def read(path: Path) -> Baseline:
    """Return what a file says; raise BaselineError with file and line."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        cure = f"write it: gslverify baseline write --baseline {path}"
        raise BaselineError(f"{path}: there is no such baseline; {cure}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BaselineError(
            f"{path}: the baseline cannot be read: {why_unreadable(error)}"
        ) from error
    try:
        found = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise _broken(path, error.lineno, error.msg) from error
    except RecursionError as error:
        raise _broken(path, 1, "it is nested too deeply") from error
    except ValueError as error:
        raise _broken(path, _line_of(text, str(error.args[-1])), str(error.args[0])) from error
    return _baseline(path, text, found)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"`{key}` stands there twice, as after a merge", key)
        found[key] = value
    return found


def _baseline(path: Path, text: str, found: Any) -> Baseline:
    try:
        known = documents.read(BaselineDocument, found)
    except DocumentError as error:
        match error.steps:
            case "rules", str(rule_id), *steps:
                why = str(DocumentError(tuple(steps), error.why))
                raise _broken(path, _line_of(text, rule_id), f"`{rule_id}`: {why}") from error
        raise _broken(path, 1, f"it is not a baseline: {error}") from error
    return Baseline(known.profile, known.seed, known.gslverify, known.rules)


def _broken(path: Path, line: int, why: str) -> BaselineError:
    cure = "mend the line, or write the file anew with `gslverify baseline write`"
    return BaselineError(f"{path}:{line}: {why}; {cure}")


def _line_of(text: str, key: str) -> int:
    """Return the last line that begins with a key, which is where it stands a second time."""
    start = json.dumps(key, ensure_ascii=False)
    lines = [n for n, line in enumerate(text.splitlines(), 1) if line.lstrip().startswith(start)]
    return lines[-1] if lines else 1
