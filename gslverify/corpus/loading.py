"""Import a rule file in this process, which is one of its own: rules, or why there are none."""

from __future__ import annotations

import sys
import tokenize
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path

from gsl.errors import RuleError, described
from gsl.rule_files.collect import MODULE_PREFIX, rules_in
from gsl.span import Span
from gsl.subst import Rule
from gslverify.codes.corpus import DUPLICATE_NAME, FILE_DOES_NOT_IMPORT
from gslverify.corpus.containment import contained
from gslverify.corpus.declaration import Loaded, LoadedRule, Unusable, loaded_rule
from gslverify.finding import CODES, Finding
from gslverify.project import in_project, real


def load(path: Path) -> list[Loaded]:
    """Import one file and return the rules written in it, in their order."""
    try:
        with contained():
            rules = rules_in(path)
        return _unique(path, rules)
    except (Exception, SystemExit) as error:
        return [Unusable(in_project(path), path, _import_finding(real(path), error))]


def imported_files(names: Iterable[str] | None = None) -> Iterator[Path]:
    """Yield the files of modules that were imported by name, and not as files of rules.

    Of all modules, unless some are named.
    """
    for name in list(sys.modules) if names is None else names:
        file = getattr(sys.modules[name], "__file__", None)
        if isinstance(file, str) and not name.startswith(MODULE_PREFIX):
            yield real(Path(file))


def _unique(path: Path, rules: Iterable[Rule]) -> list[Loaded]:
    found: dict[str, Loaded] = {}
    for rule in rules:
        rule_id = f"{in_project(path)}::{rule.name}"
        first = found.get(rule_id)
        if first is None:
            found[rule_id] = loaded_rule(rule_id, path, rule)
        elif isinstance(first, LoadedRule):
            found[rule_id] = Unusable(rule_id, path, _duplicate_finding(first.rule, rule))
    return list(found.values())


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
