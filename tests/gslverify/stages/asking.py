"""Puts one rule before one stage."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from gsl import Subst, rule
from gslverify.finding import Finding, StageResult
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


def only(result: StageResult) -> Finding:
    """Return the only finding."""
    (finding,) = result.findings
    return finding


def line_of(write: Write, text: str) -> int:
    """Return the number of the line of a rule that contains `text`."""
    lines, start = inspect.getsourcelines(write)
    (offset,) = [number for number, line in enumerate(lines) if text in line]
    return start + offset
