"""No rule that is known to be wrong is proved; of the sound rules at least as many as promised."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsl.rule_files import rules_in
from gsl.subst import Rule
from gslverify.finding import Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.prove import PROVE
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE

pytestmark = pytest.mark.smt

CORPUS = Path(__file__).parents[3] / "rule_corpus"
LEAST_SHARE = 0.8


def is_proved(rule: Rule, most: int) -> bool:
    """Tell whether a rule goes through all stages that ask the solver, and is proved."""
    question = Question(rule.name, rule, Settings(max_variants=most))
    for stage in (SATISFIABLE, SHAPE):
        if stage.run(question).verdict is not Verdict.PASS:
            return False
    return bool(PROVE.run(question).assurances)


@pytest.mark.parametrize("file", sorted((CORPUS / "broken").glob("*.py")), ids=lambda f: f.stem)
def test_no_broken_twin_is_proved(file: Path) -> None:
    rules = rules_in(file)
    assert rules
    assert [rule.name for rule in rules if is_proved(rule, most=32)] == []


def test_most_sound_rules_are_proved() -> None:
    rules = [rule for file in sorted((CORPUS / "sound").glob("*.py")) for rule in rules_in(file)]
    proved = [rule.name for rule in rules if is_proved(rule, most=8)]
    assert len(proved) >= LEAST_SHARE * len(rules)
