"""Find rules: paths and ``path::rule`` selectors to rules."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Self

from gsl.errors import did_you_mean
from gsl.rule_files.collect import files_of_rules
from gslverify.codes.corpus import NO_RULES, PATH_MISSING, RULE_MISSING
from gslverify.codes.expectation import TWIN_UNKNOWN
from gslverify.corpus.declaration import Collected, CollectedRule, Unusable
from gslverify.corpus.guarded import Files, Write
from gslverify.corpus.twins import Named, twins_missing
from gslverify.finding import Code, Finding
from gslverify.project import named, parted
from gslverify.settings import Settings

Wanted = Callable[[CollectedRule], bool]

ANY_FILE = ("*.py",)


def collect(
    selectors: Sequence[str],
    seconds: float = Settings().load_timeout,
    patterns: Sequence[str] = ANY_FILE,
    write: Write | None = None,
    wanted: Wanted = lambda item: True,
    at_once: int = 1,
) -> list[Collected]:
    """Return the rules of files, folders and ``file::rule`` selectors, in the order of the source.

    Nothing is raised: what cannot be found or imported is Unusable and says why. Every file is
    imported by a child process of its own, some of them `at_once`, and nothing of it comes back but
    data; one that ends its process, or takes longer than `seconds`, is Unusable, too. Of folders
    those files are taken whose names fit one of `patterns`. With `write`, selected rules that are
    `wanted` are written down there, too; those that cannot be are Unusable.
    """
    with Collection(selectors, seconds, patterns, write, wanted, at_once) as found:
        return found.all()


class Collection:
    """What `collect` returns, of which those files can be had first that do not take long.

    A context manager that ends the processes that import files.
    """

    def __init__(
        self,
        selectors: Sequence[str],
        seconds: float,
        patterns: Sequence[str],
        write: Write | None,
        wanted: Wanted,
        at_once: int,
    ) -> None:
        self._selections = [_Selection.of(selector, patterns) for selector in selectors]
        paths = dict.fromkeys(file for one in self._selections for file in one.files)

        def asked(item: CollectedRule) -> bool:
            return self._means(item) and wanted(item)

        self._files = Files(paths, seconds, write, asked, at_once)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._files.__exit__(*error)

    def _means(self, item: Collected) -> bool:
        return any(item.path in one.files and one.means(item.rule_id) for one in self._selections)

    def soon(self, patience: float) -> list[Collected] | None:
        """Return the rules of files that are through, once no other has been for some seconds.

        None where all files are.
        """
        self._files.follow(patience)
        if not self._files.left:
            return None
        return [item for few in self._files.rules.values() for item in few if self._means(item)]

    def all(self) -> list[Collected]:
        """Return everything that is selected, when all files are through."""
        self._files.follow()
        found: dict[str, Collected] = {}
        for selection in self._selections:
            for item in selection.items(self._files.rules):
                found.setdefault(item.rule_id, item)
        folders = [one.path for one in self._selections if os.path.isdir(one.path)]
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
        path_text, name = parted(selector)
        path = named(path_text)
        files = files_of_rules(path) if os.path.exists(path) else []
        if os.path.isdir(path):
            files = [file for file in files if any(fnmatch(file.name, p) for p in patterns)]
        broken = tuple(file for file in files if not os.path.exists(file))
        return cls(selector, path, name, tuple(f for f in files if f not in broken), broken)

    def means(self, rule_id: str) -> bool:
        """Tell whether a rule of the files is selected."""
        return not self.name or rule_id.endswith(f"::{self.name}")

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
