"""Find rules: paths and ``path::rule`` selectors to rules."""

from __future__ import annotations

import os
import tokenize
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

from gsl.errors import RuleError, described, did_you_mean
from gsl.rule_files.collect import files_of_rules, rules_in
from gsl.rule_files.guard import Loss, losses
from gsl.span import Span
from gsl.subst import Rule
from gslverify.codes.corpus import (
    DUPLICATE_NAME,
    FILE_DOES_NOT_IMPORT,
    NO_RULES,
    PATH_MISSING,
    RULE_MISSING,
    RULE_RAISES,
)
from gslverify.codes.expectation import TWIN_UNKNOWN
from gslverify.corpus.containment import contained
from gslverify.corpus.twins import Named, twins_missing
from gslverify.finding import CODES, Code, Finding
from gslverify.project import in_project, named
from gslverify.settings import Settings


@dataclass(frozen=True, slots=True)
class CollectedRule:
    """A rule and its id, ``path/to/file.py::name`` relative to the project."""

    rule_id: str
    path: Path
    rule: Rule
    warnings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Unusable:
    """Something that was asked for and gives no rule: a path, a file, a name used twice."""

    rule_id: str
    path: Path
    finding: Finding


Collected = CollectedRule | Unusable

ANY_FILE = ("*.py",)


def collect(
    selectors: Sequence[str],
    seconds: float = Settings().load_timeout,
    patterns: Sequence[str] = ANY_FILE,
) -> list[Collected]:
    """Return the rules of files, folders and ``file::rule`` selectors, in the order of the source.

    Nothing is raised: what cannot be found or imported is Unusable and says why. Files are imported
    by a child process first; one that ends it, or takes longer than `seconds`, is Unusable, too. Of
    folders those files are taken whose names fit one of `patterns`.
    """
    selections = [_Selection.of(selector, patterns) for selector in selectors]
    files = dict.fromkeys(file for selection in selections for file in selection.files)
    loaded = dict(zip(files, load_guarded(list(files), seconds), strict=True))
    found: dict[str, Collected] = {}
    for selection in selections:
        for item in selection.items(loaded):
            found.setdefault(item.rule_id, item)
    folders = [selection.path for selection in selections if os.path.isdir(selection.path)]
    missing = dict(twins_missing(_twins(found.values()), folders))
    return [_with_warning(item, missing.get(item.rule_id)) for item in found.values()]


def _twins(items: Iterable[Collected]) -> list[Named]:
    return [
        Named(i.rule_id, i.path, i.rule.twin if isinstance(i, CollectedRule) else "") for i in items
    ]


def _with_warning(item: Collected, hint: str | None) -> Collected:
    """Warn of a twin that no rule is, and of which there is a hint for that reason."""
    if hint is None or not isinstance(item, CollectedRule):
        return item
    message = f"no rule is called `{item.rule.twin}`, the twin of this one"
    return replace(item, warnings=(Finding(TWIN_UNKNOWN, message, item.rule.span, hint),))


@dataclass(frozen=True, slots=True)
class _Selection:
    """A selector taken apart: the files in which its rules are, and links that lead to none."""

    text: str
    path: Path
    name: str
    files: tuple[Path, ...]
    broken: tuple[Path, ...]

    @classmethod
    def of(cls, selector: str, patterns: Sequence[str] = ANY_FILE) -> _Selection:
        """Take a selector apart."""
        path_text, _, name = selector.partition("::")
        path = named(path_text)
        files = files_of_rules(path) if os.path.exists(path) else []
        if os.path.isdir(path):
            files = [file for file in files if any(fnmatch(file.name, p) for p in patterns)]
        broken = tuple(file for file in files if not os.path.exists(file))
        return cls(selector, path, name, tuple(f for f in files if f not in broken), broken)

    def items(self, loaded: Mapping[Path, list[Collected]]) -> list[Collected]:
        """Return what is selected, given the contents of the files."""
        if not os.path.exists(self.path):
            return [_missing(self.text, self.path)]
        unseen = [*_closed_folders(self.path), *(_missing(str(f), f) for f in self.broken)]
        items = [*unseen, *(item for file in self.files for item in loaded[file])]
        if not items:
            cure = "write a function under @rule, or name another path"
            message = f"there are no rules in `{self.path}`"
            return [_unusable(self.text, self.path, NO_RULES, message, cure)]
        return _named(items, self.name, self.text, self.path) if self.name else items


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


