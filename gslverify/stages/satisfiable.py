"""The stage "satisfiable": can any graph match at all? (z3)

Where a rule has more structures than are tried, it is taken apart (`gslverify.stages.parts`).
"""

from __future__ import annotations

from collections.abc import Iterable

from gsl.errors import counted
from gslverify.codes.satisfiable import OPEN_STRUCTURES, UNDECIDED_SATISFIABILITY
from gslverify.finding import Finding
from gslverify.stage import Count, Note, Outcome, Question, Stage
from gslverify.stages.clashes import (
    vacuous_conditions,
    vacuous_constraints,
    vacuous_structure,
)
from gslverify.stages.contradiction import contradiction_of
from gslverify.stages.examination import Examined, examined, hand_on, not_tried, solved
from gslverify.stages.in_parts import few_runs, shown_in_parts
from gslverify.structures.directed import structures_asked_for
from gslverify.structures.variants import Search

SELECTED = 40
"""Structures that later stages examine of a rule that is shown right in parts."""


def examine(question: Question) -> Iterable[Outcome]:
    """Look for structures that some graph has; yield VACUOUS when there is none."""
    seen, note = _examined(question)
    yield Count("variants", len(seen.scenarios.feasible))
    if note:
        yield Note(note)
    if seen.scenarios.feasible:
        if seen.open and question.settings.require != "tested":
            yield _open(question, seen.open)
        return
    left = [*seen.open, *not_tried(question, seen)]
    yield _undecided(question, seen, left) if left else _vacuous(question, seen)


def _examined(question: Question) -> tuple[Examined, str]:
    """Return what is known of the structures, and how, where that needs words."""
    search = Search(question.subst)
    if not search.has_more_after(few_runs(question.subst)):
        return examined(question, search), ""
    question.progress("many structures, taking the rule apart")
    shown = shown_in_parts(question)
    if shown.why_not:
        return examined(question, search), f"not shown in parts: {shown.why_not}"
    others = structures_asked_for(question.subst, search.steps)
    seen = solved(question, search.selection(SELECTED, others))
    seen = seen if seen.scenarios.feasible else examined(question)
    if not seen.scenarios.feasible:
        return seen, ""
    settled = seen.settled(shown.all_ranks)
    hand_on(question, settled)
    return settled, "all structures are shown right by rules that it consists of"


def _vacuous(question: Question, seen: Examined) -> Finding:
    question.progress("nothing matches, looking for the fewest conditions that clash")
    clashing_conditions = contradiction_of(question.subst, question.settings)
    if clashing_conditions is not None and clashing_conditions.conditions:
        return vacuous_conditions(question.subst, clashing_conditions)
    refuted = seen.refuted
    if not refuted:
        return vacuous_structure(question.subst, seen.found.obstacles)
    claims = refuted[0].instance.claims
    clashing = [claims[number] for number in refuted[0].solver.core().core]
    return vacuous_constraints(question.subst, clashing, len(refuted))


def _open(question: Question, left: list[str]) -> Finding:
    reasons = tuple(dict.fromkeys(left))
    message = "of some structures it is not known what the rule does on them"
    cure = "write a condition that leaves them out or decides them, or accept --require tested"
    return Finding(OPEN_STRUCTURES, message, question.subst.span, cure, reasons)


def _undecided(question: Question, seen: Examined, unknown: list[str]) -> Finding:
    reasons = tuple(dict.fromkeys(unknown))
    message = f"no solution found in {counted(len(seen.found.variants), 'structure')}"
    return Finding(UNDECIDED_SATISFIABILITY, message, question.subst.span, details=reasons)


SATISFIABLE = Stage("satisfiable", examine, pauses_collector=True)
