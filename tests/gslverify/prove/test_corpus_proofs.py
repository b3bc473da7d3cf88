"""No rule that is known to be wrong is proved, and what is proved is refuted by no other stage.

Which rules may be proved is decided by the code that refutes them: a rule that changes NaN may be.
`gslverify check` reports a rule that is proved and refuted (GSL905), and CI checks the corpus, so
only some rules are tried here: on their first few structures, and only if these are proved on all
of them. Rules that the shape stage refutes are left out, because the stage asks that first. With
GSL_ALL_PROOFS=1 all rules and structures are tried, and every mutant of every sound rule.
"""

from __future__ import annotations

import os
from functools import lru_cache

import pytest

from gsl.subst import Rule
from gslverify.mutation.mutants import as_rule, mutants_of
from gslverify.prove.claim import CONTRADICTING, contradictions
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.prove import PROVE
from gslverify.stages.shape import SHAPE
from tests.gslverify.prove.proving import corpus, is_proved_rule

pytestmark = pytest.mark.smt

ALL = os.environ.get("GSL_ALL_PROOFS") == "1"
EVERY = Settings().max_variants
FEW = EVERY if ALL else 2
MUTATED = ("flip_flip", "sum_of_sum", "transpose_of_matmul")
"""Rules whose mutants are tried: small ones, of three kinds."""
STEP = 1 if ALL else 8


@lru_cache
def sound_rules() -> dict[str, Rule]:
    """Return the sound rules of the corpus by name."""
    return {rule.name: rule for rule in corpus("sound")}


def refuted_by_values() -> list[Rule]:
    """Return the broken rules whose refutation contradicts a proof."""
    codes = {code.id for code in CONTRADICTING}
    return [
        rule
        for rule in corpus("broken")
        if rule.expect in codes and (ALL or not rule.expect.startswith("GSL3"))
    ][::STEP]


@pytest.mark.parametrize("rule", refuted_by_values(), ids=lambda rule: rule.name)
def test_no_broken_rule_is_proved(rule: Rule) -> None:
    assert not (is_proved_rule(rule, FEW) and is_proved_rule(rule, EVERY))


@pytest.mark.parametrize("name", sorted(sound_rules()) if ALL else MUTATED)
def test_no_mutant_is_proved_and_refuted(name: str) -> None:
    rule = sound_rules()[name]
    mutants = [mutant for mutant in mutants_of(rule) if mutant.subst is not None][::STEP]
    assert mutants
    for mutant in mutants:
        made = as_rule(rule, mutant)
        settings = Settings(max_variants=FEW, max_examples=30, use_tvm=False)
        question = Question(mutant.name, made, settings)
        assurances = PROVE.run(question).assurances
        if assurances:
            findings = [f for s in (SHAPE, NUMERIC) for f in s.run(question).findings]
            assert contradictions(assurances, findings) == [], mutant.description
