"""Structures that a rule asks for: for its conditions and for the operators of its traits.

Where not all structures are tried, one that a condition of the target asks for may never be drawn:
that six inputs have three axes each. So the search is told what is wanted, and refuses the rest as
early as it refuses what contradicts the conditions of the rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gsl.attr.term import Access, Operation, Term, operation, subterms
from gsl.pat import Call, Cond, Pattern, Trait
from gsl.subst import Subst
from gslverify.structures.choices import Steps
from gslverify.structures.targets.deciding import falling, ways_to_be
from gslverify.structures.targets.guards import guards_in
from gslverify.structures.variants import Search, Variant

MOST_WAYS = 64
"""Ways of conditions that are looked for."""

MOST_OF_A_WAY, RUNS_OF_A_WAY = 2, 400
"""Structures for each, and builds of the source to find them."""

Path = tuple[Term, ...]
"""What has to hold for something to be asked at all."""


def structures_asked_for(subst: Subst, steps: Steps) -> Iterator[Variant]:
    """Yield structures with each operator of a trait, and for each way of a target's conditions.

    The `steps` are those of an earlier search.
    """
    for seed, wanted in enumerate(_operators(subst)):
        drawn = list(Search(subst, steps=steps, wanted=wanted).drawn(1, seed))
        yield from drawn or _first(subst, steps, wanted, 1)
    for wanted in islice(_ways(subst), MOST_WAYS):
        yield from _first(subst, steps, wanted, MOST_OF_A_WAY)


def _first(subst: Subst, steps: Steps, wanted: Path, most: int) -> list[Variant]:
    found = Search(subst, steps=steps, wanted=wanted).variants(RUNS_OF_A_WAY)
    return [variant for variant, _ in islice(found, most)]


def _operators(subst: Subst) -> Iterator[Path]:
    """Yield for each operator of each trait that it is the one."""
    for pattern in subst.source_patterns:
        if isinstance(pattern, Call) and isinstance(pattern.callee, Trait):
            for one in pattern.callee.operators():
                yield (operation("==", Access(pattern, "operator"), one),)


def _ways(subst: Subst) -> Iterator[Path]:
    """Yield what has to hold for each way of each condition that asks about the source only."""
    source = frozenset(subst.source_patterns)
    for path, condition in _conditions(subst):
        for outcome in (True, False):
            for way in ways_to_be(condition, outcome):
                wanted = (*path, way)
                if all(_is_about(term, source) for term in wanted):
                    yield wanted


def _is_about(term: Term, patterns: frozenset[Pattern]) -> bool:
    accesses = (part for part in subterms(term) if isinstance(part, Access))
    return all(one.pattern in patterns for one in accesses)


def _conditions(subst: Subst) -> Iterator[tuple[Path, Term]]:
    """Yield the conditions of a target, each with what has to hold where it is asked."""
    guards = guards_in(subst)
    for pattern, path in _paths(subst).items():
        if isinstance(pattern, Cond):
            yield path, pattern.condition
        for part in dict.fromkeys(part for term in pattern.terms() for part in subterms(term)):
            if isinstance(part, Operation) and part.head == "cond":
                above = (falling(one.operands[0], first) for one, first in guards[part].items())
                yield (*path, *above), part.operands[0]


def _paths(subst: Subst) -> dict[Pattern, Path]:
    """Return the patterns of a target, each with what has to hold for it to be built."""
    paths: dict[Pattern, Path] = {}
    stack: list[tuple[Pattern, Path]] = [(pattern, ()) for pattern in reversed(subst.target)]
    inside = frozenset(subst.target_patterns)
    while stack:
        pattern, path = stack.pop()
        if pattern in paths or pattern not in inside:
            continue
        paths[pattern] = path
        if isinstance(pattern, Cond):
            sides = zip(pattern.operands, (True, False), strict=True)
            stack += [(arm, (*path, falling(pattern.condition, one))) for arm, one in sides]
        else:
            stack += [(operand, path) for operand in pattern.operands]
    return paths
