"""Which aspects no network had although some graph may have them, and how to get at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gsl.subst import Subst
from gslverify.coverage.record import (
    EXCLUDED,
    NOT_DRAWN,
    Coverage,
    Place,
    demands,
    explained,
    possibilities,
    record,
)
from gslverify.networks.network import Network
from gslverify.semantics.solver import Answer
from gslverify.semantics.terms import UntranslatableError
from gslverify.structures.models.sampling import Sampler

MOST_INSTANCES = 24
MOST_TRIED = 3
"""Structures in which a condition is asked of the solver."""
EMPTY = "sizes are at least 1 where graphs are drawn; empty tensors are tried apart"


@dataclass(slots=True)
class Survey:
    """The record of the networks so far, how many, and what the structures offer.

    `open` are conditions that no network has met, by the numbers of samplers.
    """

    recorded: Coverage
    networks: int
    possible: dict[Place, dict[int, Any]]
    excluded: set[Place] = field(default_factory=set)
    open: list[dict[int, Any]] = field(default_factory=list)

    def final(self, subst: Subst, networks: Sequence[Network]) -> Coverage:
        """Return the record of all networks, with the reasons that are known by now."""
        recorded = record(subst, networks, self.recorded, self.networks)
        coverage = explained(recorded, self.possible)
        for place, reason in coverage.missing.items():
            if _is_empty(place) and reason == NOT_DRAWN:
                coverage.missing[place] = EMPTY
            elif place in self.excluded:
                coverage.missing[place] = EXCLUDED
        return coverage


def survey(subst: Subst, networks: Sequence[Network], samplers: Sequence[Sampler]) -> Survey:
    """Look for aspects that were missed, and ask the solver which of them a graph can have."""
    step = max(1, -(-len(samplers) // MOST_INSTANCES))
    numbers = range(0, len(samplers), step)
    found = possibilities([samplers[number].instance for number in numbers])
    possible = {
        place: {numbers[number]: holds for number, holds in by_instance.items()}
        for place, by_instance in found.items()
    }
    result = Survey(record(subst, networks), len(networks), possible)
    for place, conditions in demands(explained(result.recorded, possible), possible).items():
        if _is_empty(place) or not conditions:
            continue
        feasible = _feasible(samplers, conditions)
        if feasible:
            result.open.append(feasible)
        else:
            result.excluded.add(place)
    return result


def _is_empty(place: Place) -> bool:
    return place[0].endswith(".size") and place[1] == "0"


def _feasible(samplers: Sequence[Sampler], conditions: Mapping[int, Any]) -> dict[int, Any]:
    tried = list(conditions.items())[:: max(1, len(conditions) // MOST_TRIED)]
    return {n: term for n, term in tried[:MOST_TRIED] if _is_feasible(samplers[n], term)}


def _is_feasible(sampler: Sampler, term: Any) -> bool:
    try:
        return sampler.solver.check(term).answer is not Answer.UNSAT
    except UntranslatableError:
        return False


def with_corner(
    samplers: Sequence[Sampler], conditions: Mapping[int, Any], corner: int
) -> list[Sampler]:
    """Give samplers a condition as the corner of that number; return those that have it."""
    chosen: list[Sampler] = []
    for number, term in conditions.items():
        sampler = samplers[number]
        room = corner - len(sampler.corners)
        sampler.corners += [term] * (room + 1)
        chosen.append(sampler)
    return chosen
