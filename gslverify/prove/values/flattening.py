"""Indices that are used as one number become one index: a and b in x[a n + b], where b < n.

The numbers below m n are the pairs (m // n, m % n), so nothing is left out and nothing is met
twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Any

from gsl.attr.term import Operation, Symbol, Term, operation, subterms
from gslverify.prove.indices.forms import CONDITIONS, Forms
from gslverify.prove.indices.replacing import put
from gslverify.prove.values.algebra import Algebra
from gslverify.prove.values.values import Factor, Region, Value, parts_of

Summed = tuple[Region, Value]


def flattened(summed: Summed, algebra: Algebra) -> Summed:
    """Return a region and a value over it with as few indices as their use allows."""
    while True:
        forms = algebra.forms
        sizes = [
            pair for pair in summed[0].extents if forms.ranges.is_positive(forms.poly(pair[1]))
        ]
        pairs = permutations(sizes, 2)
        found = (_merged(summed, outer, inner, algebra) for outer, inner in pairs)
        merged = next((one for one in found if one is not None), None)
        if merged is None:
            return summed
        summed = merged


def has_quotients(value: Value) -> bool:
    """Tell whether a value reads somewhere that a division determines."""
    return any(
        isinstance(part, Operation) and part.head in ("//", "%")
        for term in terms_of(value)
        for part in subterms(term)
    )


def terms_of(value: Value) -> Iterator[Term]:
    """Yield the index terms in a value, at any depth."""
    for part in parts_of(value):
        match part:
            case Factor(places=places):
                yield from _terms(places)
            case Region(extents=extents, guards=guards):
                yield from _terms([extent for _, extent in extents])
                yield from _terms(guards)


def _terms(values: Iterable[Any]) -> Iterator[Term]:
    """Yield what is computed in terms; of conditions that is what they compare."""
    stack = list(values)
    while stack:
        term = stack.pop()
        if isinstance(term, Operation) and term.head in CONDITIONS:
            stack.extend(term.operands)
        elif isinstance(term, Term):
            yield term


def _merged(
    summed: Summed, outer: tuple[Symbol, Any], inner: tuple[Symbol, Any], algebra: Algebra
) -> Summed | None:
    """Return the same with one index for two of a box, None unless that is simpler."""
    region, value = summed
    (slow, count), (fast, size) = outer, inner
    forms = algebra.forms
    extents = [extent for _, extent in region.extents]
    if any(algebra.symbols_of(extent) & {slow, fast} for extent in extents):
        return None
    whole = Symbol(fast.name, low=0)
    forms.bound(whole, count * size)
    row = operation("//", whole, size)
    place = {slow: row, fast: operation("%", whole, size)}
    kept = [pair for pair in region.extents if pair[0] not in place]
    guards = tuple(put(guard, place) for guard in region.guards)
    moved = algebra.replaced(value, place)
    if _occurs(row, [*_terms(guards), *terms_of(moved)], forms):
        return None
    return Region((*kept, (whole, count * size)), guards), moved


def _occurs(quotient: Term, terms: Iterable[Term], forms: Forms) -> bool:
    """Tell whether a quotient is left in terms once these are simplified."""
    form = forms.poly(quotient)
    if len(form) != 1:
        return True
    ((mono, _),) = form
    if len(mono) != 1:
        return True
    atom = forms.atoms[mono[0]]
    simple = (forms.term(forms.poly(term)) for term in terms)
    return any(part is atom for term in simple if isinstance(term, Term) for part in subterms(term))
