"""Is a rule right at all structures because the rules are that it consists of?"""

from __future__ import annotations

from dataclasses import replace

from gsl.subst import Subst
from gslverify.finding import Level, Reach, Verdict
from gslverify.stage import Question
from gslverify.stages import load_on_empty_tensors
from gslverify.stages.examination import examined
from gslverify.stages.parts import taken_apart
from gslverify.stages.prove import PROVE
from gslverify.stages.shape import SHAPE
from gslverify.structures.variants import Search

FEW_RUNS = 1000
"""Builds of a source after which a rule is taken apart."""

MOST_PARTS = 200
"""Rules looked at, those that are taken apart further among them."""


def why_not_shown(question: Question) -> str:
    """Return why a rule is not shown right in parts, each for all sizes at all structures.

    The answer is empty where it is. What has few structures is a part; the rest is taken apart.
    """
    if question.settings.certificates:
        return "a certificate is about the rule as a whole"
    stack = _taken_apart(question.subst)
    if stack is None:
        return "it is in one piece"
    for number in range(MOST_PARTS):
        if not stack:
            return ""
        question.progress(f"part {number + 1}")
        part = stack.pop()
        search = Search(part)
        if not search.has_more_after(FEW_RUNS):
            why = _why_not_proved(question, search, part, number)
            if why:
                return why
            continue
        finer = _taken_apart(part)
        if finer is None:
            return "a part has too many structures"
        stack += finer
    return "there are too many parts"


def _taken_apart(subst: Subst) -> list[Subst] | None:
    """Return what a rule consists of, without the conditions that relate it only if need be.

    `x.ndim == y.ndim` is seldom why two reductions that have nothing else in common are right.
    """
    apart = taken_apart(subst)
    return taken_apart(subst, keeping_related=False) if apart is None else apart


def _why_not_proved(question: Question, search: Search, part: Subst, number: int) -> str:
    # What a library assumes of inputs is in `where`; inputs of a part may be results in the rule.
    rule = replace(question.rule, write=lambda: part, assumptions=())
    asked = Question(f"{question.rule_id} part {number}", rule, question.settings)
    seen = examined(asked, search)
    if seen.open:
        return seen.open[0]
    if not seen.scenarios.complete:
        return "not all structures of a part can be tried"
    if SHAPE.run(asked).verdict is not Verdict.PASS:
        return "types of a part are not proved to agree"
    result = PROVE.run(asked)
    proved = [one for one in result.assurances if one.level is Level.PROVED]
    if not any(one.reach is Reach.SIZES for one in proved):
        return result.open or "a part is not proved"
    return load_on_empty_tensors()(asked, seen.scenarios)
