"""Long proofs of wrong rules are given up as soon as some graph refutes them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from gsl import Subst, op, pat
from gsl.rule_files.collect import rules_in
from gslverify.finding import Level
from gslverify.networks.choices import Tape
from gslverify.networks.preferences import preferences
from gslverify.prove.effort import EASY, PATIENCE, Doubt, RefutedError
from gslverify.stages.examination import scenarios_of
from gslverify.stages.prove import PROVE
from gslverify.trials.first_look import model_with_elements
from tests.gslverify.stages.asking import ask, question

pytestmark = pytest.mark.smt

CORPUS = Path(__file__).parents[3] / "rule_corpus"


def joined_convolutions(groups: object) -> Subst:
    x1, w1 = pat.Wildcard(), pat.Variable()
    x2, w2 = pat.Wildcard(), pat.Variable(shape=(w1.shape[0], None, w1.shape[2], w1.shape[3]))
    conv1 = op.Conv2D(x1, w1, groups=groups, data_layout="NCHW", kernel_layout="OIHW")
    conv2 = op.Conv2D(x2, w2, **pat.same_attr(conv1))
    x, w = op.Concatenate((x1, x2), axis=1), op.Concatenate((w1, w2), axis=1)
    return Subst(
        conv1 + conv2,
        op.Conv2D(x, w, **pat.same_attr(conv1)),
        where=[x1.dtype == x2.dtype, x1.shape[0] == x2.shape[0], x1.shape[2:] == x2.shape[2:]],
    )


def test_the_proof_of_a_wrong_rule_ends_with_a_graph() -> None:
    result = ask(PROVE, lambda: joined_convolutions(None))
    assert result.open.endswith("source and target differ on a graph that was drawn")
    assert not result.findings


def test_a_long_proof_of_a_sound_rule_is_not_given_up() -> None:
    (rule,) = [one for one in rules_in(CORPUS / "sound/convolution.py") if one.name == "conv_mul"]
    (assurance,) = ask(PROVE, rule.write).assurances
    assert assurance.level is Level.PROVED


def test_it_is_looked_seldom_and_only_where_a_proof_is_long() -> None:
    asked: list[int] = []
    doubt = Doubt(lambda: bool(asked.append(len(asked))))
    for _ in range(PATIENCE):
        doubt.after(EASY // PATIENCE)
    assert asked == []
    for _ in range(3 * PATIENCE):
        doubt.after(EASY // 2)
    assert len(asked) == 2


def test_what_is_wrong_ends_the_proof() -> None:
    with pytest.raises(RefutedError, match="differ"):
        Doubt(lambda: True).after(EASY + 1)


def slices_of_slices() -> Subst:
    """Two slices as one from the start: most steps and bounds that are drawn leave nothing."""
    x = pat.Wildcard(shape=(None, None))
    whole = op.StridedSlice(op.StridedSlice(x))
    return Subst(whole, op.StridedSlice(x, begin=(0, 0), end=whole.shape, strides=(1, 1)))


def test_graphs_that_are_drawn_have_elements_where_some_may_have() -> None:
    (scenario,) = scenarios_of(question(slices_of_slices)).feasible
    sampler, random = scenario.sampler, Random(0)
    for _ in range(5):
        model = model_with_elements(sampler, preferences(Tape((), random)))
        assert model is not None
        assert all(sampler.evaluator.value(one, model) is True for one in sampler.elements)
