"""Structures are handed on as plain values, and made anew from them wherever they are needed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gsl.text.terms import term_text
from gslverify.engine.cache.form import from_text, to_text
from gslverify.finding import StageResult
from gslverify.stages import examination
from gslverify.stages.examination import fresh_scenarios_of, scenarios_of
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.scenarios import Scenarios, planned
from gslverify.stages.shape import SHAPE
from tests.gslverify.rules import SOUND
from tests.gslverify.stages.asking import ask, question

pytestmark = pytest.mark.smt


def described(scenarios: Scenarios) -> Any:
    every = [*scenarios.feasible, *scenarios.large]
    claims = [[term_text(c.term, {}) for c in one.instance.claims] for one in every]
    return scenarios.complete, scenarios.structures, [one.variant for one in every], claims


@pytest.mark.parametrize("name", SOUND)
def test_a_plan_leads_to_the_same_structures(name: str) -> None:
    asked = question(SOUND[name])
    plan = SATISFIABLE.run(asked).plan
    again = planned(asked.subst, plan, asked.settings)
    assert described(again) == described(scenarios_of(asked))
    assert again.plan() == plan == asked.plan == ask(SATISFIABLE, SOUND[name]).plan


def test_a_plan_is_kept_and_sent_as_plain_values() -> None:
    result = ask(SATISFIABLE, SOUND["parallel_dense"])
    assert json.loads(json.dumps(result.plan))
    kept, _ = from_text(to_text((result, "")))
    assert isinstance(kept, StageResult)
    assert kept.plan == result.plan != ()


def test_with_a_plan_structures_are_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    planned_question = question(SOUND["parallel_dense"])
    planned_question.plan = ask(SATISFIABLE, SOUND["parallel_dense"]).plan
    monkeypatch.setattr(examination, "enumerate_classes", None)
    assert fresh_scenarios_of(planned_question).feasible


def test_what_is_found_does_not_depend_on_the_stages_before() -> None:
    alone = ask(NUMERIC, SOUND["parallel_dense"], max_examples=12)
    after = question(SOUND["parallel_dense"], max_examples=12)
    for stage in (SATISFIABLE, SHAPE):
        stage.run(after)
    result = NUMERIC.run(after)
    assert (result.counts, result.coverage) == (alone.counts, alone.coverage)
    assert (result.findings, result.assurances) == (alone.findings, alone.assurances)
