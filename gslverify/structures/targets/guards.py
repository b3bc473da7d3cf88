"""Under which choices a part of an attribute expression counts at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from gsl.attr.evaluate import conjunction
from gsl.attr.term import Operation, Term, children
from gsl.errors import GslError
from gsl.subst import Subst
from gslverify.structures.targets.deciding import falling
from gslverify.structures.targets.occurrences import Place

Guards = Mapping[Operation, bool]
"""Choices between two values, and whether the first of them is taken."""


@lru_cache(maxsize=16)
def guards_in(subst: Subst) -> Mapping[Term, Guards]:
    """Return the choices of the target of a rule within which each part of its terms lies.

    Of a part that lies in several places, those that all of them have in common.
    """
    found: dict[Term, dict[Operation, bool]] = {}
    stack: list[tuple[Term, dict[Operation, bool]]] = []
    for pattern in subst.target_patterns:
        stack += [(term, {}) for term in pattern.terms()]
    while stack:
        part, above = stack.pop()
        known = found.get(part)
        if known is not None:
            above = {choice: first for choice, first in above.items() if known.get(choice) is first}
            if len(above) == len(known):
                continue
        found[part] = above
        if isinstance(part, Operation) and part.head == "cond":
            condition, then, otherwise = part.operands
            stack += [(condition, above), (then, {**above, part: True})]
            stack.append((otherwise, {**above, part: False}))
        else:
            stack += [(child, above) for child in children(part)]
    return found


def under(guards: Guards, place: Place) -> tuple[Term, ...] | None:
    """Return what sizes have to decide for a part to count in a place; None if it never does."""
    decided: list[Term] = []
    for choice, first in guards.items():
        try:
            value = place.value(choice.operands[0])
        except GslError:
            return None
        if isinstance(value, Term):
            decided.append(falling(value, first))
        elif value is not first:
            return None
    return tuple(decided)


def where_counting(reached: Iterable[tuple[tuple[Term, ...], Term]], outcome: bool) -> list[object]:
    """Return that a condition falls in some way in each of the places where it counts."""
    return [conjunction(*guards, falling(value, outcome)) for guards, value in reached]
