"""What a refuted rule lacks, added to the findings that refute it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gsl.errors import GslError, described
from gslverify.finding import Finding, StageResult
from gslverify.preconditions.propose import PROMISES, Proposal, proposal, to_exclude
from gslverify.stage import Question

Tell = Callable[[StageResult], None]


def nobody(result: StageResult) -> None:
    """Tell nobody what is known so far."""


def with_hints(question: Question, result: StageResult, tell: Tell = nobody) -> StageResult:
    """Return the result of a stage in which refutations name a condition, where one is found.

    It is one condition for all of them: with it the rule passes every stage.
    A condition that is proved is told before it is run on graphs, for who may be ended meanwhile.
    Whatever goes wrong on the way leaves the result as it is, with a note.
    """
    question.progress("looking for a condition")

    def hinted(made: Proposal) -> StageResult:
        return replace(result, findings=tuple(_hinted(one, made) for one in result.findings))

    for finding in filter(to_exclude, result.findings):
        try:
            made = proposal(question, finding, lambda made: tell(hinted(made)))
        except (GslError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            note = f"no condition was looked for: {described(error)}"
            return replace(result, notes=(*result.notes, note))
        if made is not None:
            return hinted(made)
    return result


def _hinted(finding: Finding, made: Proposal) -> Finding:
    """Return a finding with a condition if one may help; a promise may be made weaker instead."""
    if to_exclude(finding) is None:
        return finding
    weaker = f"{finding.cure.partition(';')[0]}; otherwise " if finding.code in PROMISES else ""
    return replace(finding, cure=f"{weaker}{made}", condition=made.condition)
