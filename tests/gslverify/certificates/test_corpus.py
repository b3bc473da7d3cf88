"""Proofs of rules of all kinds leave certificates that are accepted, at all their structures."""

from __future__ import annotations

import json

import pytest

from gsl.subst import Rule
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.certified import certificate_of, check
from tests.gslverify.prove.proving import corpus

pytestmark = [pytest.mark.smt, pytest.mark.slow]

KINDS = frozenset(
    {
        "add_to_broadcast",
        "cast_there_and_back",
        "conv_of_scaled_channels",
        "divide_by_exponential",
        "flip_flip",
        "floor_divide_twice",
        "fold_batch_norm_into_conv1d",
        "fold_pad_into_max_pool",
        "gelu_from_erf",
        "leaky_relu_from_maximum",
        "logarithm_of_root",
        "maximum_greater_than_second",
        "multiply_by_ones",
        "relu_of_pad",
        "reshape_of_full",
        "rms_norm_scaled_behind",
        "slice_of_concat_at_border",
        "sum_of_transposes",
        "take_of_take",
        "unsigned_at_least_zero",
        "variance_from_mean",
    }
)
RULES = [rule for rule in corpus("sound") if rule.name in KINDS]


def test_all_of_these_rules_are_in_the_corpus() -> None:
    assert {rule.name for rule in RULES} == KINDS


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_certificate_is_accepted_at_all_structures(rule: Rule) -> None:
    question = Question(rule.name, rule, Settings())
    found = certificate_of(question)
    assert found.refused == ""
    assert check(question, json.loads(found.as_json())) == ""
