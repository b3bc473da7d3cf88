"""Constraints that leave part of an attribute free."""

from __future__ import annotations

from typing import Any

from gsl.attr.term import ANYTHING, Term, TupleOf, VariadicTuple


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
