"""Networks drawn without hypothesis."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from gsl.expr import Call
from gsl.graph import reverse_post_order
from gslverify.networks.contexts import CONTEXTS
from gslverify.networks.network import Network
from gslverify.networks.plain import MOST_ELEMENTS, drawn
from gslverify.trials.trial import run_trial
from tests.gslverify.rules import SOUND, samplers_of

pytestmark = pytest.mark.smt

NAMES = ("common_factor", "times_one", "diamond_convolution")


def draw(name: str, count: int, **options: Any) -> list[tuple[Network, dict[str, Any]]]:
    samplers, random = samplers_of(SOUND[name](), 4), Random(name)
    made = (drawn(samplers, random, **options) for _ in range(count))
    return [one for one in made if one is not None]


@pytest.mark.parametrize("name", NAMES)
def test_sound_rules_pass_on_them(name: str) -> None:
    outcomes = [run_trial(SOUND[name](), *one) for one in draw(name, 20)]
    assert [outcome.message for outcome in outcomes if outcome.code is not None] == []
    assert sum(not outcome.rejected for outcome in outcomes) >= 8


def test_inputs_fit_the_variables_and_tensors_are_small() -> None:
    for network, inputs in draw("common_factor", 20):
        for variable in network.variables:
            array = inputs[variable.name]
            assert (array.shape, array.dtype) == (variable.shape, variable.dtype)
            assert array.size <= MOST_ELEMENTS


def test_only_the_contexts_asked_for_are_drawn() -> None:
    found = draw("common_factor", 20, contexts=["twice", "names clash"])
    assert {network.context for network, _ in found} == {"twice", "names clash"}
    assert {network.context for network, _ in draw("common_factor", 200)} <= set(CONTEXTS)


def test_draws_of_one_variant_have_its_attributes_and_dtypes() -> None:
    kinds = set()
    for network, _ in draw("diamond_convolution", 12, contexts=["alone"], variant=1):
        calls = [e for e in reverse_post_order(network.outputs) if isinstance(e, Call)]
        kinds.add(tuple(call.type.dtype for call in calls if hasattr(call.type, "dtype")))
    assert len(kinds) == 1
