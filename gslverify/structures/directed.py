"""Structures on which what is conditional in a target falls in each way, looked for one by one.

Where not all structures can be tried, one that a condition asks for may never be drawn: that six
inputs have three axes each. So the search is told what is wanted, and refuses the rest as early as
it refuses what contradicts the conditions of the rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gsl.attr.term import Access, Operation, Term, subterms
from gsl.pat import Cond, Pattern
from gsl.subst import Subst
from gslverify.structures.choices import Steps
from gslverify.structures.deciding import falling, ways_to_be
from gslverify.structures.guards import guards_in
from gslverify.structures.variants import Search, Variant

MOST_WAYS = 64
"""Ways of conditions that are looked for."""

MOST_OF_A_WAY, RUNS_OF_A_WAY = 2, 400
"""Structures for each, and builds of the source to find them."""

Path = tuple[Term, ...]
"""What has to hold for something to be asked at all."""


def structures_of_outcomes(subst: Subst, steps: Steps) -> Iterator[Variant]:
    """Yield structures on which the conditions of a target may fall in each of their ways.

    The `steps` are those of an earlier search.
    """
    for wanted in islice(_ways(subst), MOST_WAYS):
        found = Search(subst, steps=steps, wanted=wanted).variants(RUNS_OF_A_WAY)
        yield from (variant for variant, _ in islice(found, MOST_OF_A_WAY))


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
