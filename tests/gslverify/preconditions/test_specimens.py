"""Matches are drawn, the same ones every time, and it is known on which the rule is wrong."""

from __future__ import annotations

import pytest

from gsl.text.listing import listing
from gslverify.case import Case, case_of
from gslverify.preconditions.specimens import Specimen, specimen_of_case, specimens
from gslverify.stage import Question
from gslverify.stages.examination import fresh_scenarios_of
from tests.gslverify.preconditions import rules
from tests.gslverify.stages.asking import Write, question

pytestmark = pytest.mark.smt


def drawn(asked: Question, count: int = 12) -> list[Specimen]:
    samplers = [scenario.sampler for scenario in fresh_scenarios_of(asked).feasible]
    return specimens(asked.subst, samplers, count, 0)


@pytest.mark.parametrize(("write", "fails"), [(rules.right, {False}), (rules.always_wrong, {True})])
def test_it_is_known_where_a_rule_is_wrong(write: Write, fails: set[bool]) -> None:
    assert {specimen.fails for specimen in drawn(question(write))} == fails


def test_a_rule_that_lacks_a_condition_is_right_sometimes() -> None:
    assert {one.fails for one in drawn(question(rules.chosen_by_truth))} == {True, False}


def test_the_same_matches_are_drawn_again() -> None:
    texts = [
        [listing(one.network.outputs) for one in drawn(question(rules.sum_of_flip))]
        for _ in range(2)
    ]
    assert texts[0] == texts[1]
    assert len(texts[0]) == 12


def test_a_counterexample_is_a_match_on_which_the_rule_is_wrong() -> None:
    asked = question(rules.chosen_by_truth)
    network = drawn(asked, 1)[0].network
    (found,) = specimen_of_case(asked.subst, case_of(network.outputs, network.matched))
    assert found.fails
    assert found.bindings[asked.subst.source[0]].type == network.outputs[0].type


def test_what_is_no_match_or_no_graph_tells_nothing() -> None:
    network = drawn(question(rules.sum_of_flip), 1)[0].network
    other = question(rules.right).subst
    assert specimen_of_case(other, case_of(network.outputs, network.matched)) == []
    damaged = Case((("no such record", ()),), (0,), (0,))
    assert specimen_of_case(other, damaged) == []
