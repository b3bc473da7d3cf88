"""The registry of stages: names and where to load them from, so that a name costs no import."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from gslverify.finding import StageResult
from gslverify.settings import Settings
from gslverify.stage import Question, Stage

Wave = Mapping[str, str]
"""Stages by name, each as "module:OBJECT"; a rule goes through them in this order."""

WAVES: tuple[Wave, ...] = (
    {"static": "gslverify.stages.static:STATIC"},
    {
        "satisfiable": "gslverify.stages.satisfiable:SATISFIABLE",
        "shape": "gslverify.stages.shape:SHAPE",
        "prove": "gslverify.stages.prove:PROVE",
    },
    {"numeric": "gslverify.stages.numeric:NUMERIC"},
    {"gradient": "gslverify.stages.gradient:GRADIENT"},
    {"preconditions": "gslverify.preconditions.judge:PRECONDITIONS"},
)
"""All rules go through one wave before the first goes through the next, the cheapest first."""


PINNED: Wave = {"pinned": "gslverify.stages.pinned:PINNED"}
"""What rules with pinned counterexamples go through before all other stages but the first."""


EXAMPLES: Wave = {"examples": "gslverify.stages.examples:EXAMPLES"}
"""What rules whose authors name graphs go through next."""


ALWAYS_RUN = frozenset({*WAVES[0], *PINNED, *EXAMPLES})
"""Stages that run every time: they are cheap, or ask what is written outside of the rule."""

Hints = Callable[[Question, StageResult, Callable[[StageResult], None]], StageResult]

HINTS = "gslverify.preconditions.hints:with_hints"
VALUES = "gslverify.stages.values_first:with_values"
ON_EMPTY_TENSORS = "gslverify.stages.on_empty_tensors:why_not_on_empty_tensors"

ON_TVM = frozenset({"numeric", "gradient"})
"""Stages that run networks on TVM, which takes longer to import than most stages to run."""

BACKEND = "gslverify.trials.backend"

OWN = "gslverify."


def prepare(wave: Wave, settings: Settings) -> bool:
    """Load the stages of a wave of ours, and start what those of the run will need meanwhile.

    Tells whether something was started just now. Stages that always run are no reason: what follows
    may be known from earlier runs. After them all stages of the run are loaded, once for all forks.
    """
    ours = all(location.startswith(f"{__name__}.") for location in wave.values())
    decides = ours and ALWAYS_RUN.isdisjoint(wave)
    started = decides and _start_backend(settings)
    later = {n: at for one in WAVES for n, at in one.items() if n in settings.stages}
    for location in {**wave, **(later if decides else {})}.values():
        if location.startswith(OWN):
            with suppress(Exception):  # running it will say what is wrong
                _load(location)
    return started


def _start_backend(settings: Settings) -> bool:
    """Have TVM imported in another process if a stage needs it; tell whether that began now."""
    if settings.use_tvm and not ON_TVM.isdisjoint(settings.stages):
        # Where no process can be started now, the stage that needs one will say so.
        with suppress(OSError):
            started: bool = importlib.import_module(BACKEND).start()
            return started
    return False


def files_in_use() -> tuple[int, ...]:
    """Return the numbers of the open files that forks need for what `prepare` has started."""
    backend = sys.modules.get(BACKEND)
    return () if backend is None else tuple(backend.files())


def load_stage(location: str) -> Stage:
    """Import a stage from "module:OBJECT"."""
    stage: Stage = _load(location)
    return stage


def load_values() -> Callable[[Question, StageResult], StageResult]:
    """Import what looks for wrong values in a rule of which wrong types are known."""
    values: Callable[[Question, StageResult], StageResult] = _load(VALUES)
    return values


def load_on_empty_tensors() -> Callable[..., str]:
    """Import what runs the structures of a rule on tensors without elements."""
    why_not: Callable[..., str] = _load(ON_EMPTY_TENSORS)
    return why_not


def load_hints() -> Hints:
    """Import what adds hints to the result of a stage that has refuted a rule."""
    hints: Hints = _load(HINTS)
    return hints


def _load(location: str) -> Any:
    module, _, name = location.partition(":")
    return getattr(importlib.import_module(module), name)
