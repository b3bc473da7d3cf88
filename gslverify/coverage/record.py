"""What the networks that were run had in them, and what none of them had."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gsl.attr.term import Term
from gsl.errors import GslError
from gsl.graph import Graph
from gsl.match.bindings import Bindings
from gsl.operators.declaration import Need
from gsl.rewrite.builder import Builder, known, output_pairs
from gsl.subst import Subst
from gsl.text.naming import pattern_names
from gslverify.coverage.aspects import aspects_of, offered
from gslverify.networks.network import Network
from gslverify.structures.instance import Instance
from gslverify.structures.models.concrete import bindings_of
from gslverify.structures.targets.arms import has_arms

Place = tuple[str, str]
"""A facet and one of its values, such as ("conv.strides", "all different")."""

NO_STRUCTURE = "no structure of the rule that was examined has it"
NOT_DRAWN = "no draw had it"
EXCLUDED = "the conditions of the rule exclude it"


@dataclass(slots=True)
class Coverage:
    """How many networks had which value of which facet, and why the others were seen in none."""

    seen: Counter[Place] = field(default_factory=Counter)
    missing: dict[Place, str] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """Return the record as plain values, in a fixed order."""
        facets: dict[str, dict[str, int]] = {}
        for (facet, value), count in sorted(self.seen.items()):
            facets.setdefault(facet, {})[value] = count
        missing = [
            {"facet": facet, "value": value, "reason": reason}
            for (facet, value), reason in sorted(self.missing.items())
        ]
        return {"seen": facets, "missing": missing}


def record(
    subst: Subst, networks: Sequence[Network], before: Coverage | None = None, known: int = 0
) -> Coverage:
    """Return what networks had in them; what none had is missing without being possible.

    `before` is the record of the first `known` of them.
    """
    coverage = Coverage()
    if before is not None:
        coverage = Coverage(Counter(before.seen), dict(before.missing))
    for network in networks[known:]:
        _note(coverage, subst, network)
    for place in coverage.seen:
        coverage.missing.pop(place, None)
    return coverage


def _note(coverage: Coverage, subst: Subst, network: Network) -> None:
    coverage.seen[("context", network.context)] += 1
    bindings = bindings_of(subst, network.outputs, network.matched)
    if bindings is None:
        return
    places: dict[Place, bool] = {}
    for facet, value, holds in aspects_of(bindings, pattern_names(subst)):
        places[facet, value] = places.get((facet, value), False) or holds is True
    for place, holds in places.items():
        if holds:
            coverage.seen[place] += 1
        else:
            coverage.missing.setdefault(place, NO_STRUCTURE)
    for arms in _arms(subst, bindings, network):
        coverage.seen["arms", arms] += 1


def _arms(subst: Subst, bindings: Bindings, network: Network) -> Iterator[str]:
    """Yield the way that a network takes through the conditional targets of a rule."""
    if not has_arms(subst):
        return
    taken: list[str] = []

    def decide(condition: Any) -> bool:
        taken.append(str(known(condition)).lower())
        return known(condition)

    builder = Builder(bindings, Graph(network.outputs), Need(), decide)
    try:
        for _, target in output_pairs(subst, bindings):
            builder.build(*target)
    except GslError:
        return
    yield " ".join(taken)


def possibilities(instances: Sequence[Instance]) -> dict[Place, dict[int, Any]]:
    """Return for every place the numbers of the instances that offer it, and their conditions."""
    found: dict[Place, dict[int, Any]] = {}
    for number, instance in enumerate(instances):
        names = pattern_names(instance.subst)
        for facet, value, holds in aspects_of(instance.bindings, names):
            by_instance = found.setdefault((facet, value), {})
            if offered(holds) and by_instance.get(number) is not True:
                by_instance[number] = holds
    return found


def explained(coverage: Coverage, possible: Mapping[Place, Mapping[int, Any]]) -> Coverage:
    """Return the record with everything that is missing although it is possible."""
    missing = dict(coverage.missing)
    for place, by_instance in possible.items():
        if place not in coverage.seen:
            is_possible = by_instance or place[0].endswith(".filled")
            missing[place] = NOT_DRAWN if is_possible else NO_STRUCTURE
    return Coverage(coverage.seen, missing)


def demands(coverage: Coverage, possible: Mapping[Place, Mapping[int, Any]]) -> dict[Place, Any]:
    """Return for what is missing but possible the conditions that instances could meet."""
    return {
        place: {n: holds for n, holds in possible[place].items() if isinstance(holds, Term)}
        for place, reason in coverage.missing.items()
        if reason == NOT_DRAWN and place in possible
    }
