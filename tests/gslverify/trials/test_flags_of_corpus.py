"""Rules of the corpus declare their flags, and with one of those that they need less they fail."""

from __future__ import annotations

import dataclasses

import pytest

from gsl.subst import Rule
from gslverify.codes.levels import FLAG_MISSING, SPECIAL_VALUES_CHANGE
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.prove.proving import corpus

RULES = {rule.name: rule for rule in corpus("sound")}
NAMES = (
    "absorption",
    "divide_by_root",
    "divide_twice",
    "logarithm_of_exponential",
    "matmul_with_vector",
    "shift_of_scaled",
    "sum_of_unit_axis",
)
"""Rules that need flags of every kind but `lossy`."""


def test_every_sound_rule_declares_its_flags() -> None:
    silent = [name for name, rule in RULES.items() if rule.declared is None and rule.nan != "same"]
    assert silent == []


def run(rule: Rule, flags: frozenset[str] | None) -> StageResult:
    settings = Settings(use_tvm=False, max_examples=12, min_examples=6, max_variants=8)
    asked = dataclasses.replace(rule, flags=flags, assumptions=())
    return NUMERIC.run(Question(f"corpus::{rule.name}", asked, settings))


@pytest.mark.slow
@pytest.mark.smt
@pytest.mark.parametrize("name", NAMES)
def test_with_one_flag_less_than_it_needs_a_rule_fails_with_its_witness(name: str) -> None:
    free = run(RULES[name], None)
    needed = frozenset(free.flags["needed"])
    assert needed
    assert free.flags["witnesses"].keys() == needed
    for flag in needed:
        result = run(RULES[name], needed - {flag})
        (finding,) = [one for one in result.findings if not one.code.is_warning]
        assert result.verdict is Verdict.FAIL
        assert finding.code in (FLAG_MISSING, SPECIAL_VALUES_CHANGE)
        assert f'"{flag}"' in finding.cure
        assert finding.counterexample is not None
