"""What the result of a stage depends on, as one hash.

The meaning of the rule, the stage and its settings, the seed, the versions of the tools and the
machine, the source of gsl and gslverify, and that of operators declared elsewhere. Names, comments
and formatting of a rule are not among it.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import gsl
import gslverify
from gsl.operators.declaration import REGISTRY, Operator
from gslverify.corpus.declaration import Declaration
from gslverify.settings import Settings
from gslverify.versions import tool_versions

TARGET = "llvm"
"""What the numeric stage compiles for."""

NAMES = frozenset(
    [
        "name",
        "equation",
        "reason",
        "span",
        "tags",
        "origin",
        "expect",
        "expect_reason",
        "twin",
        "has_examples",
        "code",
        "extent",
    ]
)
"""What a rule is called and where it is; no stage whose results are kept looks at it."""

ELSEWHERE = """
    changed_since
    rules files tags profile stages keep_going library max_failures jobs load_timeout stage_timeout
    stage_timeouts budget rule_budget shrink_budget select ignore per_rule_ignores fail_on exit_zero
    baseline strict_baseline allow_inconclusive cache cache_folder failures_folder shard executor
    hints docs_url explained
"""
"""Settings that decide what is run and told, not what a stage finds out that comes to its end."""

OF_EXAMPLES = ("max_examples", "min_examples", "draws", "flags", "use_tvm")
"""Settings that only matter where graphs are run."""

SOLVED = ("satisfiable", "shape", "prove")
"""Stages that run no graphs."""


class UncacheableError(Exception):
    """A rule depends on code whose source is not known."""


def stage_key(
    rule: Declaration, rule_hash: str, declared: Iterable[str], stage: str, settings: Settings
) -> str:
    """Return the key of the result of a stage, given what `declared_operators` yields."""
    parts = {
        "rule": rule_hash,
        "own": {f.name: repr(getattr(rule, f.name)) for f in fields(rule) if f.name not in NAMES},
        "operators": sorted(declared),
        "stage": stage,
        "settings": dict(_settings(stage, settings)),
        "tools": installed_tools(),
        "source": package_digest(),
        "target": [TARGET, platform.machine(), platform.system(), sys.version],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _settings(stage: str, settings: Settings) -> Iterator[tuple[str, str]]:
    left_out = {*ELSEWHERE.split(), *(OF_EXAMPLES if stage in SOLVED else ())}
    if stage != "prove":
        left_out.add("certificates")
    for field in fields(settings):
        if field.name not in left_out:
            yield field.name, repr(getattr(settings, field.name))


@lru_cache(maxsize=1)
def installed_tools() -> tuple[tuple[str, str], ...]:
    """Return the versions of all tools; looking them up takes longer than all else here."""
    return tuple(sorted(tool_versions().items()))


@lru_cache(maxsize=1)
def package_digest() -> str:
    """Return a hash of the source of both packages: the declarations, the engine, the stages."""
    digest = hashlib.sha256()
    for package in (gsl, gslverify):
        root = Path(str(package.__file__)).parent
        for path in sorted(root.rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def declared_operators(names: Iterable[str]) -> Iterator[str]:
    """Yield a hash for every operator that is not declared by gsl, where its file is imported.

    Raises UncacheableError for one whose source is not known.
    """
    for name in names:
        declared = REGISTRY.get(name)
        if declared is not None and not declared.rule.__module__.startswith("gsl.operators."):
            yield f"{name} {_declaration_digest(declared)}"


def _declaration_digest(declared: Operator) -> str:
    """Hash the files that declare an operator, and loaded modules beside them, which may help."""
    files: set[Path] = set()
    for function in (
        declared.rule,
        declared.reference,
        declared.lowering,
        declared.undefined,
        declared.meaning,
    ):
        if function is not None:
            files |= {_file_of(declared, function)}
    folders = {file.parent for file in files}
    files |= {path for path in _loaded_files() if any(f in path.parents for f in folders)}
    digest = hashlib.sha256()
    for path in sorted(files):
        try:
            digest.update(path.as_posix().encode() + path.read_bytes())
        except OSError as error:
            raise UncacheableError(f"{path}: {error.strerror}") from error
    return digest.hexdigest()


def _file_of(declared: Operator, function: Any) -> Path:
    code = getattr(function, "__code__", None)
    path = Path(code.co_filename) if code is not None else None
    if path is None or not path.is_file():
        raise UncacheableError(f"operator {declared} has code whose source is not in a file")
    return path.resolve()


def _loaded_files() -> Iterator[Path]:
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py"):
            yield Path(file)
