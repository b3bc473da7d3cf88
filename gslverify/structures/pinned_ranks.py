"""Ranks of inputs that a condition states outright, as `where=[x.ndim == 3]` does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import Access, Constant, Operation, Term
from gsl.pat import INPUTS, Pattern
from gsl.subst import Subst
from gslverify.structures.limits import MOST_AXES


@lru_cache(maxsize=16)
def pinned_ranks(subst: Subst) -> Mapping[Pattern, int]:
    """Return the inputs whose rank a condition states, with the first rank that one states."""
    found: dict[Pattern, int] = {}
    for condition in subst.where:
        for part in conjuncts(condition):
            for pattern, rank in _stated(part):
                found.setdefault(pattern, rank)
    return found


def _stated(condition: Term) -> Iterator[tuple[Pattern, int]]:
    match condition:
        case Operation(
            head="==",
            operands=(Access() as access, Constant(value=int() as rank))
            | (Constant(value=int() as rank), Access() as access),
        ) if access.name == "ndim" and isinstance(access.pattern, INPUTS):
            if not isinstance(rank, bool) and 0 <= rank <= MOST_AXES:
                yield access.pattern, rank
