from __future__ import annotations

import pytest

from gslverify.codes.ignores import BUDGET_SPENT, RULE_BUDGET_SPENT
from gslverify.codes.numeric import OUTPUTS_DIFFER, TOO_FEW_EXAMPLES
from gslverify.codes.shape import ILLEGAL_TARGET
from gslverify.codes.static import NOTHING_CHANGES
from gslverify.finding import Assurance, Code, Finding, Level, RuleResult, StageResult, Verdict
from gslverify.mutation.mutants import Mutant, mutants_of
from gslverify.mutation.score import (
    Fate,
    Judged,
    Score,
    by_operator,
    by_rule,
    fate_of,
    fate_where_legal,
)
from tests.gslverify.mutation.rules import minus_itself, two_dense

PROVED = Assurance("prove", Level.PROVED, "proved, ranks 1-4")
SHAPES = Assurance("shape", Level.PROVED, "proved, ranks 1-4")


def mutant(operator: str, performance: bool = False) -> Mutant:
    rules = (two_dense, minus_itself)
    every = [m for rule in rules for m in mutants_of(rule)]
    return next(m for m in every if m.operator.id == operator and m.performance is performance)


def result(verdict: Verdict, code: Code | None = None, *assurances: Assurance) -> RuleResult:
    findings = () if code is None else (Finding(code, "found"),)
    stage = StageResult("numeric", verdict, findings, assurances)
    return RuleResult("rules.py::rule", None, (stage,))


@pytest.mark.parametrize(
    ("operator", "performance", "outcome", "fate"),
    [
        ("M27", False, result(Verdict.FAIL, OUTPUTS_DIFFER), Fate.KILLED),
        ("M02", False, result(Verdict.FAIL, OUTPUTS_DIFFER), Fate.KILLED),
        ("M02", False, result(Verdict.FAIL, ILLEGAL_TARGET), Fate.DECLINED),
        ("M27", False, result(Verdict.FAIL, ILLEGAL_TARGET), Fate.KILLED),
        ("M27", False, result(Verdict.PASS, None, SHAPES), Fate.SURVIVED),
        ("M27", False, result(Verdict.PASS, None, SHAPES, PROVED), Fate.EQUIVALENT),
        ("M02", False, result(Verdict.PASS, None, PROVED), Fate.GENERAL),
        ("M27", False, result(Verdict.INCONCLUSIVE, TOO_FEW_EXAMPLES), Fate.SURVIVED),
        ("M27", False, result(Verdict.INCONCLUSIVE, BUDGET_SPENT), Fate.UNJUDGED),
        ("M27", False, result(Verdict.INCONCLUSIVE, RULE_BUDGET_SPENT), Fate.UNJUDGED),
        ("M09", True, result(Verdict.PASS), Fate.PERFORMANCE),
        ("M09", True, result(Verdict.FAIL, OUTPUTS_DIFFER), Fate.KILLED),
        ("M42", False, result(Verdict.PASS, NOTHING_CHANGES), Fate.KILLED),
        ("M42", False, result(Verdict.PASS), Fate.SURVIVED),
    ],
)
def test_fate(operator: str, performance: bool, outcome: RuleResult, fate: Fate) -> None:
    assert fate_of(mutant(operator, performance), outcome)[0] is fate


@pytest.mark.parametrize(
    ("outcome", "fate"),
    [
        (result(Verdict.FAIL, OUTPUTS_DIFFER), Fate.KILLED),
        (result(Verdict.PASS, None, SHAPES), Fate.DECLINED),
        (result(Verdict.VACUOUS), Fate.DECLINED),
        (result(Verdict.INCONCLUSIVE, TOO_FEW_EXAMPLES), Fate.SURVIVED),
        (result(Verdict.INCONCLUSIVE, BUDGET_SPENT), Fate.UNJUDGED),
    ],
)
def test_fate_where_targets_can_be_built(outcome: RuleResult, fate: Fate) -> None:
    assert fate_where_legal(mutant("M02"), outcome)[0] is fate


def judged(operator: str, fate: Fate, rule_id: str = "a.py::one") -> Judged:
    return Judged(rule_id, mutant(operator), fate)


def test_only_killed_and_survived_count() -> None:
    fates = [Fate.KILLED, Fate.KILLED, Fate.KILLED, Fate.SURVIVED, Fate.STILLBORN, Fate.DECLINED]
    score = Score.of([judged("M27", fate) for fate in fates])

    assert score.percent == 75.0
    assert score.generated == 6
    assert Score.of([]).percent == 100.0


def test_a_limit_takes_the_unjudged_for_survivors() -> None:
    score = Score.of([judged("M27", fate) for fate in (Fate.KILLED, Fate.UNJUDGED)])

    assert (score.percent, score.least) == (100.0, 50.0)


def test_scores_by_operator_and_rule() -> None:
    all_of_them = [
        judged("M27", Fate.KILLED),
        judged("M02", Fate.SURVIVED, "a.py::two"),
        judged("M02", Fate.KILLED),
    ]

    assert {name: s.percent for name, s in by_operator(all_of_them).items()} == {
        "M02": 50.0,
        "M27": 100.0,
    }
    assert list(by_rule(all_of_them)) == ["a.py::one", "a.py::two"]
