"""The fewest conditions of a rule that clash, found by leaving out one after the other.

A condition is left out for good where the rest still clashes within the bound. What remains is
minimal: without any one of them a graph may match. Every attempt is bounded; one that comes to no
conclusion keeps its condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gsl.attr.term import Access, Operation, Term, subterms
from gsl.pat import GetInst, Pattern, Variadic
from gsl.subst import Subst
from gslverify.semantics.solver import Answer, new_context
from gslverify.semantics.terms import UntranslatableError
from gslverify.settings import Settings
from gslverify.stages.questions import Questions
from gslverify.stages.scenarios import Scenario, scenario_of
from gslverify.structures.instance import USUAL, Extent, InfeasibleError, of_many_fields
from gslverify.structures.targets.counted import turning_points_of_conditions
from gslverify.structures.variants import enumerate_variants

Patterns = tuple[Pattern, ...]

MOST_BUILDS = 2_000
"""Builds of a source for one attempt."""
MOST_TRIED = 64
"""Structures that are put to the solver where there are more than can be enumerated."""
MOST_ATTEMPTS = 48
MOST_EXTENTS = 6


@dataclass(frozen=True, slots=True)
class Clash:
    """Why no graph within the bound matches: what no structure passes, or one that is refuted.

    It is not `exhaustive` where attributes have rare forms that were not looked at.
    """

    obstacles: tuple[InfeasibleError, ...]
    refuted: Scenario | None
    exhaustive: bool = True


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Conditions that clash with each other or with the patterns, and `clash`, what they do.

    They are `minimal` if it is known of each that some graph matches without it.
    """

    conditions: tuple[Term, ...]
    clash: Clash
    minimal: bool


def contradiction_of(subst: Subst, settings: Settings) -> Contradiction | None:
    """Return the fewest conditions that clash; None where that could not be found out.

    Where the rule has too many structures, only what the conditions are about is looked at.
    """
    kept = [part for condition in _written(subst) for part in _parts(condition)]
    whole = subst.source
    for source in (whole, _patterns_of(kept)):
        clash = _clash_of(subst, source, kept, settings) if source else None
        if isinstance(clash, Clash):
            return _fewest(subst, source, kept, clash, settings)
    return None


def clash_by_themselves(subst: Subst, settings: Settings) -> bool:
    """Tell whether the conditions of a rule clash whatever its operators do with their patterns."""
    conditions = _written(subst)
    source = _patterns_of(conditions)
    clash = _clash_of(subst, source, conditions, settings) if source else None
    return isinstance(clash, Clash) and clash.exhaustive


def _fewest(
    subst: Subst, source: Patterns, kept: list[Term], clash: Clash, settings: Settings
) -> Contradiction:
    minimal = source is subst.source
    for attempt, condition in enumerate(list(kept)):
        others = [one for one in kept if one is not condition]
        found = _clash_of(subst, source, others, settings) if attempt < MOST_ATTEMPTS else None
        if isinstance(found, Clash):
            kept, clash = others, found
        else:
            minimal &= found is False
    return Contradiction(tuple(kept), clash, minimal)


def _patterns_of(conditions: Sequence[Term]) -> Patterns:
    """Return the patterns that conditions read; none where fields of tuples are among them."""
    parts = (part for condition in conditions for part in subterms(condition))
    found = dict.fromkeys(part.pattern for part in parts if isinstance(part, Access))
    return () if any(isinstance(one, Variadic | GetInst) for one in found) else tuple(found)


def _written(subst: Subst) -> Sequence[Term]:
    """Return the conditions that were written, by assumptions, too: all but lengths of patterns."""
    return (*subst.stated, *subst.assumptions)


def _parts(condition: Term) -> Iterator[Term]:
    if isinstance(condition, Operation) and condition.head == "and":
        for operand in condition.operands:
            yield from _parts(operand)
    else:
        yield condition


def _clash_of(
    subst: Subst, source: Patterns, conditions: Sequence[Term], settings: Settings
) -> Clash | bool | None:
    """Return why a changed rule has no match; False if it has one, None if that is not known."""
    changed = Subst(source, subst.target, where=conditions, aliases=subst.aliases)
    changed.origin = subst.origin
    clash, context, asked = Clash((), None), new_context(), Questions()
    for extent in _extents(changed):
        found = enumerate_variants(changed, extent, MOST_BUILDS)
        certain = found.complete and not found.undecided
        for variant in found.variants[: None if certain else MOST_TRIED]:
            scenario = scenario_of(changed, variant, settings.solver_limit // 10, context)
            try:
                answer = asked.can_hold(scenario.solver)
            except UntranslatableError:
                return None
            if answer is not Answer.UNSAT:
                return False if answer is Answer.SAT else None
            clash = replace(clash, refuted=clash.refuted or scenario)
        if not certain:
            return None
        obstacles, exhaustive = clash.obstacles or found.obstacles, found.exhaustive
        clash = replace(clash, obstacles=obstacles, exhaustive=clash.exhaustive and exhaustive)
    return clash


def _extents(subst: Subst) -> list[Extent]:
    """Return where structures are looked for: within the bound, and where conditions point to."""
    points = turning_points_of_conditions(subst)
    every = {rank: None for point in points for rank in point.ranks.values()}
    ranks = [Extent(ranks=(rank, 1, 0)) for rank in every if rank > max(USUAL.ranks)]
    counts = {count: None for point in points for count in point.lengths.values()}
    fields = [of_many_fields(count)[0] for count in counts]
    return [USUAL, *ranks[:MOST_EXTENTS], *fields[:MOST_EXTENTS]]
