"""Puts one rule before one stage."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from gsl import Subst, rule
from gslverify.finding import Finding, StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stage import Question, Stage

Write = Callable[[], Subst]


def question(write: Write, **settings: Any) -> Question:
    """Return the question about a rule, by default without TVM."""
    written = rule()(write)
    return Question(f"tests::{written.name}", written, Settings(**{"use_tvm": False, **settings}))


def ask(stage: Stage, write: Write, **settings: Any) -> StageResult:
    """Return what a stage says about a rule."""
    return stage.run(question(write, **settings))


def is_refuted(write: Write, *stages: Stage, **settings: Any) -> bool:
    """Tell whether one of the stages refutes a rule; no counterexample is made simpler.

    As in a run, later stages know what earlier ones have found, and none follows a refutation.
    """
    asked = question(write, **{"explained": False, **settings})
    return any(stage.run(asked).verdict is Verdict.FAIL for stage in stages)


def only(result: StageResult) -> Finding:
    """Return the only finding."""
    (finding,) = result.findings
    return finding


def line_of(write: Write, text: str) -> int:
    """Return the number of the line of a rule that contains `text`."""
    lines, start = inspect.getsourcelines(write)
    (offset,) = [number for number, line in enumerate(lines) if text in line]
    return start + offset
