"""A first look at a rule: do both sides agree on some graphs that are soon drawn?"""

from __future__ import annotations

from random import Random
from typing import Any

from gsl.attr.term import Symbol
from gsl.errors import GslError
from gsl.subst import Subst
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.networks.arrays import filled_inputs
from gslverify.networks.choices import NothingDrawnError, Tape
from gslverify.networks.generation import network_in
from gslverify.networks.network import Network
from gslverify.networks.preferences import preferences
from gslverify.structures.models.sampling import Preference, Sampler
from gslverify.trials.rewriting import prepare
from gslverify.trials.trial import judge

GRAPHS = 8
STYLES = ("small integers", "distinct integers")
"""What inputs have in them: numbers with which nothing is rounded."""


def is_wrong_on_some(subst: Subst, sampler: Sampler, seed: int) -> bool:
    """Tell whether outputs differ on one of the graphs; no solver is asked for them."""
    random = Random(seed)
    return any(_is_wrong_on(subst, sampler, random) for _ in range(GRAPHS))


def _is_wrong_on(subst: Subst, sampler: Sampler, random: Random) -> bool:
    choices = Tape((), random)
    model = model_with_elements(sampler, preferences(choices))
    if model is None:
        return False
    try:
        return _differs(subst, network_in(choices, sampler, model), choices.number(255))
    except (NothingDrawnError, GslError):
        return False


def model_with_elements(sampler: Sampler, preference: Preference) -> dict[Symbol, Any] | None:
    """Return a model near the preferences, in which no result is empty if a few attempts find one.

    Bounds of slices that are drawn by themselves mostly leave nothing between them.
    """
    return sampler.near(preference, may_be_empty=False) or sampler.near(preference)


def _differs(subst: Subst, network: Network, start: int) -> bool:
    prepared = prepare(subst, network)
    drawn = (filled_inputs(network, (style, True), start) for style in STYLES)
    return any(judge(network, prepared, one).code is OUTPUTS_DIFFER for one in drawn)
