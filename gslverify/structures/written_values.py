"""The known values that a rule writes in its conditions and patterns."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Any

from gsl.attr.term import Constant, subterms
from gsl.subst import Subst


@lru_cache(maxsize=16)
def written_values(subst: Subst) -> tuple[Any, ...]:
    """Return the values, lists of what is allowed as the tuples that they are."""
    patterns = (*subst.source_patterns, *subst.target_patterns)
    terms = [*subst.where, *(term for pattern in patterns for term in pattern.terms())]
    parts = dict.fromkeys(part for term in terms for part in subterms(term))
    return tuple(part.value for part in parts if isinstance(part, Constant))


def names_any(subst: Subst, names: Collection[str]) -> bool:
    """Tell whether a rule writes one of some names, such as those of dtypes."""
    return any(isinstance(one, str) and one in names for one in written_values(subst))


def leaves(value: Any) -> Iterator[Any]:
    """Yield what a value consists of that is no tuple."""
    if isinstance(value, tuple):
        for one in value:
            yield from leaves(one)
    else:
        yield value
