"""Numbers of fields at which a rule may start to do something else.

The field of a tuple, and how many there are, are known in every structure, so no model decides on
`attr.Cond(i == 12, ...)`: there has to be a structure with so many fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from gsl.attr.term import (
    Access,
    Constant,
    Operation,
    Reduce,
    Symbol,
    Term,
    TupleOf,
    VariadicTuple,
    children,
    subterms,
)
from gsl.pat import GetInst, Pattern, Variadic
from gsl.subst import Subst

DECIDING = frozenset({"==", "!=", "<", "<=", ">", ">=", "min", "max", "//", "%", "in"})


@lru_cache(maxsize=16)
def notable_lengths(subst: Subst) -> tuple[int, ...]:
    """Return the numbers of fields at which the target of a rule may change its way, in order."""
    terms = (term for pattern in subst.target_patterns for term in pattern.terms())
    return _at_which_change(subst, terms)


@lru_cache(maxsize=16)
def lengths_of_conditions(subst: Subst) -> tuple[int, ...]:
    """Return the numbers of fields at which a condition may turn, in order; few may be allowed."""
    return _at_which_change(subst, subst.where)


def _at_which_change(subst: Subst, written: Iterable[Term]) -> tuple[int, ...]:
    terms = dict.fromkeys(part for term in written for part in subterms(term))
    patterns = (*subst.source_patterns, *subst.target_patterns)
    indices = {one.symbol for one in patterns if isinstance(one, Variadic)}
    indices |= set(_bound(terms, indices))
    found: set[int] = set()
    for term in terms:
        if isinstance(term, Operation) and term.head in DECIDING:
            found.update(_told_apart(term, indices))
    return tuple(sorted(count for count in found if count >= 1))


def _bound(terms: Iterable[Term], indices: set[Symbol]) -> Iterator[Symbol]:
    """Yield the symbols that run over as many numbers as there are fields, or fewer."""
    for term in terms:
        if isinstance(term, VariadicTuple | Reduce) and (
            any(map(_is_length, subterms(term.length))) or indices & {*subterms(term.length)}
        ):
            yield term.symbol


def _told_apart(decision: Operation, indices: set[Symbol]) -> Iterator[int]:
    """Yield numbers of fields with which a decision falls either way, as far as numbers tell."""
    parts = list(compared(decision))
    numbers = [number for part in parts for number in numbers_in(part)]
    for number in numbers:
        if any(map(_is_length, parts)):
            yield from (number - 1, number, number + 1)
        if any(part in indices for part in parts):
            yield number + 2


def compared(term: Term) -> Iterator[Term]:
    """Yield what a decision computes with, which of `shape[i]` is neither the shape nor i."""
    stack = [term]
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, Operation | TupleOf):
            stack.extend(children(current))


def _is_length(term: Term) -> bool:
    return isinstance(term, Access) and term.name == "length" and _is_variadic(term.pattern)


def _is_variadic(pattern: Pattern) -> bool:
    return isinstance(pattern.template if isinstance(pattern, GetInst) else pattern, Variadic)


def numbers_in(term: Term) -> Iterator[int]:
    """Yield the whole numbers of a constant."""
    if isinstance(term, Constant):
        values = term.value if isinstance(term.value, tuple) else (term.value,)
        yield from (value for value in values if type(value) is int)
