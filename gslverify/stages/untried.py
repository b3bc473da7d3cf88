"""Graphs that were not run although the target of a rule may be computed otherwise on them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence, Set

from gsl.attr.term import Operation, Term
from gsl.pat import Cond
from gsl.subst import Subst
from gsl.text.naming import pattern_names
from gsl.text.terms import term_text
from gslverify.networks.network import Network
from gslverify.networks.rounds import by_decision
from gslverify.stages.larger_structures import may_exceed_the_bound, may_have
from gslverify.structures.instance import Instance
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.targets.arms import Outcome, condition_of, decisions
from gslverify.structures.targets.counted import AnyCounts, turning_points
from gslverify.structures.targets.guards import guards_in


def untried_by(
    subst: Subst,
    networks: Sequence[Network],
    samplers: Sequence[Sampler],
    corners: Set[tuple[Hashable, int]],
    complete: bool = False,
) -> str:
    """Return which graphs the networks, some of them in corners of the samplers, leave out.

    The samplers may be `complete`: what none of them decides in some way is never decided so.
    """
    instances = [network.sampler.instance for network in networks]
    return (
        _untried_corner(samplers, corners)
        or _untried_counts(subst, instances)
        or _untried_arm(subst, networks, samplers if complete else None)
    )


def _untried_corner(samplers: Sequence[Sampler], corners: Set[tuple[Hashable, int]]) -> str:
    """Return what sizes and attributes decide, and was not decided in some way."""
    for decision, among in by_decision(samplers).items():
        if decision in corners:
            continue
        for sampler in among:
            demand, outcome = sampler.decisive[decision[1]]
            if sampler.may_meet(demand):
                return f"on which a condition of the target is {str(outcome).lower()}"
    return ""


def _untried_counts(subst: Subst, instances: Sequence[Instance]) -> str:
    """Return how many axes or fields decide about the target, and no graph had."""
    for point in turning_points(subst):
        if not any(map(point.is_in, instances)) and may_have(subst, point):
            fields = [f"{count} fields" for count in point.lengths.values()]
            axes = [f"an input of {rank} axes" for rank in point.ranks.values()]
            return f"with {' and '.join((*fields, *axes))}, and the target depends on their number"
    return ""


def _untried_arm(subst: Subst, networks: Sequence[Network], every: Sequence[Sampler] | None) -> str:
    """Return what the structure decides, and was only decided in one way though both are possible.

    It is possible whatever is not known to be the same in `every` structure, and those are all
    that there are.
    """
    seen = set().union(*(network.sampler.outcomes for network in networks))
    unseen = [o for one in decisions(subst) for o in ((one, True), (one, False)) if o not in seen]
    if unseen and every is not None and not may_exceed_the_bound(subst):
        possible = set[Outcome]().union(*(one.outcomes for one in every))
        unseen = [outcome for outcome in unseen if outcome in possible]
    if unseen:
        counts = AnyCounts(subst)
        unseen = [outcome for outcome in unseen if not counts.never(_with_guards(subst, outcome))]
    if not unseen:
        return ""
    conditional, falls = unseen[0]
    return f"on which {_condition_of(conditional, subst)} is {str(falls).lower()}"


def _with_guards(subst: Subst, outcome: Outcome) -> Iterator[tuple[Term, bool]]:
    """Yield how a condition falls, and how others do within which it counts."""
    conditional, falls = outcome
    yield condition_of(conditional), falls
    if isinstance(conditional, Operation):
        for choice, first in guards_in(subst)[conditional].items():
            yield choice.operands[0], first


def _condition_of(conditional: Cond | Operation, subst: Subst) -> str:
    text = term_text(condition_of(conditional), pattern_names(subst))
    return f"the condition `{text}` of the target"
