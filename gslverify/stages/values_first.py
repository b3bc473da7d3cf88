"""What is wrong about values in a rule that is wrong about types elsewhere: it says more."""

from __future__ import annotations

from dataclasses import replace

from gslverify.finding import StageResult
from gslverify.inputs.distinguish import ABOUT_VALUES
from gslverify.stage import Question
from gslverify.stages.examination import scenarios_of
from gslverify.stages.numeric import refuted, seek
from gslverify.trials.search import Search


def with_values(question: Question, result: StageResult) -> StageResult:
    """Return a result that refutes types with a refutation of values before it, if there is one.

    Networks are run as in the stage numeric, and pass over where the engine refuses to rewrite.
    """
    question.progress("looking at values where types agree")
    found = scenarios_of(question)
    samplers = [scenario.sampler for scenario in (*found.feasible, *found.large)]
    if not samplers:
        return result
    search = Search(question, samplers, is_about_values=True)
    sought = seek(search)
    if sought.failure is None or sought.failure.code not in ABOUT_VALUES:
        return result
    finding = refuted(search, sought.failure, sought.how)
    return replace(result, findings=(finding, *result.findings))
