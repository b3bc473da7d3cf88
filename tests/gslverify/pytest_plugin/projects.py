"""Miniature projects in whose runs pytest has no plugins but ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gslverify.rule_files import HEAD, rule_text

INI = """\
[pytest]
addopts = -p gslverify.pytest_plugin -p no:cacheprovider
gsl_stages = static,satisfiable,shape,numeric
"""
"""Four stages for each rule."""

WRONG = "Subst(op.Relu(op.Relu(x)), op.Relu(pat.Wildcard()))"

STATIC = ("--gsl", "-m", "gsl_static")
"""Arguments for a run of the stage that is done at once."""


def write_mixed(folder: Path, file: str = "rules.py") -> None:
    """Write a file with a sound rule, a wrong one and another sound one."""
    text = HEAD + rule_text("one") + rule_text("wrong", result=WRONG) + rule_text("two")
    (folder / file).write_text(text, "utf-8")


def ids_of(result: pytest.RunResult) -> list[str]:
    """Return the ids of items that a verbose or quiet run printed."""
    return [line.split()[0] for line in result.outlines if "::" in line.split(" ")[0]]
