"""Constraints that leave part of an attribute free, and terms that look into attributes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import lru_cache
from typing import Any

from gsl.attr.term import (
    ANYTHING,
    Access,
    Operation,
    Term,
    TupleOf,
    VariadicTuple,
    children,
)
from gsl.operators import Operator
from gsl.pat import Call, Pattern
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
    """Return the attributes of source patterns of which the order or the signs may matter.

    They do not where only the number of fields is asked for, nor where an attribute is handed on
    as it is to one of the same kind.
    """
    source = [term for pattern in subst.source_patterns for term in pattern.terms()]
    target = [term for pattern in subst.target_patterns for term in computed_terms(pattern)]
    return frozenset(
        (part.pattern.original(), part.name)
        for term in (*subst.where, *target, *source)
        for part in _read_fully(term)
    )


def computed_terms(pattern: Pattern) -> Iterator[Term]:
    """Yield the terms of a target pattern that do not just hand an attribute on."""
    if not isinstance(pattern, Call):
        yield from pattern.terms()
        return
    for name, term in pattern.constraints.items():
        if not isinstance(term, Access) or _kind(term.pattern, term.name) != _kind(pattern, name):
            yield term


def _kind(pattern: Pattern, name: str) -> Hashable:
    """Return what an attribute has in common with those of which the order matters alike."""
    written = pattern.original()
    callee = written.callee if isinstance(written, Call) else None
    if isinstance(callee, Operator) and name in callee.attributes:
        return type(callee.attributes[name].domain)
    return callee, name


def _read_fully(term: Term) -> Iterator[Access]:
    """Yield the attributes that a term reads, but for those of which it asks the length only."""
    stack = [term]
    while stack:
        part = stack.pop()
        if isinstance(part, Access):
            yield part
        elif not (isinstance(part, Operation) and part.head == "length" and _is_access(part)):
            stack.extend(children(part))


def _is_access(length: Operation) -> bool:
    return isinstance(length.operands[0], Access)
