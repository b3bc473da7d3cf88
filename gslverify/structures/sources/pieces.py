"""Into how many pieces an axis is cut in structures of a rule that looks at their number.

Of a rule that does not, a few pieces show what becomes of more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

from gsl.attr.term import Access, Term, subterms
from gsl.operators import Operator
from gsl.operators.domain import LONGEST, Pieces
from gsl.pat import Call, GetItem, Pattern
from gsl.subst import Subst
from gslverify.structures.sources.partial_constraints import computed_terms
from gslverify.structures.written_values import leaves, written_values

MOST_PIECES = 40
BESIDE = (-1, 0, 1)
"""What is added to a number that is written: it may be an index, or a bound that is left out."""


@lru_cache(maxsize=16)
def numbers_of_pieces(subst: Subst) -> Mapping[tuple[Pattern, str], tuple[int, ...]]:
    """Return the further numbers of pieces that are tried of attributes that a rule looks at."""
    asked = {
        (part.pattern.original(), part.name)
        for term in _terms(subst)
        for part in subterms(term)
        if isinstance(part, Access)
    }
    found = {
        (pattern, name): pattern in _cut_into_many(subst) or (pattern, name) in asked
        for pattern in subst.source_patterns
        for name in _cut_by(pattern)
    }
    if not any(found.values()):
        return {}
    written = chain.from_iterable(map(_integers, written_values(subst)))
    beside = {number + more for number in written for more in BESIDE}
    numbers = {*range(Pieces.most, LONGEST + 1), *(one for one in beside if one > LONGEST)}
    tried = tuple(sorted(one for one in numbers if one <= MOST_PIECES))
    return {key: tried for key, is_asked in found.items() if is_asked}


def _terms(subst: Subst) -> Iterator[Term]:
    """Yield the terms of a rule but for those that hand an attribute on as it is."""
    yield from subst.where
    for pattern in subst.source_patterns:
        yield from pattern.terms()
    for pattern in subst.target_patterns:
        yield from computed_terms(pattern)


def _cut_into_many(subst: Subst) -> set[Pattern]:
    """Return the patterns of which a field is named that few pieces do not have."""
    fields = (one for one in subst.source_patterns if isinstance(one, GetItem))
    return {
        whole
        for field in fields
        for number in _integers(getattr(field.constraints.get("index"), "value", None))
        for whole in field.operands
        if number + 1 >= Pieces.most
    }


def _integers(value: Any) -> Iterator[int]:
    return (one for one in leaves(value) if type(one) is int)


def _cut_by(pattern: Pattern) -> list[str]:
    """Return the attributes of a call that say into how many pieces it cuts an axis."""
    if not isinstance(pattern, Call) or not isinstance(pattern.callee, Operator):
        return []
    attributes = pattern.callee.attributes.items()
    return [name for name, one in attributes if isinstance(one.domain, Pieces)]
