"""Twins of rules: do rules with their names exist?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from gsl.errors import did_you_mean
from gsl.span import require_source


class Named(NamedTuple):
    """A rule, where it is, and the name of its twin, if it has one."""

    rule_id: str
    path: Path
    twin: str


def twins_missing(rules: Sequence[Named], folders: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Yield the ids of rules whose twins are nowhere, each with a hint.

    Twins are looked for among the rules, and in the files of folders beside those that were asked
    for, such as those of broken rules beside those of sound ones. A rule that is in none of the
    folders was asked for by itself; its twin may be anywhere.
    """
    names = {rule.rule_id.rpartition("::")[2] for rule in rules}
    beside = _Beside(folders)
    for rule in rules:
        inside = any(rule.path.is_relative_to(folder) for folder in folders)
        if inside and rule.twin and rule.twin not in names and rule.twin not in beside.names:
            yield rule.rule_id, did_you_mean(rule.twin, names) or "correct `twin`, or remove it"


class _Beside:
    """The functions in files of folders beside some, which are read when they are asked for."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders

    @cached_property
    def names(self) -> frozenset[str]:
        files = {
            file
            for folder in self._folders
            for file in folder.absolute().parent.glob("*/*.py")
            if file.is_file()
        }
        return frozenset(name for file in files for name in _functions(file))


def _functions(file: Path) -> list[str]:
    try:
        require_source(file)
        text = file.read_text("utf-8", "replace")
    except OSError:
        return []
    return re.findall(r"^def (\w+)\(", text, re.MULTILINE)
