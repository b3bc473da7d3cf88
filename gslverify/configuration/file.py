"""The settings file: `[tool.gslverify]` in the nearest pyproject.toml that has such a table."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gsl.errors import GslError, did_you_mean
from gslverify.adapters import LIBRARIES
from gslverify.atomic import why_unreadable
from gslverify.configuration.table import PROFILES, TABLE
from gslverify.kinds import seen_from
from gslverify.project import TOOL, settings_file

PROFILE_TABLE = "profiles"
ADAPT_TABLE = "adapt"


class SettingsError(GslError):
    """A setting is unknown or has no such value; the message says where and what to write."""


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a setting and where it came from, such as "pyproject.toml:12"."""

    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class File:
    """What a settings file says: values by the names of settings, and profiles by theirs.

    `adapted` are the rules and passes of other libraries that are to be verified, by library.
    """

    path: Path
    values: Mapping[str, Value]
    profiles: Mapping[str, Mapping[str, Value]]
    adapted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def find_file(folder: Path) -> Path | None:
    """Return the nearest settings file, looking in `folder` and in those above it."""
    try:
        return settings_file(folder)
    except OSError as error:
        why = error.strerror or error
        raise SettingsError(f"{error.filename}: the file cannot be read: {why}") from None


def read_file(path: Path, here: Path) -> File:
    """Read a settings file for use in the folder `here`.

    Raises SettingsError, which names file and line, for what is not TOML, for keys that are no
    settings, and for values that a setting cannot have.
    """
    text = _text(path)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+), column (\d+)", str(error))
        line, column = found.groups() if found else (str(text.count("\n") + 1), "1")
        where = f"{_shown(path, here)}:{line}:{column}"
        raise SettingsError(f"{where}: the file is not TOML: {error}; correct it") from None
    own = tables.get("tool", {}).get("gslverify", {})
    reader = _Reader(path, text, here)
    if not isinstance(own, dict):
        raise SettingsError(f"{path}: `{TOOL}` is not a table; write [{TOOL}]")
    adapted = reader.adapted(own.pop(ADAPT_TABLE, {}))
    profiles = own.pop(PROFILE_TABLE, {})
    if not isinstance(profiles, dict) or not all(isinstance(p, dict) for p in profiles.values()):
        place_text = reader.place(TOOL, PROFILE_TABLE)
        raise SettingsError(f"{place_text}: profiles are tables; write [{TOOL}.profiles.NAME]")
    return File(
        path,
        reader.values(own, TOOL),
        {
            name: reader.values(table, f"{TOOL}.{PROFILE_TABLE}.{name}")
            for name, table in profiles.items()
        },
        adapted,
    )


def adapted_targets(folder: Path) -> Mapping[str, tuple[str, ...]]:
    """Return what the settings file of a folder has adapted, by library; raises SettingsError."""
    path = find_file(folder)
    return {} if path is None else read_file(path, folder).adapted


def built_in_profiles() -> dict[str, dict[str, Value]]:
    """Return the profiles that everybody has."""
    return {
        name: {key: Value(TABLE[key].kind.of_toml(v), f"profile {name}") for key, v in own.items()}
        for name, own in PROFILES.items()
    }


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: the file cannot be read: {why_unreadable(error)}") from None


NO_SETTINGS = {"tolerance": "what rounding may do is worked out for every example"}
"""What other tools let users set, and why there is no need of it."""


@dataclass(frozen=True, slots=True)
class _Reader:
    path: Path
    text: str
    here: Path

    def values(self, table: Mapping[str, Any], title: str) -> dict[str, Value]:
        """Return the settings of a table; the one called `profile` belongs to the first only."""
        return dict(self._settings(table, title))

    def _settings(self, table: Mapping[str, Any], title: str) -> Iterator[tuple[str, Value]]:
        known = [name for name in TABLE if title == TOOL or name != "profile"]
        for name, written in table.items():
            place = self.place(title, name)
            if name not in known:
                tables = [PROFILE_TABLE, ADAPT_TABLE] if title == TOOL else []
                near = did_you_mean(name, [*known, *tables])
                hint = NO_SETTINGS.get(name) or near or "see `gslverify check --help`"
                raise SettingsError(f"{place}: there is no setting `{name}`; {hint}")
            try:
                read = TABLE[name].kind.of_toml(written)
            except ValueError as error:
                raise SettingsError(f"{place}: {name}: {error}") from None
            value = seen_from(self.here, self.path.parent, TABLE[name].kind, read)
            yield name, Value(value, place)

    def adapted(self, table: Any) -> dict[str, tuple[str, ...]]:
        """Return the targets of each library in the table of those that are adapted."""
        if not isinstance(table, dict):
            place = self.place(TOOL, ADAPT_TABLE)
            raise SettingsError(f"{place}: `{ADAPT_TABLE}` is a table; write [{TOOL}.adapt]")
        for name, targets in table.items():
            place = self.place(f"{TOOL}.{ADAPT_TABLE}", name)
            if name not in LIBRARIES:
                hint = did_you_mean(name, LIBRARIES) or f"libraries are {', '.join(LIBRARIES)}"
                raise SettingsError(f"{place}: no library `{name}` can be adapted; {hint}")
            if not isinstance(targets, list) or not all(isinstance(one, str) for one in targets):
                raise SettingsError(f'{place}: {name}: write a list of texts, such as ["MODULE"]')
        return {name: tuple(targets) for name, targets in table.items()}

    def place(self, title: str, name: str) -> str:
        """Return "pyproject.toml:12", or the line of the table where the key has none."""
        return f"{_shown(self.path, self.here)}:{_line_of(self.text, title, name)}"


def _shown(path: Path, here: Path) -> str:
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _line_of(text: str, title: str, name: str) -> int:
    key = re.compile(rf"""\s*["']?{re.escape(name)}["']?\s*[.=]""")
    current, line_of_table = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
        if header:
            current = header[1].replace('"', "").replace(" ", "")
            if current == f"{title}.{name}":
                return number
            line_of_table = number if current == title else line_of_table
        elif current == title and key.match(line):
            return number
    return line_of_table