def _closed_folders(path: Path) -> Iterator[Unusable]:
    """Yield the folders in and below `path` that cannot be read: rules in them are not seen."""
    errors: list[OSError] = []
    for _, folders, _ in os.walk(path, onerror=errors.append) if os.path.isdir(path) else ():
        folders[:] = [name for name in folders if not name.startswith((".", "__"))]
    for error in errors:
        message = f"the folder `{error.filename}` cannot be read: {error.strerror}"
        cure = "check its permissions"
        yield _unusable(str(error.filename), Path(error.filename), PATH_MISSING, message, cure)


def _missing(selector: str, path: Path) -> Unusable:
    if os.path.islink(path):
        message = f"`{path}` is a link that leads to no file"
        return _unusable(selector, path, PATH_MISSING, message, "mend the link, or remove it")
    siblings: list[str] = []
    with suppress(OSError):
        siblings = os.listdir(path.parent)
    cure = did_you_mean(path.name, siblings) or "give a path relative to the working directory"
    message = f"there is no file or folder `{path}`"
    return _unusable(selector, path, PATH_MISSING, message, cure)


def _unusable(selector: str, path: Path, code: Code, message: str, cure: str) -> Unusable:
    return Unusable(selector, path, Finding(code, message, None, cure))


def load(path: Path) -> list[Collected]:
    """Import one file and return the rules written in it, in their order."""
    try:
        return _unique(path, _imported(path))
    except (Exception, SystemExit) as error:
        return [Unusable(in_project(path), path, _import_finding(path.resolve(), error))]


def _imported(path: Path) -> list[Rule]:
    with contained():
        return rules_in(path)


def load_guarded(files: Sequence[Path], seconds: float) -> list[list[Collected]]:
    """Load files that do no harm when they are imported; the others are Unusable."""
    lost = losses([partial(_imported, file) for file in files], seconds)
    return [
        [_lost_file(file, lost[number])] if number in lost else load(file)
        for number, file in enumerate(files)
    ]


def _lost_file(path: Path, loss: Loss) -> Unusable:
    file = str(path.resolve())
    message = f"the file cannot be imported: it {loss.how}"
    cure = LONGER if loss.timed_out else "do not run anything at import that ends the process"
    span = Span(file, loss.line_in(file) or 1)
    return Unusable(in_project(path), path, Finding(FILE_DOES_NOT_IMPORT, message, span, cure))


def writable(items: Sequence[Collected], seconds: float) -> list[Collected]:
    """Replace rules whose functions end the process, or take longer than `seconds`, by Unusable.

    The functions are run in a child process; no rule is written down in this one.
    """
    numbers = [n for n, item in enumerate(items) if isinstance(item, CollectedRule)]
    rules = [item.rule for item in items if isinstance(item, CollectedRule)]
    checked = list(items)
    for number, loss in losses(rules, seconds).items():
        checked[numbers[number]] = _lost_rule(items[numbers[number]], rules[number], loss)
    return checked


def _lost_rule(item: Collected, rule: Rule, loss: Loss) -> Unusable:
    line = loss.line_in(rule.span.file)
    span = Span(rule.span.file, line) if line else rule.span
    cure = LONGER if loss.timed_out else "let the function return a Subst and nothing else"
    return Unusable(
        item.rule_id, item.path, Finding(RULE_RAISES, f"the rule {loss.how}", span, cure)
    )


LONGER = "look for a loop without end, or give it more time by --load-timeout SECONDS"


def _unique(path: Path, rules: Iterable[Rule]) -> list[Collected]:
    collected: dict[str, Collected] = {}
    for rule in rules:
        rule_id = f"{in_project(path)}::{rule.name}"
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
    if isinstance(error, RuleError):
        return Finding(CODES[error.code], error.message, error.span, error.cure)
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if Path(frame.filename) == path]
    line = inside[-1].lineno if inside else getattr(error, "lineno", None)
    message = f"the file cannot be imported: {described(error)}"
    cure = _file_cure(path) or "run the file with python to see the whole error"
    return Finding(FILE_DOES_NOT_IMPORT, message, Span(str(path), line or 1), cure)


def _file_cure(path: Path) -> str:
    """Return what to do about a file that cannot be read as text, else the empty string."""
    try:
        with tokenize.open(path) as file:
            text = file.read()
    except OSError as error:
        return f"check the permissions of the file ({error.strerror})"
    except (SyntaxError, UnicodeDecodeError):
        return "save it as UTF-8, or name its encoding: `# -*- coding: latin-1 -*-` in line 1"
    return "it is not a Python file; name another one" if "\0" in text else ""
