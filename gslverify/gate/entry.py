"""What is recorded about one rule: no times, no places, nothing that changes by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, ClassVar

from gslverify.documents import BY_NAME, Limits, named
from gslverify.finding import Level, Verdict
from gslverify.report.documents import RuleDocument

BAD = frozenset({"fail", "vacuous", "error"})
GOOD = frozenset({"pass", "xfail"})
VERDICTS = sorted(verdict.lower() for verdict in Verdict)
VALUES = "values"
"""The subject of an assurance that names none: what source and target compute."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule as a run has left it.

    Attributes:
        verdict: its verdict in small letters.
        codes: the codes that speak against it, in their order; no warnings.
        rule_hash: the hash of what it says.
        assurance: the highest level for every subject.
        examples: graphs that were run.
        reason: why a failure is accepted; empty where none is.
        expires: the day after which it no longer is.
    """

    is_compact: ClassVar = True

    verdict: Annotated[str, Limits(enum=VERDICTS)]
    codes: tuple[str, ...] = ()
    rule_hash: str = field(default="", metadata=named("ir"))
    assurance: Mapping[str, Annotated[Level, BY_NAME]] = field(default_factory=dict)
    examples: int = 0
    reason: str = ""
    expires: date | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", tuple(sorted(self.codes)))
        object.__setattr__(self, "assurance", dict(sorted(self.assurance.items())))

    @property
    def is_good(self) -> bool:
        """Whether the rule is as it should be."""
        return self.verdict in GOOD

    @property
    def is_bad(self) -> bool:
        """Whether something speaks against the rule."""
        return self.verdict in BAD


def entry_of_report(rule: RuleDocument) -> Entry:
    """Return the entry for a rule of a report."""
    assurance: dict[str, Level] = {}
    for one in rule.assurance:
        subject = one.subject or VALUES
        assurance[subject] = max(one.level, assurance.get(subject, Level.TESTED))
    graphs = [stage.examples.run or 0 for stage in rule.stages if stage.examples is not None]
    errors = {finding.code for finding in rule.findings if finding.level == "error"}
    return Entry(
        rule.verdict.lower(),
        tuple(errors),
        rule.ir_hash or "",
        assurance,
        max(graphs, default=0),
    )
