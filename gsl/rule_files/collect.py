"""Files of rules: import them and collect what `@rule` declared."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from importlib.machinery import SOURCE_SUFFIXES, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import TypeVar

from gsl.errors import RuleFileError, described, did_you_mean
from gsl.rule_collector import collecting
from gsl.rule_files.guard import followed
from gsl.rule_files.memory import bound_memory
from gsl.subst import Rule, Subst

LOAD_SECONDS = 30.0
"""What the import of a file, or the function of a rule, is given by default."""

MODULE_PREFIX = "gsl_file_"
"""How the names of modules begin that were imported as files of rules."""

Result = TypeVar("Result")


def complaint(selector: str, seconds: float = LOAD_SECONDS) -> str:
    """Return why the rules that a selector names cannot be used, or the empty string.

    A process of its own finds out, so it does no harm if one of them ends it. Every file, and every
    rule, is given so many seconds.
    """

    def steps() -> Iterator[str]:
        bound_memory()
        try:
            yield from _writing((yield from _loading(selector)))
        except RuleFileError as error:
            yield f"{FINAL}{error}"
        else:
            yield FINAL

    found = followed(steps, seconds, silent=False)
    last = found.values[-1] if found.values else f"`{selector}` cannot be used"
    if last.startswith(FINAL):
        return last.removeprefix(FINAL)
    return f"{last}: it {found.loss.how}" if found.loss is not None else last


FINAL = "\0"
"""How the last word begins of a process that has come to the end."""


def load_rules(selector: str) -> list[Rule]:
    """Return the rules of a file, of a folder, or the one rule that ``file::name`` selects.

    Files come in the order of their names, rules in that of the file. Rules that are wrong on
    purpose (``expect=...``) are left out unless selected by name. Raises RuleFileError when there
    are none, naming the file that cannot be imported and why. Files are imported by this process,
    and may do to it what they like; see `complaint`.
    """
    return _returned(_loading(selector))


def written(rules: Sequence[Rule]) -> dict[Subst, str]:
    """Return the substitutions that rules write down, with their names, in order.

    Raises RuleFileError naming the rule that cannot be written down.
    """
    return _returned(_writing(rules))


def _returned(steps: Generator[str, None, Result]) -> Result:
    """Take all steps; return what they come to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


def _loading(selector: str) -> Generator[str, None, list[Rule]]:
    """Load rules; yield, before a file is imported, what is to be said if it cannot be."""
    text, name = parted(selector)
    path = Path(text)
    if not os.path.exists(path):
        siblings = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = did_you_mean(path.name, siblings)
        raise RuleFileError(f"there is no file or folder `{text}`" + (f"; {hint}" if hint else ""))
    rules: list[Rule] = []
    for file in files_of_rules(path):
        yield (failure := f"`{file}` cannot be imported")
        rules += _told(partial(rules_in, file), failure)
    chosen = [rule for rule in rules if (rule.name == name if name else not rule.expect)]
    if not chosen:
        known = [rule.name for rule in rules]
        what = f"is no rule `{name}`" if name else "are no rules to apply"
        hint = did_you_mean(name, known) or "a rule is a function under @rule"
        raise RuleFileError(f"there {what} in `{text}`; {hint}")
    return chosen


def _writing(rules: Sequence[Rule]) -> Generator[str, None, dict[Subst, str]]:
    """Write rules down; yield, before each, what is to be said if it cannot be."""
    found: dict[Subst, str] = {}
    for one in rules:
        yield (failure := f"rule `{one.name}` of `{one.span.file}` cannot be written down")
        found[_told(one, failure)] = one.name
    return found


def parted(selector: str) -> tuple[str, str]:
    """Return path and name of ``file::name``; the name is empty where a whole path is meant.

    Paths may have `::` in them, as the folders of some build systems do.
    """
    if os.path.exists(selector):
        return selector, ""
    path, separator, name = selector.rpartition("::")
    return (path, name) if separator else (selector, "")


def _told(action: Callable[[], Result], failure: str) -> Result:
    """Return what `action` returns; raise RuleFileError with the failure if it raises."""
    try:
        return action()
    except (Exception, SystemExit) as error:
        raise RuleFileError(f"{failure}: {' '.join(described(error).split())}") from error


def files_of_rules(path: Path) -> list[Path]:
    """Return the file itself or the Python files below a folder, but no hidden ones, sorted."""
    if path.is_file():
        return [path]
    return [
        file
        for file in sorted(path.rglob("*.py"))
        if not any(part.startswith((".", "__")) for part in file.relative_to(path).parts)
        and not file.is_dir()
    ]


def rules_in(path: Path) -> list[Rule]:
    """Import a file and return the rules written in it, in their order; raises what it raises."""
    file = path.resolve()
    with collecting() as rules:
        import_file(file)
    own = [rule for rule in rules if Path(rule.span.file) == file]
    return sorted(own, key=lambda rule: rule.span.line)


class _CompilingLoader(SourceFileLoader):
    """Compiles what a file says now.

    Python tells bytecode from that of an earlier text by its size and the second of its change, so
    a rule that was edited at once would be taken as it was before.
    """

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def import_file(file: Path) -> ModuleType:
    """Return the module of a Python file outside any package; what it raises passes through.

    Modules beside the file can be imported by it.
    """
    # A name of its own for every path: the module stays registered while its rules live.
    digest = hashlib.sha256(os.fsencode(file)).hexdigest()[:8]
    name = f"{MODULE_PREFIX}{file.stem}_{digest}"
    loader = _CompilingLoader(name, str(file))
    spec = importlib.util.spec_from_file_location(name, file, loader=loader)
    if spec is None or file.suffix not in SOURCE_SUFFIXES:
        raise ImportError("it is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(file.parent))
    try:
        loader.exec_module(module)
    finally:
        if str(file.parent) in sys.path:
            sys.path.remove(str(file.parent))
    return module
