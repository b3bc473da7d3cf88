"""Is a rule right at all structures because the rules are that it consists of?"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gsl.subst import Subst
from gslverify.finding import Level, Reach
from gslverify.stage import Question
from gslverify.stages import load_on_empty_tensors
from gslverify.stages.any_function import of_any_function
from gslverify.stages.examination import Examined, examined
from gslverify.stages.parts import taken_apart
from gslverify.stages.prove import PROVE, against_all_ranks
from gslverify.stages.shape import is_proved
from gslverify.structures.variants import MOST_RUNS, Search

FEW_RUNS, FEW_RUNS_OF_TRAITS = 1000, 100
"""Builds of a source after which a rule is taken apart, fewer where it is about any function."""

MOST_PARTS = 200
"""Rules looked at, those that are taken apart further among them."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Whether a rule was shown right in parts, and for all ranks, or `why_not`."""

    why_not: str = ""
    all_ranks: bool = False


def few_runs(subst: Subst) -> int:
    """Return after how many builds of its source a rule is taken apart."""
    return FEW_RUNS_OF_TRAITS if subst.derived(of_any_function) else FEW_RUNS


def shown_in_parts(question: Question) -> Shown:
    """Tell whether a rule is shown right in parts, each for all sizes at all structures.

    What has few structures is a part; the rest is taken apart.
    """
    if question.settings.certificates:
        return Shown("a certificate is about the rule as a whole")
    stack = _taken_apart(question.subst)
    if stack is None:
        return Shown("it is in one piece")
    all_ranks = True
    for number in range(MOST_PARTS):
        if not stack:
            return Shown(all_ranks=all_ranks)
        question.progress(f"part {number + 1}")
        part = stack.pop()
        search = Search(part)
        finer = _taken_apart(part) if search.has_more_after(FEW_RUNS) else None
        if finer is not None:
            stack += finer
            continue
        if search.has_more_after(MOST_RUNS):
            return Shown("a part has too many structures")
        asked = _question_about(part, question, number)
        seen = examined(asked, search)
        why = _why_not_proved(asked, seen)
        if why:
            return Shown(why)
        all_ranks = all_ranks and not against_all_ranks(asked, seen.scenarios)
    return Shown("there are too many parts")


def _taken_apart(subst: Subst) -> list[Subst] | None:
    """Return rules that say what one does, without conditions that relate them only if need be.

    `x.ndim == y.ndim` is seldom why two reductions that have nothing else in common are right.
    """
    apart = subst.derived(of_any_function) or taken_apart(subst)
    return taken_apart(subst, keeping_related=False) if apart is None else apart


def _question_about(part: Subst, question: Question, number: int) -> Question:
    # What a library assumes of inputs is in `where`; inputs of a part may be results in the rule.
    rule = replace(question.rule, write=lambda: part, assumptions=())
    return Question(f"{question.rule_id} part {number}", rule, question.settings)


def _why_not_proved(asked: Question, seen: Examined) -> str:
    if seen.open:
        return seen.open[0]
    if not seen.scenarios.complete:
        return "not all structures of a part can be tried"
    if not is_proved(asked):
        return "types of a part are not proved to agree"
    result = PROVE.run(asked)
    proved = [one for one in result.assurances if one.level is Level.PROVED]
    if not any(one.reach is Reach.SIZES for one in proved):
        return result.open or "a part is not proved"
    return load_on_empty_tensors()(asked, seen.scenarios)
