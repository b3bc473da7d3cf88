"""Find rules: paths and ``path::rule`` selectors to rules, without running anything else."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gsl.errors import did_you_mean
from gsl.rule_files import files_of_rules, rules_in
from gsl.span import Span
from gsl.subst import Rule
from gslverify.codes.corpus import (
    DUPLICATE_NAME,
    FILE_DOES_NOT_IMPORT,
    NO_RULES,
    PATH_MISSING,
    RULE_MISSING,
)
from gslverify.finding import Code, Finding


@dataclass(frozen=True, slots=True)
class CollectedRule:
    """A rule and its id, ``path/to/file.py::name`` relative to the working directory."""

    rule_id: str
    path: Path
    rule: Rule


@dataclass(frozen=True, slots=True)
class Unusable:
    """Something that was asked for and gives no rule: a path, a file, a name used twice."""

    rule_id: str
    path: Path
    finding: Finding


Collected = CollectedRule | Unusable


def collect(selectors: Sequence[str]) -> list[Collected]:
    """Return the rules of files, folders and ``file::rule`` selectors, in the order of the source.

    Nothing is raised: what cannot be found or imported is Unusable and says why.
    """
    found: dict[str, Collected] = {}
    for selector in selectors:
        for item in _selected(selector):
            found.setdefault(item.rule_id, item)
    return list(found.values())


def _selected(selector: str) -> list[Collected]:
    path_text, separator, name = selector.partition("::")
    path = Path(path_text)
    if not path.exists():
        return [_missing(selector, path)]
    items = [item for file in files_of_rules(path) for item in load(file)]
    if not items:
        cure = "write a function under @rule, or name another path"
        return [_unusable(selector, path, NO_RULES, f"there are no rules in `{path}`", cure)]
    return _named(items, name, selector, path) if separator else items


def _named(items: list[Collected], name: str, selector: str, path: Path) -> list[Collected]:
    chosen = [item for item in items if item.rule_id.endswith(f"::{name}")]
    if chosen:
        return chosen
    not_imported = [item for item in items if "::" not in item.rule_id]
    if not_imported:
        return not_imported
    known = [item.rule_id.rpartition("::")[2] for item in items]
    cure = did_you_mean(name, known) or f"see `gslverify list {path}`"
    return [_unusable(selector, path, RULE_MISSING, f"there is no rule `{name}` in `{path}`", cure)]


def _missing(selector: str, path: Path) -> Unusable:
    folder = path.parent
    siblings = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    cure = did_you_mean(path.name, siblings) or "give a path relative to the working directory"
    message = f"there is no file or folder `{path}`"
    return _unusable(selector, path, PATH_MISSING, message, cure)


def _unusable(selector: str, path: Path, code: Code, message: str, cure: str) -> Unusable:
    return Unusable(selector, path, Finding(code, message, None, cure))


def relative(path: Path) -> str:
    """Return `path` as POSIX text, relative to the working directory where possible."""
    absolute = path.resolve()
    here = Path.cwd()
    if absolute.is_relative_to(here):
        return absolute.relative_to(here).as_posix()
    return absolute.as_posix()


def load(path: Path) -> list[Collected]:
    """Import one file and return the rules written in it, in their order."""
    try:
        return _unique(path, rules_in(path))
    except (Exception, SystemExit) as error:
        return [Unusable(relative(path), path, _import_finding(path.resolve(), error))]


def _unique(path: Path, rules: Iterable[Rule]) -> list[Collected]:
    collected: dict[str, Collected] = {}
    for rule in rules:
        rule_id = f"{relative(path)}::{rule.name}"
        first = collected.get(rule_id)
        if first is None:
            collected[rule_id] = CollectedRule(rule_id, path, rule)
        elif isinstance(first, CollectedRule):
            collected[rule_id] = Unusable(rule_id, path, _duplicate_finding(first.rule, rule))
    return list(collected.values())


def _duplicate_finding(first: Rule, second: Rule) -> Finding:
    message = f"the name `{second.name}` is used twice, first in line {first.span.line}"
    return Finding(DUPLICATE_NAME, message, second.span, "give each rule a name of its own")


def _import_finding(path: Path, error: BaseException) -> Finding:
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if Path(frame.filename) == path]
    line = inside[-1].lineno if inside else getattr(error, "lineno", None)
    message = f"the file cannot be imported: {type(error).__name__}: {error}"
    cure = "run the file with python to see the whole error"
    return Finding(FILE_DOES_NOT_IMPORT, message, Span(str(path), line or 1), cure)
