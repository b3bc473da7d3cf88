"""Every demand of a rule is needed, stronger than needed, redundant, or not judged."""

from __future__ import annotations

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.preconditions import REDUNDANT_CONDITION, STRONGER_THAN_NEEDED
from gslverify.preconditions.judge import PRECONDITIONS
from tests.gslverify.preconditions import rules
from tests.gslverify.stages.asking import Write, ask, only

pytestmark = pytest.mark.smt


@pytest.mark.parametrize("write", [rules.right, rules.square_without_sign])
def test_a_rule_that_demands_nothing_is_left_alone(write: Write) -> None:
    result = ask(PRECONDITIONS, write)
    assert (result.findings, result.notes, result.counts) == ((), (), {"demands": 0})


def test_a_condition_that_is_needed_is_shown_with_a_small_graph() -> None:
    result = ask(PRECONDITIONS, rules.chosen_with_shape)
    (needed,) = result.notes
    assert needed.startswith("`chosen.shape == x.shape` is needed: output 0 is ")
    assert "%0 = Where(True, x, y); return %0" in needed


def test_a_condition_that_follows_from_the_operators_is_redundant() -> None:
    finding = only(ask(PRECONDITIONS, rules.chosen_with_shape))
    assert finding.code is REDUNDANT_CONDITION
    assert finding.message == "`x.dtype == y.dtype` follows from the rest of the rule"
    assert finding.span is not None


def test_a_condition_that_refuses_what_is_right_is_shown_with_a_graph() -> None:
    finding = only(ask(PRECONDITIONS, rules.right_for_matrices))
    assert finding.code is STRONGER_THAN_NEEDED
    assert finding.message == "`x.ndim == 2` is stronger than needed: the rule holds without it"
    assert finding.details[0] == "a graph that is refused although both sides agree on it:"
    assert "  %0 = Relu(x)" in finding.details
    assert finding.details[-1].startswith("  with x: ")


def test_a_comparison_that_can_be_weakened_is_told_how() -> None:
    def clipped() -> Subst:
        x = pat.Wildcard()
        clip = op.Clip(op.Relu(x))
        target = op.Clip(x, min=attr.Max(clip.min, 0.0), max=clip.max)
        return Subst(clip, target, where=[clip.max > 0])

    result = ask(PRECONDITIONS, clipped)
    assert result.notes[0].startswith("`clip.max > 0` is needed: ")
    finding = only(result)
    said = "`clip.max > 0` is stronger than needed: `clip.max >= 0` is enough"
    assert (finding.message, finding.cure) == (said, "write `clip.max >= 0` instead")


def test_what_only_empty_tensors_need_is_not_redundant() -> None:
    result = ask(PRECONDITIONS, rules.sum_of_ones)
    assert "`x.shape[0] >= 1` refuses only tensors without elements" in result.notes
    assert REDUNDANT_CONDITION not in [finding.code for finding in result.findings]


def test_equations_of_attributes_are_judged() -> None:
    def flat() -> Subst:
        x = pat.Wildcard()
        total = op.Sum(x, axis=(0,), keepdims=True)
        return Subst(op.Negative(op.Negative(total)), total, where=[x.ndim == 1])

    messages = {finding.message for finding in ask(PRECONDITIONS, flat).findings}
    assert "`total.keepdims == True` is stronger than needed: the rule holds without it" in messages


def test_what_is_not_decided_is_a_note() -> None:
    def shifted() -> Subst:
        x = pat.Wildcard()
        both = op.Abs(op.Asinh(x))
        return Subst(both, op.Asinh(op.Abs(x)), where=[x.ndim == 1])

    result = ask(PRECONDITIONS, shifted)
    assert result.findings == ()
    (note,) = result.notes
    assert note.startswith("`x.ndim == 1` may be stronger than needed: both sides agree on ")
