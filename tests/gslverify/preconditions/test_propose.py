"""A refuted rule is told the weakest condition that mends it, or nothing."""

from __future__ import annotations

import pytest

from gsl.types import FLOATING
from gslverify.codes.gradient import GRADIENTS_DIFFER
from gslverify.codes.levels import EMPTY_DIFFERS
from gslverify.finding import Finding, Verdict
from gslverify.preconditions.propose import Proposal, proposal
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.shape import SHAPE
from tests.gslverify.preconditions import rules
from tests.gslverify.prove.proving import corpus
from tests.gslverify.stages.asking import Write, question

pytestmark = pytest.mark.smt


def refuted(write: Write) -> tuple[Question, Finding]:
    asked = question(write, max_examples=30)
    for stage in (SHAPE, NUMERIC):
        for finding in stage.run(asked).findings:
            if finding.code.verdict is Verdict.FAIL:
                return asked, finding
    raise AssertionError("the rule is not refuted")


@pytest.mark.parametrize(
    ("write", "condition"),
    [
        (rules.merged_convolutions, "conv.groups == 1"),
        (rules.clipped_relu, "clip.max >= 0"),
        (rules.sum_of_flip, "(flip.axis % x.ndim) == (total.axis[0] % flip.ndim)"),
        (rules.chosen_by_truth, "x.shape == chosen.shape"),
        (rules.square_without_sign, "attr.In(x.dtype, ('float32', 'float64', 'float16'))"),
        (rules.negative_summand, f"attr.In(x.dtype, {(*FLOATING, 'int32', 'int64', 'int8')})"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_a_rule_lacks_is_found(write: Write, condition: str) -> None:
    found = proposal(*refuted(write))
    assert found is not None
    assert (found.condition, found.proved) == (condition, True)
    assert 2 <= found.kept <= found.right


@pytest.mark.parametrize(
    ("name", "condition"),
    [
        ("parallel_dense_as_batch_any_shape", "v.shape == w.shape"),
        ("bias_add_bias_add_any_axis", "(inner.axis % x.ndim) == (outer.axis % inner.ndim)"),
        ("leaky_relu_from_maximum_any_slope", "a.value <= 1"),
    ],
)
def test_broken_rules_of_the_corpus_lack_what_their_sound_twins_have(
    name: str, condition: str
) -> None:
    (rule,) = (rule for rule in corpus("broken") if rule.name == name)
    found = proposal(*refuted(rule.write))
    assert found is not None
    assert found.condition == condition


def test_a_rule_that_is_always_wrong_gets_no_condition() -> None:
    assert proposal(*refuted(rules.always_wrong)) is None


def test_the_same_is_found_again() -> None:
    assert len({str(proposal(*refuted(rules.chosen_by_truth))) for _ in range(2)}) == 1


@pytest.mark.parametrize("code", [GRADIENTS_DIFFER, EMPTY_DIFFERS], ids=str)
def test_what_is_not_shown_by_a_match_is_not_asked(code: object) -> None:
    asked, _ = refuted(rules.chosen_by_truth)
    assert proposal(asked, Finding(code, "")) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("proved", "said"), [(True, "is proved for all sizes"), (False, "passes all stages")]
)
def test_a_proposal_says_how_it_is_known(proved: bool, said: str) -> None:
    text = str(Proposal("c.groups == 1", proved, 3, 9))
    assert text == f"add the condition `c.groups == 1`: with it the rule {said}"
