"""Graphs that a rule matches, and whether it is right about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from math import prod
from random import Random
from typing import Any

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import Constant, Operation, Symbol, Term
from gsl.errors import GslError
from gsl.match.bindings import Bindings, Scope
from gsl.subst import Subst
from gslverify.case import Case
from gslverify.networks.arrays import STYLES, filled_inputs
from gslverify.networks.choices import NothingDrawnError, Tape, one_of
from gslverify.networks.generation import network_in
from gslverify.networks.network import Network
from gslverify.networks.preferences import preferences
from gslverify.preconditions.readings import value_of
from gslverify.structures.models.concrete import bindings_of
from gslverify.structures.models.sampling import Preference, Sampler
from gslverify.trials.replay import network_of
from gslverify.trials.rewriting import prepare
from gslverify.trials.trial import Outcome, excused, judge

DISTRIBUTIONS = (
    ("small integers", True),
    ("distinct integers", True),
    ("edges", True),
)
"""Inputs on which a graph is tried, besides those that it was drawn with."""


MOST_REPEATS, FEW_ELEMENTS = 4, 8

Doubt = Callable[[Sequence[Outcome]], bool]
"""Tells whether a rule fails in another way where both sides agree on several inputs."""


def no_doubt(trials: Sequence[Outcome]) -> bool:
    """Be content with trials that agree."""
    return False


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


def specimens(
    subst: Subst, samplers: Sequence[Sampler], count: int, seed: int, doubt: Doubt = no_doubt
) -> list[Specimen]:
    """Return up to `count` matches, of all structures in turn; the same ones every time.

    Graphs that tell nothing are left out.
    """
    return list(islice(endless_specimens(subst, samplers, 2 * count, seed, doubt), count))


def endless_specimens(
    subst: Subst, samplers: Sequence[Sampler], draws: int, seed: int, doubt: Doubt = no_doubt
) -> Iterator[Specimen]:
    """Yield what so many draws come to, as long as somebody asks."""
    random = Random(seed)
    for number in range(draws):
        made = _drawn(samplers[number % len(samplers)], random)
        if made is not None:
            yield from _specimen(subst, made[0], made[1], number, doubt)


def specimens_that_meet(
    subst: Subst,
    samplers: Sequence[Sampler],
    condition: Term,
    count: int,
    seed: int,
    ask_solver: bool = False,
    doubt: Doubt = no_doubt,
) -> list[Specimen]:
    """Return up to `count` matches that meet a condition, one or two of a structure.

    The solver may be asked for the first one.
    """
    random = Random(seed)
    found: list[Specimen] = []
    demands = ((one, value_of(condition, Scope(one.instance.bindings))) for one in samplers)
    possible = [pair for pair in demands if pair[1] is True or isinstance(pair[1], Term)]
    for number, (sampler, demand) in enumerate(islice(cycle(possible), count + 2)):
        asked = None if demand is True else demand
        made = _drawn(sampler, random, asked, ask_solver)
        if made is None and not found:
            break
        if made is not None:
            for specimen in _specimen(subst, made[0], made[1], number, doubt):
                found += [specimen] if value_of(condition, specimen.scope) is True else []
    return found[:count]


def _drawn(
    sampler: Sampler, random: Random, demand: Term | None = None, ask_solver: bool = False
) -> tuple[Network, Mapping[str, Any]] | None:
    """Return a match and values for its inputs; None when the draw failed.

    A demand on the symbols of the structure is met, if that is easy or the solver is asked.
    """
    choices = Tape((), random)
    preference = preferences(choices)
    if demand is None:
        model = sampler.model(preference, may_be_empty=False)
    else:
        model = sampler.near(_granting(preference, demand), False, demand)
    if model is None and ask_solver:
        model = sampler.model(preference, may_be_empty=False, demand=demand)
    if model is None:
        return None
    try:
        network = network_in(choices, sampler, model)
    except NothingDrawnError:
        return None
    style, seed = one_of(choices, STYLES), choices.number(2**32 - 1)
    return network, filled_inputs(network, (style, True), seed)


def _granting(preference: Preference, demand: Term) -> Preference:
    """Return preferences for the numbers that a demand names."""
    named: dict[Symbol, Any] = {}
    for part in conjuncts(demand):
        match part:
            case Operation(head="==", operands=(Symbol() as symbol, Constant(value=value))):
                named[symbol] = value
    return lambda symbol, options: named[symbol] if symbol in named else preference(symbol, options)


def _specimen(
    subst: Subst, network: Network, inputs: Mapping[str, Any], seed: int, doubt: Doubt
) -> Iterator[Specimen]:
    bindings = bindings_of(subst, network.outputs, network.matched)
    if bindings is None:
        return
    try:
        prepared = prepare(subst, network)
        telling: list[Outcome] = []
        for one in (inputs, *_further_inputs(network, seed)):
            trial = excused(subst, judge(network, prepared, one))
            if trial.code is not None:
                yield Specimen(network, bindings, fails=True)
                return
            telling += [] if trial.rejected else [trial]
    except GslError:
        return
    if telling:
        yield Specimen(network, bindings, fails=doubt(telling))


def _further_inputs(network: Network, seed: int) -> Iterator[Mapping[str, Any]]:
    """Yield inputs from several distributions; the fewer elements there are, the more of them."""
    elements = sum(prod(variable.shape) for variable in network.variables)
    for again in range(MOST_REPEATS if elements <= FEW_ELEMENTS else 1):
        for distribution in DISTRIBUTIONS:
            yield filled_inputs(network, distribution, seed * MOST_REPEATS + again)


def specimen_of_case(subst: Subst, case: Case) -> list[Specimen]:
    """Return the match of a counterexample, nothing if it cannot be read or is no match."""
    try:
        network = network_of(case)
        bindings = bindings_of(subst, network.outputs, network.matched)
    except GslError:
        return []
    return [] if bindings is None else [Specimen(network, bindings, fails=True)]
