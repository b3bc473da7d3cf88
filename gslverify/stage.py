"""Stages: the named questions asked about a rule, in order, cheapest first."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from gsl.collector import collector_paused
from gsl.subst import Rule, Subst
from gslverify.case import Case
from gslverify.corpus.containment import contained
from gslverify.finding import (
    REFUTING,
    SEVEREST_FIRST,
    Assurance,
    Finding,
    StageResult,
    Verdict,
)
from gslverify.settings import Settings


@dataclass(frozen=True, slots=True)
class Count:
    """How often something happened in a stage, such as examples run."""

    name: str
    number: int


@dataclass(frozen=True, slots=True)
class Meaning:
    """The hash of what a rule says, whatever its author called things, and its operators."""

    rule_hash: str
    operators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Witness:
    """A graph on which source and target were seen to agree."""

    case: Case


@dataclass(frozen=True, slots=True)
class Covered:
    """What the examples of a stage had in them, in plain values (`gslverify.coverage.record`)."""

    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FlagsNeeded:
    """Which flags of floating point a rule needs, in plain values (`gslverify.trials.flags`)."""

    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence that counts neither for nor against a rule."""

    text: str


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """What a stage tried to show and could not, which speaks neither for nor against a rule."""

    reason: str


Outcome = Finding | Assurance | Count | Meaning | Witness | Covered | FlagsNeeded | Note | LeftOpen


@dataclass(slots=True)
class Question:
    """A rule under examination; `memory` holds what earlier stages worked out about it.

    The `plan` says in plain values which structures it has (`gslverify.stages.scenarios`), and is
    handed from process to process; empty until that is known. What refutes the rule is `found` at
    once, though it may still be made simpler: a stage may not live to tell it at its end. In the
    folder `examples` are graphs that failed in earlier runs, if any are kept.
    """

    rule_id: str
    rule: Rule
    settings: Settings
    memory: dict[str, Any] = field(default_factory=dict)
    progress: Callable[[str], None] = lambda text: None
    found: Callable[[Finding], None] = lambda finding: None
    plan: tuple[Any, ...] = ()
    examples: str = ""
    _subst: Subst | None = field(default=None, init=False, repr=False)

    def seed(self, *what: object) -> int:
        """Return where random choices for something start.

        It does not depend on the neighbours of the rule, their order or its folder.
        """
        name = self.rule_id.rpartition("/")[2]
        text = "\0".join(map(str, (self.settings.seed, name, *what)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])

    @property
    def subst(self) -> Subst:
        """The substitution, written down at first use; raises whatever the rule raises then."""
        if self._subst is None:
            with contained():
                self._subst = self.rule()
        return self._subst


Examine = Callable[[Question], Iterable[Outcome]]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage; `examine` yields findings, assurances and counts.

    `pauses_collector` is for stages that make many terms and hardly any cycles.
    """

    name: str
    examine: Examine
    pauses_collector: bool = False

    def run(self, question: Question) -> StageResult:
        """Examine a rule and sum up; exceptions of `examine` are the caller's to handle."""
        started = time.perf_counter()
        with collector_paused() if self.pauses_collector else nullcontext():
            outcomes = list(_told(self.examine(question), question))
        findings = tuple(item for item in outcomes if isinstance(item, Finding))
        return StageResult(
            stage=self.name,
            verdict=verdict_of(findings),
            findings=findings,
            assurances=tuple(item for item in outcomes if isinstance(item, Assurance)),
            counts={item.name: item.number for item in outcomes if isinstance(item, Count)},
            seconds=time.perf_counter() - started,
            notes=tuple(item.text for item in outcomes if isinstance(item, Note)),
            coverage=next((o.record for o in outcomes if isinstance(o, Covered)), {}),
            flags=next((o.record for o in outcomes if isinstance(o, FlagsNeeded)), {}),
            rule_hash="".join(item.rule_hash for item in outcomes if isinstance(item, Meaning)),
            operators=next((i.operators for i in outcomes if isinstance(i, Meaning)), ()),
            plan=question.plan,
            witness=next((item.case for item in outcomes if isinstance(item, Witness)), None),
            open="; ".join(item.reason for item in outcomes if isinstance(item, LeftOpen)),
        )


def _told(outcomes: Iterable[Outcome], question: Question) -> Iterator[Outcome]:
    """Yield outcomes; what refutes the rule is told before anything else is looked for."""
    for outcome in outcomes:
        if isinstance(outcome, Finding) and outcome.code.verdict in REFUTING:
            question.found(outcome)
        yield outcome


def verdict_of(findings: Iterable[Finding]) -> Verdict:
    """Return the severest verdict among findings; PASS when there are only warnings."""
    verdicts = {finding.code.verdict for finding in findings}
    return next((verdict for verdict in SEVEREST_FIRST if verdict in verdicts), Verdict.PASS)
