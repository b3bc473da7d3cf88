"""Whether ranks and permutations matter: structures that differ from a failing one in one of them.

A rank or attribute is said to be harmless only if all its structures were tried, with the failing
values and fresh ones, in the failing sizes and in larger ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gsl.attr.term import Term
from gsl.expr import Call, Var
from gsl.subst import Subst
from gslverify.networks.network import Network
from gslverify.structures.sampling import Sampler
from gslverify.trials.structures import complexity, like
from gslverify.trials.trial import Outcome
from gslverify.trials.variation import ROUNDS_OF_A_STEP, Tried, Variations, mattering

MOST_VALUES = 4
MOST_OF_A_VALUE = 6
"""A value with more structures is not looked at, as not all of them would be tried."""

LARGER = ((2,), (2, 3, 4, 5))
"""Sizes in which structures are tried beside those that failed, one axis after the other."""

Structure = Mapping[str, Any]
"""The ranks of inputs and the attributes that a structure fixes, by their names."""


def structures_that_matter(
    subst: Subst, failure: Outcome, samplers: Sequence[Sampler]
) -> tuple[str, ...]:
    """Return in words for which ranks and attributes of structures the rule does not fail."""
    network = failure.network
    if network.sampler is None or network.escaping or network.context != "alone":
        return ()
    variations = Variations(subst, failure)
    now, found = structure_of(network.sampler), []
    for name, others in _others(network.sampler, samplers).items():
        seen = Tried()
        for value, few in list(others.items())[:MOST_VALUES]:
            runs = [_runs(variations, sampler) for sampler in few]
            if any(variations.still_fails(run) is not None for run in runs):
                seen.fails.append(value)
            elif all(runs) and len(few) <= MOST_OF_A_VALUE:
                seen.passes[value] = sum(map(len, runs))
        found += [mattering(name, seen, now[name])] if seen.passes else []
    return tuple(found)


def structure_of(sampler: Sampler) -> dict[str, Any]:
    """Return what a structure fixes: ranks first, then attributes without symbols."""
    instance = sampler.instance
    named = [(instance.names.get(key), node.expr) for key, node in instance.bindings.nodes.items()]
    ranks = {f"{n}.ndim": len(expr.shape) for n, expr in named if n and isinstance(expr, Var)}
    calls = [(name, expr) for name, expr in named if name and isinstance(expr, Call)]
    return ranks | {
        f"{name}.{attribute}": value
        for name, call in calls
        for attribute, value in call.attributes.items()
        if isinstance(value, tuple) and not any(isinstance(part, Term) for part in value)
    }


def _others(failing: Sampler, samplers: Sequence[Sampler]) -> dict[str, dict[Any, list[Sampler]]]:
    """Return the structures in which one name has another value, by names and values."""
    now, size = structure_of(failing), complexity(failing)[0]
    others: dict[str, dict[Any, list[Sampler]]] = {}
    for sampler in samplers:
        other = structure_of(sampler)
        if complexity(sampler)[0] == size and other.keys() == now.keys():
            name = _changed(now, other)
            if name:
                others.setdefault(name, {}).setdefault(other[name], []).append(sampler)
    return others


def _changed(now: Structure, other: Structure) -> str:
    """Return which name has another value; ranks come first, as attributes follow them."""
    changed = [name for name in now if now[name] != other[name]]
    is_rank = bool(changed) and changed[0].endswith(".ndim")
    alike = len({(now[name], other[name]) for name in changed}) == 1
    return changed[0] if changed and (is_rank or alike) else ""


def _runs(variations: Variations, sampler: Sampler) -> list[Outcome]:
    """Run a structure in several sizes; [] if some of them told nothing."""
    outcomes: list[Outcome] = []
    for network in _networks(variations.failure.network, sampler):
        runs = [] if network is None else variations.outcomes(network, ROUNDS_OF_A_STEP)
        if variations.still_fails(runs) is not None:
            return runs
        if network is None or not variations.is_harmless(runs, network):
            return []
        outcomes += runs
    return outcomes


def _networks(failing: Network, sampler: Sampler) -> Iterator[Network | None]:
    for sizes in ((), *LARGER):
        network = like(failing, sampler, sizes)
        same = network is not None and _same_attributes(failing.model, network.model)
        yield network if same else None


def _same_attributes(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    shared = (name for name in old if name in new and ".shape[" not in name)
    return all(old[name] == new[name] for name in shared)
