"""The stage "prove": are all elements of source and target equal, for all sizes? (z3)

A proof is over real numbers and integers: it says nothing about rounding, overflow or NaN, so that
the numeric stage tries proved rules as well. What is not proved is not held against a rule.
"""

from __future__ import annotations

from collections.abc import Iterable

from gslverify.codes.prove import NOT_PROVED
from gslverify.finding import Assurance, Finding, Level
from gslverify.prove.proof import open_obligation
from gslverify.stage import Count, Outcome, Question, Stage
from gslverify.stages.satisfiable import Scenarios, scenarios_of
from gslverify.stages.shape import assurance_text, shape_holds


def examine(question: Question) -> Iterable[Outcome]:
    """Prove every scenario; the first one that stays open ends the stage."""
    scenarios = scenarios_of(question)
    if not scenarios.feasible or not shape_holds(question):
        return
    for number, scenario in enumerate(scenarios.feasible):
        question.progress(f"variant {number + 1}/{len(scenarios.feasible)}")
        reason = open_obligation(scenario.instance, scenario.solver)
        if reason:
            yield Finding(NOT_PROVED, reason, question.subst.span, subject="element")
            return
    yield Count("variants", len(scenarios.feasible))
    yield Assurance("", Level.PROVED, proof_text(scenarios))


def proof_text(scenarios: Scenarios) -> str:
    """Return what a proof of all these scenarios extends to."""
    return assurance_text(scenarios)


PROVE = Stage("prove", examine)
