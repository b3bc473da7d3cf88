"""Graphs that a rule matches, and whether it is right about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from random import Random
from typing import Any

from gsl.errors import GslError
from gsl.match.bindings import Bindings, Scope
from gsl.subst import Subst
from gslverify.case import Case
from gslverify.networks.arrays import filled_inputs
from gslverify.networks.network import Network
from gslverify.networks.plain import drawn
from gslverify.structures.concrete import bindings_of
from gslverify.structures.sampling import Sampler
from gslverify.trials.replay import network_of
from gslverify.trials.rewriter import RuleRewriter, prepare
from gslverify.trials.trial import judge

MANNERS = (
    ("small integers", True),
    ("distinct integers", True),
    ("edges", True),
)
"""Inputs on which a graph is tried, besides those that it was drawn with."""


MOST_REPEATS, FEW_ELEMENTS = 4, 8


@dataclass(frozen=True, slots=True)
class Specimen:
    """A match of a rule, and whether the rule `fails` there."""

    network: Network
    bindings: Bindings
    fails: bool

    @property
    def scope(self) -> Scope:
        """What the attributes of the source are."""
        return Scope(self.bindings)


def specimens(subst: Subst, samplers: Sequence[Sampler], count: int, seed: int) -> list[Specimen]:
    """Return up to `count` matches, of all structures in turn; the same ones every time.

    Graphs that tell nothing are left out.
    """
    random = Random(seed)
    found: list[Specimen] = []
    for number in range(2 * count):
        if len(found) == count:
            break
        made = drawn([samplers[number % len(samplers)]], random, ("alone",))
        if made is not None:
            found += _specimen(subst, made[0], made[1], number)
    return found


def _specimen(
    subst: Subst, network: Network, inputs: Mapping[str, Any], seed: int
) -> Iterator[Specimen]:
    bindings = bindings_of(subst, network.outputs, network.matched)
    if bindings is None:
        return
    try:
        prepared = prepare(RuleRewriter(subst), network)
        every = [inputs, *_further_inputs(network, seed)]
        trials = [judge(network, prepared, one) for one in every]
    except GslError:
        return
    telling = [trial for trial in trials if not trial.rejected]
    if telling:
        yield Specimen(network, bindings, any(trial.code is not None for trial in telling))


def _further_inputs(network: Network, seed: int) -> Iterator[Mapping[str, Any]]:
    """Yield inputs of several manners; the fewer elements there are, the more of them."""
    elements = sum(prod(variable.shape) for variable in network.variables)
    for again in range(MOST_REPEATS if elements <= FEW_ELEMENTS else 1):
        for manner in MANNERS:
            yield filled_inputs(network, manner, seed * MOST_REPEATS + again)


def specimen_of_case(subst: Subst, case: Case) -> list[Specimen]:
    """Return the match of a counterexample, nothing if it cannot be read or is no match."""
    try:
        network = network_of(case)
        bindings = bindings_of(subst, network.outputs, network.matched)
    except GslError:
        return []
    return [] if bindings is None else [Specimen(network, bindings, fails=True)]
