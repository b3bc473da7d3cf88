"""A proof takes the place of some graphs and inputs, and of no structure."""

from __future__ import annotations

import pytest

from gsl import Subst, op, pat
from gslverify.finding import Verdict
from gslverify.stage import Question
from gslverify.stages.examination import fresh_scenarios_of
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.prove import PROVE
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.trials.search import Search
from tests.gslverify.rules import SOUND
from tests.gslverify.stages.asking import question

pytestmark = pytest.mark.smt

NAME = "parallel_dense"


def proved(**settings: int) -> Question:
    """Return a question that another process goes on with after the proof."""
    first = question(SOUND[NAME], **settings)
    SATISFIABLE.run(first)
    plan = PROVE.run(first).plan
    after = question(SOUND[NAME], **settings)
    after.plan = plan
    return after


def test_that_a_rule_is_proved_is_handed_on() -> None:
    assert fresh_scenarios_of(proved()).proved
    assert not fresh_scenarios_of(question(SOUND[NAME])).proved


def test_what_is_not_proved_is_not_handed_on_as_proved() -> None:
    def root_of_square() -> Subst:
        x = pat.Wildcard(dtype="float32")
        return Subst(op.Sqrt(x * x), x)

    asked = question(root_of_square)
    SATISFIABLE.run(asked)
    PROVE.run(asked)
    assert not fresh_scenarios_of(asked).proved


def test_a_proved_rule_has_half_the_graphs_and_fewer_inputs() -> None:
    settings = {"max_examples": 120}
    without = NUMERIC.run(question(SOUND[NAME], **settings)).counts
    with_proof = NUMERIC.run(proved(**settings)).counts
    assert with_proof["examples"] < 0.7 * without["examples"]
    after = proved()
    samplers = [one.sampler for one in fresh_scenarios_of(after).feasible]
    assert Search(after, samplers, proved=True).draws_of_a_graph == 4
    assert Search(after, samplers).draws_of_a_graph == after.settings.draws == 7


@pytest.mark.parametrize("graphs", [1, 20, 30])
def test_there_are_as_many_graphs_as_are_needed(graphs: int) -> None:
    result = NUMERIC.run(proved(max_examples=graphs, min_examples=graphs))
    assert result.verdict is Verdict.PASS
    assert result.counts["examples"] >= graphs


def test_every_structure_of_a_proved_rule_is_run() -> None:
    after = proved(max_examples=1, min_examples=1)
    scenarios = fresh_scenarios_of(after)
    structures = len(scenarios.feasible) + len(scenarios.large)
    assert NUMERIC.run(after).counts["examples"] >= structures > 4
