"""Ranks at which a rule may start to do something else.

How many axes a tensor has is known in every structure, so no model decides on
`attr.Cond(x.ndim >= 8, ...)`: there has to be a structure with so many axes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import Access, Operation, Term, subterms
from gsl.operators.declaration import tensors
from gsl.subst import Subst
from gslverify.structures.instance import LARGE, Instance
from gslverify.structures.limits import MOST_AXES
from gslverify.structures.notable_lengths import DECIDING, compared, numbers_in
from gslverify.structures.pinned_ranks import states_a_rank

USUALLY_TRIED = max(max(extent.ranks) for extent in LARGE)


@lru_cache(maxsize=16)
def notable_ranks(subst: Subst) -> tuple[int, ...]:
    """Return the ranks above those usually tried at which the target may change its way."""
    return _at_which_change(term for pattern in subst.target_patterns for term in pattern.terms())


@lru_cache(maxsize=16)
def ranks_of_conditions(subst: Subst) -> tuple[int, ...]:
    """Return the ranks above those usually tried at which a condition may turn, in order."""
    constraints = (term for pattern in subst.source_patterns for term in pattern.terms())
    conditions = (part for condition in subst.where for part in conjuncts(condition))
    weighed = (one for one in conditions if not states_a_rank(one))
    return _at_which_change((*weighed, *constraints))


def _at_which_change(written: Iterable[Term]) -> tuple[int, ...]:
    found: set[int] = set()
    for term in dict.fromkeys(part for whole in written for part in subterms(whole)):
        if isinstance(term, Operation) and term.head in DECIDING:
            found.update(_told_apart(term))
    return tuple(sorted(rank for rank in found if USUALLY_TRIED < rank <= MOST_AXES))


def _told_apart(decision: Operation) -> Iterator[int]:
    """Yield ranks with which a decision falls either way, as far as numbers tell."""
    parts = list(compared(decision))
    if any(map(_is_rank, parts)):
        for number in (number for part in parts for number in numbers_in(part)):
            yield from (number - 1, number, number + 1, number + 2)


def _is_rank(term: Term) -> bool:
    if isinstance(term, Operation):
        return term.head == "length"
    return isinstance(term, Access) and term.name == "ndim"


def ranks_of(instance: Instance) -> set[int]:
    """Return the ranks of the inputs of an instance that are tensors."""
    types = [instance.bindings.nodes[key].expr.type for key in instance.inputs]
    return {tensor.ndim for tensor in tensors(tuple(types))}
