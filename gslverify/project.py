"""The project that a run belongs to: its folder, and what files are called when seen from there.

Ids of rules must not depend on the folder in which somebody happens to stand: seeds, baselines and
fingerprints are made of them.
"""

from __future__ import annotations

import codecs
import os
import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

SETTINGS_FILE = "pyproject.toml"
TOOL = "tool.gslverify"
OWN_TABLE = re.compile(rf"^\s*\[\s*{re.escape(TOOL)}\b".encode(), re.MULTILINE)
OWN_NAME = "gslverify"
OWN_FOLDER = ".gslverify"
"""Where caches, counterexamples and the like are; git leaves it alone."""

SIGNS = (SETTINGS_FILE, ".git")
"""What the folder of a project has that has no settings of ours."""


def settings_file(folder: Path) -> Path | None:
    """Return the nearest settings file with a table of ours, in `folder` or above it.

    One that is no TOML is taken, too: nobody can tell what it was to say, so whoever reads it
    complains. Raises OSError for one that cannot be read.
    """
    paths = (place / SETTINGS_FILE for place in (folder, *folder.parents))
    return next((path for path in paths if os.path.isfile(path) and _may_be_ours(path)), None)


def _may_be_ours(path: Path) -> bool:
    return has_own_table(path) or _tables(path.read_bytes()) is None


def has_own_table(path: Path) -> bool:
    """Tell whether a settings file has a table of ours; raise OSError if it cannot be read."""
    contents = path.read_bytes()
    if contents.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        contents = contents.decode("utf-16", "replace").encode()  # whoever reads it complains
    plain = contents.removeprefix(codecs.BOM_UTF8)
    tools = (_tables(plain) or {}).get("tool")
    # A table with its usual head is found also in a file that is no TOML.
    return OWN_TABLE.search(plain) is not None or (isinstance(tools, dict) and OWN_NAME in tools)


def _tables(contents: bytes) -> dict[str, Any] | None:
    """Return what a settings file says, None when it is no TOML."""
    try:
        return tomllib.loads(contents.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None


def project_root(folder: Path | None = None) -> Path:
    """Return the project in which a folder lies, that of the working directory by default.

    It is where the settings are, else the nearest folder with a pyproject.toml or a repository,
    else the folder itself.
    """
    here = os.path.realpath(folder or os.getcwd())
    return _root(here, tuple(_changes_above(here)))


def _changes_above(folder: str) -> Iterator[int]:
    """Yield when the signs of a project in a folder and above it were changed, 0 for none."""
    while True:
        for sign in SIGNS:
            try:
                yield os.stat(os.path.join(folder, sign)).st_mtime_ns
            except OSError:
                yield 0
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return


@lru_cache(maxsize=64)
def _root(folder: str, changes: tuple[int, ...]) -> Path:
    """Return the project of a folder, read anew when a sign of one has changed."""
    here = Path(folder)
    try:
        own = settings_file(here)
    except OSError:
        own = None  # whoever reads the settings complains
    if own is not None:
        return own.parent
    places = (here, *here.parents)
    return next((p for p in places if any(os.path.exists(p / sign) for sign in SIGNS)), here)


def in_project(path: Path) -> str:
    """Return `path` as POSIX text relative to the project, or absolute if it lies elsewhere."""
    return _relative(path, project_root())


def from_here(path: Path) -> str:
    """Return `path` as POSIX text relative to the working directory where it lies below that."""
    return _relative(path, Path.cwd())


def real(path: Path) -> Path:
    """Return the absolute path without links, as far as they lead: two may lead to each other."""
    return Path(os.path.realpath(path))


def _relative(path: Path, folder: Path) -> str:
    absolute = real(path)
    inside = absolute.is_relative_to(folder)
    text = (absolute.relative_to(folder) if inside else absolute).as_posix()
    # Names of files may hold what no encoding has.
    return text.encode("utf-8", "backslashreplace").decode()


def named(text: str) -> Path:
    """Return the path that a text means: seen from here, else from the project.

    So an id from a report works in every folder of the project.
    """
    path = Path(text)
    if os.path.exists(path) or path.is_absolute():  # pathlib raises where a folder is closed
        return path
    there = project_root() / path
    return Path(os.path.relpath(there)) if os.path.exists(there) else path


def selector_in_project(text: str) -> str:
    """Return a selector, such as "rules/conv.py::merge", with its path seen from the project."""
    path, name = parted(text)
    return f"{in_project(named(path))}::{name}" if name else in_project(named(path))


def parted(text: str) -> tuple[str, str]:
    """Return file and name of an id or a selector; the name is empty where there is only a path.

    Names of folders may have `::` in them.
    """
    path, separator, name = text.rpartition("::")
    is_path = not separator or "/" in name or name.endswith(".py") or os.path.exists(text)
    return (text, "") if is_path else (path, name)
