"""Time that may be used up: for a whole run, and for each rule."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

from gslverify.codes.ignores import BUDGET_SPENT, RULE_BUDGET_SPENT
from gslverify.engine.examination import skipped
from gslverify.finding import Code, Finding, StageResult
from gslverify.settings import Settings
from gslverify.stages import Wave

STOPPED = "budget"
"""Why a run stopped whose time was used up."""


@dataclass(slots=True)
class Budget:
    """The time of a run, which begins when this is made."""

    settings: Settings
    started: float = field(default_factory=time.monotonic)

    @property
    def deadline(self) -> float:
        """When the run has to end, on the clock of `time.monotonic`."""
        return self.started + self.settings.budget if self.settings.budget else inf

    @property
    def is_spent(self) -> bool:
        """Whether the time of the run is over."""
        return time.monotonic() >= self.deadline

    def left_for(self, stages: Iterable[StageResult]) -> float:
        """Return the seconds that a rule has left after these stages."""
        if not self.settings.rule_budget:
            return inf
        return self.settings.rule_budget - sum(stage.seconds for stage in stages)


def run_is_over(names: Iterable[str], settings: Settings) -> tuple[StageResult, ...]:
    """Return the results of stages for which the run has no time left."""
    message = f"the budget of {settings.budget:g} s for the run is spent"
    cure = "give it more by --budget, or run fewer rules"
    return _given_up(list(names), BUDGET_SPENT, message, cure)


def rule_is_over(wave: Wave, settings: Settings) -> tuple[StageResult, ...]:
    """Return the results of stages for which a rule has no time left."""
    message = f"the budget of {settings.rule_budget:g} s for the rule is spent"
    cure = "give it more by --rule-budget, or fewer graphs by -n"
    return _given_up(list(wave), RULE_BUDGET_SPENT, message, cure, settings.rule_budget)


def _given_up(
    names: list[str], code: Code, message: str, cure: str, seconds: float = 0.0
) -> tuple[StageResult, ...]:
    if not names:
        return ()
    first, *others = names
    finding = Finding(code, message, None, cure, subject=first)
    given_up = StageResult(first, code.verdict, (finding,), seconds=seconds)
    return (given_up, *(skipped(name, "there was no time left") for name in others))
