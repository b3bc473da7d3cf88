"""Constants with axes whose elements a rule looks at, and how many elements are tried."""

from __future__ import annotations

from collections.abc import Iterator

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import Access, Operation, Term, children, subterms
from gsl.attr.values import LOGIC, ORDER, TUPLE, UNKNOWN, sort_of
from gsl.pat import Const, Pattern
from gsl.subst import Subst
from gslverify.structures.written_values import written_values

FEW = (2, 1, 3, 4, 5)
MOST = 16
"""A number of elements that a rule names is tried if it is no larger."""

ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "neg", "abs", "floor", "ceil", "sqrt"})
ONLY_NUMBERS = ARITHMETIC | ORDER | LOGIC | {"min", "max"}
"""Operations that are nothing for a tuple, but for a sum of two tuples."""


def read_by_element(subst: Subst) -> frozenset[Pattern]:
    """Return the constants of which a rule may look at elements along axes.

    Others need no symbols for these: where they have axes, they are only tensors, or no value of
    what the rule computes with them.
    """
    patterns = (*subst.source_patterns, *subst.target_patterns)
    terms = [*subst.where, *(term for pattern in patterns for term in pattern.terms())]
    parts = (part for term in terms for part in conjuncts(term))
    return frozenset(read for part in parts for read in _read_whole(part))


def _read_whole(term: Term) -> Iterator[Pattern]:
    """Yield the constants in a term whose value may be a tuple there."""
    yield from _values([term])
    for part in subterms(term):
        match part:
            case Operation(head=head) if head in ONLY_NUMBERS:
                continue
            case Operation(head="==" | "in", operands=sides) if part is term:
                # Alone, it is not true of a tuple and a number.
                if all(sort_of(side) in (TUPLE, UNKNOWN) for side in sides):
                    yield from _values(sides)
            case _:
                yield from _values(children(part))


def _values(terms: tuple[Term, ...] | list[Term]) -> Iterator[Pattern]:
    for term in terms:
        if isinstance(term, Access) and term.name == "value" and isinstance(term.pattern, Const):
            yield term.pattern


def sizes_to_try(subst: Subst) -> tuple[int, ...]:
    """Return how many elements a constant has along an axis, where each is a symbol.

    Some are few, some are about as many as a number in the rule says, which may be a position.
    """
    named = [n for n in written_values(subst) if type(n) is int and 0 < n <= MOST]
    return tuple(dict.fromkeys((*FEW, *named, *(n + 1 for n in named))))
