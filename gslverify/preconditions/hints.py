"""What a refuted rule lacks, added to the findings that refute it."""

from __future__ import annotations

from dataclasses import replace

from gsl.errors import GslError, described
from gslverify.finding import Finding, StageResult, Verdict
from gslverify.preconditions.propose import proposal
from gslverify.stage import Question


def with_hints(question: Question, result: StageResult) -> StageResult:
    """Return the result of a stage in which refutations name a condition, where one is found.

    Whatever goes wrong on the way leaves the result as it is, with a note.
    """
    question.progress("looking for a condition")
    try:
        found = tuple(_hinted(question, finding) for finding in result.findings)
    except (GslError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        note = f"no condition was looked for: {described(error)}"
        return replace(result, notes=(*result.notes, note))
    return replace(result, findings=found)


def _hinted(question: Question, finding: Finding) -> Finding:
    if finding.code.verdict is not Verdict.FAIL:
        return finding
    made = proposal(question, finding)
    return finding if made is None else replace(finding, cure=str(made), condition=made.condition)
