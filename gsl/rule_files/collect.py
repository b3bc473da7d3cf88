"""Files of rules: import them and collect what `@rule` declared."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from gsl.errors import RuleFileError, described, did_you_mean
from gsl.rule_files.guard import losses
from gsl.subst import Rule, Subst, collecting

LOAD_SECONDS = 30.0
"""What the import of a file, or the function of a rule, is given by default."""

MODULE_PREFIX = "gsl_file_"
"""How the names of modules begin that were imported as files of rules."""

Result = TypeVar("Result")


def load_rules(selector: str, seconds: float = LOAD_SECONDS) -> list[Rule]:
    """Return the rules of a file, of a folder, or the one rule that ``file::name`` selects.

    Files come in the order of their names, rules in that of the file. Rules that are wrong on
    purpose (``expect=...``) are left out unless selected by name. Raises RuleFileError when there
    are none, naming the file that cannot be imported and why. Files are imported by a child process
    first, so one that ends its process or takes longer than `seconds` does no harm.
    """
    text, _, name = selector.partition("::")
    path = Path(text)
    if not os.path.exists(path):
        siblings = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = did_you_mean(path.name, siblings)
        raise RuleFileError(f"there is no file or folder `{text}`" + (f"; {hint}" if hint else ""))
    files = files_of_rules(path)
    imported = [f"`{file}` cannot be imported" for file in files]
    actions = [partial(rules_in, file) for file in files]
    rules = [rule for found in _guarded(actions, imported, seconds) for rule in found]
    chosen = [rule for rule in rules if (rule.name == name if name else not rule.expect)]
    if not chosen:
        known = [rule.name for rule in rules]
        what = f"is no rule `{name}`" if name else "are no rules to apply"
        hint = did_you_mean(name, known) or "a rule is a function under @rule"
        raise RuleFileError(f"there {what} in `{text}`; {hint}")
    return chosen


def written(rules: Sequence[Rule], seconds: float = LOAD_SECONDS) -> dict[Subst, str]:
    """Return the substitutions that rules write down, with their names, in order.

    Raises RuleFileError naming the rule that cannot be written down. The functions are run by a
    child process first, see `load_rules`.
    """
    wanted = [f"rule `{one.name}` of `{one.span.file}` cannot be written down" for one in rules]
    substs = _guarded(rules, wanted, seconds)
    return {subst: rule.name for subst, rule in zip(substs, rules, strict=True)}


def _guarded(
    actions: Sequence[Callable[[], Result]], failures: Sequence[str], seconds: float
) -> Iterable[Result]:
    """Yield what `actions` return; raise RuleFileError with the failure of one that does not."""
    for number, loss in losses(actions, seconds).items():
        raise RuleFileError(f"{failures[number]}: it {loss.how}")
    for action, failure in zip(actions, failures, strict=True):
        try:
            yield action()
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
    ]


def rules_in(path: Path) -> list[Rule]:
    """Import a file and return the rules written in it, in their order; raises what it raises."""
    file = path.resolve()
    with collecting() as rules:
        import_file(file)
    own = [rule for rule in rules if Path(rule.span.file) == file]
    return sorted(own, key=lambda rule: rule.span.line)


def import_file(file: Path) -> ModuleType:
    """Return the module of a Python file outside any package; what it raises passes through.

    Modules beside the file can be imported by it.
    """
    # A name of its own for every path: the module stays registered while its rules live.
    digest = hashlib.sha256(os.fsencode(file)).hexdigest()[:8]
    name = f"{MODULE_PREFIX}{file.stem}_{digest}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError("it is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        if str(file.parent) in sys.path:
            sys.path.remove(str(file.parent))
    return module
