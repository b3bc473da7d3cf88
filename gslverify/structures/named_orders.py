"""Orders of more axes than usual that a rule names, and structures that have them."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import Any

from gsl.attr.term import Constant, Term, TupleOf, subterms
from gsl.subst import Subst
from gslverify.structures.instance import USUAL, Extent, Instance, Order


@lru_cache(maxsize=16)
def named_orders(subst: Subst) -> tuple[Order, ...]:
    """Return the permutations of more axes than usual that a rule names anywhere, in order."""
    patterns = (*subst.source_patterns, *subst.target_patterns)
    terms = chain(subst.where, *(pattern.terms() for pattern in patterns))
    named = (_order_in(part) for term in dict.fromkeys(terms) for part in subterms(term))
    return tuple(sorted({order for order in named if len(order) > max(USUAL.ranks)}))


def _order_in(term: Term) -> Order:
    """Return the permutation that a term is, or nothing."""
    whole: Any = term.value if isinstance(term, Constant) else ()
    if isinstance(term, TupleOf):
        whole = tuple(f.value if isinstance(f, Constant) else None for f in term.fields)
    return whole if _is_plain(whole) and {*whole} == {*range(len(whole))} else ()


def extent_of(order: Order) -> Extent:
    """Return the extent of structures with inputs of so many axes and few orders of them.

    These are the order itself, the one that undoes it, and the simplest ones.
    """
    identity = tuple(range(len(order)))
    orders = (order, tuple(map(order.index, identity)), identity, identity[::-1])
    return Extent(ranks=(len(order),), orders=tuple(dict.fromkeys(orders)))


def has_order(order: Order, instance: Instance) -> bool:
    """Tell whether some call of an instance has an order of axes as attribute."""
    attributes = (getattr(node.expr, "attributes", {}) for node in instance.graph)
    return any(value == order for one in attributes for value in one.values() if _is_plain(value))


def _is_plain(value: object) -> bool:
    return isinstance(value, tuple) and all(type(item) is int for item in value)
