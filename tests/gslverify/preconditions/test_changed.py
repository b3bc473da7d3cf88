"""Changed rules are questions of their own, put before the stages in order."""

from __future__ import annotations

import pytest

from gslverify.finding import Verdict
from gslverify.mutation.draft import Draft
from gslverify.preconditions.changed import changed_question, verified, with_conditions, written
from gslverify.stage import Question
from tests.gslverify.preconditions import rules
from tests.gslverify.stages.asking import question


def changed(asked: Question, draft: Draft) -> Question:
    made = changed_question(asked, draft, "~")
    assert made is not None
    return made


def test_a_changed_rule_expects_nothing_and_is_tried_on_few_graphs() -> None:
    asked = question(rules.right, max_examples=1000)
    made = changed(asked, Draft.of(asked.subst))
    assert (made.rule.name, made.rule_id) == ("right~", "tests::right~")
    assert made.settings.max_examples < 100
    assert not made.settings.use_tvm


def test_what_the_language_refuses_is_no_question() -> None:
    asked = question(rules.right)
    draft = Draft.of(asked.subst)
    draft.target = ()
    assert changed_question(asked, draft, "~") is None


@pytest.mark.smt
def test_a_rule_that_holds_is_proved_and_run() -> None:
    asked = question(rules.right)
    result = verified(changed(asked, Draft.of(asked.subst)))
    assert result.holds
    assert result.proved
    assert (result.refutation, result.is_vacuous) == (None, False)
    assert [one.stage for one in result.results] == ["satisfiable", "shape", "prove", "numeric"]


@pytest.mark.smt
def test_the_first_refutation_ends_it() -> None:
    asked = question(rules.chosen_by_truth)
    result = verified(changed(asked, Draft.of(asked.subst)))
    assert (result.holds, result.proved) == (False, False)
    assert result.refutation is not None
    assert [one.verdict for one in result.results] == [Verdict.PASS, Verdict.FAIL]


@pytest.mark.smt
def test_contradicting_conditions_are_vacuous() -> None:
    asked = question(rules.right_for_matrices)
    x = asked.subst.source_patterns[0]
    result = verified(changed(asked, with_conditions(asked.subst, x.ndim == 1)))
    assert result.is_vacuous
    assert not result.holds


def test_conditions_are_written_as_in_a_rule_file() -> None:
    subst = rules.right_for_matrices()
    assert written(subst.where[0], subst) == "x.ndim == 2"
