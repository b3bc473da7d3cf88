"""What a refuted rule lacks, added to the findings that refute it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gsl.errors import GslError, described
from gslverify.finding import Finding, StageResult, Verdict
from gslverify.preconditions.propose import PROMISES, Proposal, proposal
from gslverify.stage import Question

Tell = Callable[[StageResult], None]


def nobody(result: StageResult) -> None:
    """Tell nobody what is known so far."""


def with_hints(question: Question, result: StageResult, tell: Tell = nobody) -> StageResult:
    """Return the result of a stage in which refutations name a condition, where one is found.

    A condition that is proved is told before it is run on graphs, for who may be ended meanwhile.
    Whatever goes wrong on the way leaves the result as it is, with a note.
    """
    question.progress("looking for a condition")
    findings = list(result.findings)
    for number, finding in enumerate(findings):
        if finding.code.verdict is not Verdict.FAIL:
            continue

        def hinted(made: Proposal, number: int = number) -> StageResult:
            findings[number] = _hinted(result.findings[number], made)
            return replace(result, findings=tuple(findings))

        try:
            made = proposal(question, finding, lambda made: tell(hinted(made)))
        except (GslError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            note = f"no condition was looked for: {described(error)}"
            return replace(result, notes=(*result.notes, note))
        findings[number] = finding
        if made is not None:
            hinted(made)
    return replace(result, findings=tuple(findings))


def _hinted(finding: Finding, made: Proposal) -> Finding:
    """Return a finding with a condition; a promise may be made weaker instead."""
    weaker = f"{finding.cure.partition(';')[0]}; otherwise " if finding.code in PROMISES else ""
    return replace(finding, cure=f"{weaker}{made}", condition=made.condition)
