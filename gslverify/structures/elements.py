"""Constants whose elements a rule reads one by one."""

from __future__ import annotations

from gsl.attr.term import Access, Projection, Slice, subterms
from gsl.pat import Const, Pattern
from gsl.subst import Subst


def read_by_element(subst: Subst) -> frozenset[Pattern]:
    """Return the constants of a source of whose value a condition takes elements.

    An instance does not know the elements of constants with axes, only that they have some.
    """
    terms = [
        *subst.where,
        *(term for pattern in subst.source_patterns for term in pattern.constraints.values()),
    ]
    wholes = [
        part.tuple
        for term in terms
        for part in subterms(term)
        if isinstance(part, Projection | Slice)
    ]
    return frozenset(
        whole.pattern
        for whole in wholes
        if isinstance(whole, Access) and whole.name == "value" and isinstance(whole.pattern, Const)
    )
