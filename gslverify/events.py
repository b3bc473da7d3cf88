"""What a run reports while it goes on; reporters consume these records and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gslverify.endings import INTERRUPTED as INTERRUPTED
from gslverify.finding import RuleResult, StageResult
from gslverify.settings import Settings


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The rules, in the order of the source, and the stages that will be run."""

    rule_ids: tuple[str, ...]
    stages: tuple[str, ...]
    settings: Settings


@dataclass(frozen=True, slots=True)
class RulesJoined:
    """Rules of files that took long to import are verified after the others, in this order."""

    rule_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StageDone:
    """One stage of one rule is finished, or was skipped."""

    rule_id: str
    result: StageResult


@dataclass(frozen=True, slots=True)
class RuleDone:
    """Everything about one rule is known; these come in the order of the source."""

    result: RuleResult


@dataclass(frozen=True, slots=True)
class RunDone:
    """The end of a run; `stop_reason` is empty when all rules were verified."""

    results: tuple[RuleResult, ...]
    seconds: float
    stop_reason: str = ""

    @property
    def interrupted(self) -> bool:
        """Whether the user stopped the run."""
        return self.stop_reason == INTERRUPTED


Event = RunStarted | RulesJoined | StageDone | RuleDone | RunDone


@dataclass(frozen=True, slots=True)
class StageStarted:
    """Live: a stage begins to examine a rule."""

    rule_id: str
    stage: str


@dataclass(frozen=True, slots=True)
class Progress:
    """Live: what a stage is doing just now, such as "31/50 graphs"."""

    rule_id: str
    stage: str
    text: str


@dataclass(frozen=True, slots=True)
class StagesEnded:
    """Live: a rule is through with stages, perhaps long before it is its turn to be told.

    It is `over` when nothing is left to ask about the rule.
    """

    rule_id: str
    stages: tuple[str, ...]
    over: bool


@dataclass(frozen=True, slots=True)
class Found:
    """Live: what a stage that is not at its end has found, which counts if it never comes there."""

    rule_id: str
    result: StageResult


Live = StageStarted | Progress | StagesEnded | Found
"""What is worth showing while it happens; no report uses it, as its order depends on timing."""

Notify = Callable[[Live], None]
