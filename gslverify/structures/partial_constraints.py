"""Constraints that leave part of an attribute free, and terms that look into attributes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from gsl.attr.term import ANYTHING, Access, Term, TupleOf, VariadicTuple, subterms
from gsl.pat import Pattern
from gsl.subst import Subst


def is_open(term: Term) -> bool:
    """Tell whether a constraint leaves part of a value free, so that it cannot be computed."""
    if term is ANYTHING:
        return True
    open_length = isinstance(term, VariadicTuple) and term.length is ANYTHING
    open_field = isinstance(term, TupleOf) and any(map(is_open, term.fields))
    return open_length or open_field


def has_length(term: Term, value: Any) -> bool:
    """Tell whether a value has as many fields as a constraint says, if it says so."""
    if not isinstance(term, TupleOf):
        return True
    return isinstance(value, tuple) and len(value) == len(term.fields)


@lru_cache(maxsize=16)
def looked_into(subst: Subst) -> frozenset[tuple[Pattern, str]]:
    """Return the attributes of source patterns that are not just handed on to the target.

    What is handed on as it is means the same in every order and with any signs.
    """
    attributes = [term for pattern in subst.target_patterns for term in pattern.terms()]
    looking = [term for term in attributes if not isinstance(term, Access)]
    source = [term for pattern in subst.source_patterns for term in pattern.terms()]
    return frozenset(
        (part.pattern.original(), part.name)
        for term in (*subst.where, *looking, *source)
        for part in subterms(term)
        if isinstance(part, Access)
    )
