"""What became of mutants, and the score: the share of those that had to be noticed and were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gslverify.codes.ignores import BUDGET_SPENT, RULE_BUDGET_SPENT
from gslverify.codes.shape import ILLEGAL_TARGET
from gslverify.finding import REFUTING, RuleResult, Verdict
from gslverify.mutation.mutants import Mutant
from gslverify.prove.claim import is_proved
from gslverify.stage_names import STAGES

ITSELF = "M42"
"""A rule whose target is its source holds; that it is noticed is a warning."""


class Fate(StrEnum):
    """What became of a mutant.

    Only KILLED and SURVIVED count. A DECLINED one matches more, but its target cannot be built
    for what is new; where it can, no difference was found. A GENERAL one matches more and was
    proved all the same, so that the rule was stricter than it had to be. For an UNJUDGED one there
    was no time.
    """

    KILLED = "killed"
    SURVIVED = "survived"
    STILLBORN = "stillborn"
    EQUIVALENT = "equivalent"
    GENERAL = "generalisation"
    DECLINED = "declined"
    PERFORMANCE = "performance"
    UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True)
class Judged:
    """A mutant with its fate; `by` is the stage that killed it, or why it was not noticed."""

    rule_id: str
    mutant: Mutant
    fate: Fate
    by: str = ""


def fate_where_legal(mutant: Mutant, result: RuleResult) -> tuple[Fate, str]:
    """Return the fate of a mutant that was verified where its target can be built.

    Where it cannot is known already; it may be nowhere.
    """
    refuting = next((s for s in result.stages if not s.skipped and s.verdict in REFUTING), None)
    if refuting is not None and result.verdict is not Verdict.VACUOUS:
        return Fate.KILLED, refuting.stage
    if _has_no_time(result):
        return Fate.UNJUDGED, _why(result)
    if result.verdict in (Verdict.PASS, Verdict.VACUOUS):
        return Fate.DECLINED, "shape"
    return Fate.SURVIVED, _why(result)


def fate_of(mutant: Mutant, result: RuleResult) -> tuple[Fate, str]:
    """Return the fate of a verified mutant and the stage or reason."""
    if mutant.operator.id == ITSELF and _warns(result, "GSL145"):
        return Fate.KILLED, "static"
    if result.verdict in REFUTING:
        stage = next(s for s in result.stages if not s.skipped and s.verdict in REFUTING)
        codes = {finding.code for finding in stage.findings if not finding.code.is_warning}
        if mutant.operator.weakens and codes == {ILLEGAL_TARGET}:
            return Fate.DECLINED, stage.stage
        return Fate.KILLED, stage.stage
    if mutant.performance:
        return Fate.PERFORMANCE, ""
    if result.verdict is Verdict.PASS and is_proved(result.assurances):
        matches_more = mutant.operator.weakens or mutant.elsewhere
        return (Fate.GENERAL if matches_more else Fate.EQUIVALENT), "prove"
    if _has_no_time(result):
        return Fate.UNJUDGED, _why(result)
    return Fate.SURVIVED, _why(result)


def _has_no_time(result: RuleResult) -> bool:
    return bool({finding.code for finding in result.findings} & {BUDGET_SPENT, RULE_BUDGET_SPENT})


def _warns(result: RuleResult, code_id: str) -> bool:
    return any(finding.code.id == code_id for finding in result.findings)


def _why(result: RuleResult) -> str:
    if result.verdict is Verdict.PASS:
        return "; ".join(str(assurance) for assurance in result.assurances)
    found = [finding for finding in result.findings if not finding.code.is_warning]
    return "; ".join(f"{finding.code} {finding.message}" for finding in found)


@dataclass(frozen=True, slots=True)
class Score:
    """How many mutants had each fate."""

    counts: Counter[Fate]

    @classmethod
    def of(cls, judged: Iterable[Judged]) -> Score:
        """Count fates."""
        return cls(Counter(one.fate for one in judged))

    @property
    def generated(self) -> int:
        """All mutants."""
        return self.counts.total()

    @property
    def percent(self) -> float:
        """Killed mutants in percent of those that had to be; 100 when none had to."""
        return self._percent(self.counts[Fate.SURVIVED])

    @property
    def least(self) -> float:
        """What the score is if no unjudged mutant would be killed; a limit is held against it."""
        return self._percent(self.counts[Fate.SURVIVED] + self.counts[Fate.UNJUDGED])

    def _percent(self, others: int) -> float:
        counted = self.counts[Fate.KILLED] + others
        return 100.0 * self.counts[Fate.KILLED] / counted if counted else 100.0


def killed_by(judged: Iterable[Judged]) -> dict[str, int]:
    """Return how many mutants each stage killed, in the order of the stages."""
    counts = Counter(one.by for one in judged if one.fate is Fate.KILLED)
    return {stage: counts[stage] for stage in STAGES if counts[stage]}


def by_operator(judged: Sequence[Judged]) -> dict[str, Score]:
    """Return the score of each mutation operator by its id."""
    ids = sorted({one.mutant.operator.id for one in judged})
    return {i: Score.of(one for one in judged if one.mutant.operator.id == i) for i in ids}


def by_rule(judged: Sequence[Judged]) -> dict[str, Score]:
    """Return the score of each rule by its id, in the order of the rules."""
    ids = dict.fromkeys(one.rule_id for one in judged)
    return {i: Score.of(one for one in judged if one.rule_id == i) for i in ids}
