"""Puts a rule before the stages that ask the solver."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gsl.rule_files.collect import rules_in
from gsl.subst import Rule
from gslverify.finding import Verdict
from gslverify.prove.claim import is_proved
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.prove import PROVE
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE

CORPUS = Path(__file__).parents[3] / "rule_corpus"


@cache
def corpus(folder: str) -> tuple[Rule, ...]:
    """Return the rules of "sound" or "broken", whose files a process of tests imports once."""
    return tuple(rule for file in sorted((CORPUS / folder).glob("*.py")) for rule in rules_in(file))


def is_proved_rule(rule: Rule, most: int = Settings().max_variants) -> bool:
    """Tell whether a rule passes satisfiable and shape, and is proved for `most` structures."""
    question = Question(rule.name, rule, Settings(max_variants=most))
    for stage in (SATISFIABLE, SHAPE):
        if stage.run(question).verdict is not Verdict.PASS:
            return False
    return is_proved(PROVE.run(question).assurances)
