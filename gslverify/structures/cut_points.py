"""Ranks, numbers of fields and orders of axes at which a rule may start to do something else.

They are known in every structure, so no model decides on `attr.Cond(x.ndim >= 8, ...)`: there has
to be a structure with so many axes. Where sizes and attributes decide, see `corners`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any

from gsl.attr.conjuncts import conjuncts
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
from gsl.operators.declaration import tensors
from gsl.pat import GetInst, Pattern, Variadic
from gsl.subst import Subst
from gslverify.structures.instance import LARGE, USUAL, Extent, Instance, Order
from gslverify.structures.limits import MOST_AXES
from gslverify.structures.pinned_ranks import states_a_rank

DECIDING = frozenset({"==", "!=", "<", "<=", ">", ">=", "min", "max", "//", "%", "in"})
USUALLY_TRIED = max(max(extent.ranks) for extent in LARGE)
LIMITS = (-1, 0, 1)
BEYOND = (*LIMITS, 2)
"""What is added to a number in a decision: on either side of it, and where an index has it."""


@lru_cache(maxsize=16)
def lengths_of_target(subst: Subst) -> tuple[int, ...]:
    """Return the numbers of fields at which the target of a rule may change its way, in order."""
    return _lengths(subst, tuple(_terms(subst.target_patterns)))


@lru_cache(maxsize=16)
def lengths_of_conditions(subst: Subst) -> tuple[int, ...]:
    """Return the numbers of fields at which a condition may turn, in order; few may be allowed."""
    return _lengths(subst, subst.where)


@lru_cache(maxsize=16)
def ranks_of_target(subst: Subst) -> tuple[int, ...]:
    """Return the ranks above those usually tried at which the target may change its way."""
    return _ranks(_terms(subst.target_patterns))


@lru_cache(maxsize=16)
def ranks_of_conditions(subst: Subst) -> tuple[int, ...]:
    """Return the ranks above those usually tried at which a condition may turn, in order."""
    conditions = (part for condition in subst.where for part in conjuncts(condition))
    weighed = (one for one in conditions if not states_a_rank(one))
    return _ranks(chain(weighed, _terms(subst.source_patterns)))


def _terms(patterns: Iterable[Pattern]) -> Iterator[Term]:
    return (term for pattern in patterns for term in pattern.terms())


def _lengths(subst: Subst, written: Iterable[Term]) -> tuple[int, ...]:
    terms = dict.fromkeys(part for term in written for part in subterms(term))
    patterns = (*subst.source_patterns, *subst.target_patterns)
    indices = {one.symbol for one in patterns if isinstance(one, Variadic)}
    indices |= set(_bound(terms, indices))
    found = _cut_points(terms, _is_length, LIMITS)
    found |= _cut_points(terms, lambda part: part in indices, BEYOND[-1:])
    return tuple(sorted(count for count in found if count >= 1))


def _ranks(written: Iterable[Term]) -> tuple[int, ...]:
    terms = dict.fromkeys(part for term in written for part in subterms(term))
    found = _cut_points(terms, _is_rank, BEYOND)
    return tuple(sorted(rank for rank in found if USUALLY_TRIED < rank <= MOST_AXES))


def _cut_points(
    terms: Iterable[Term], is_quantity: Callable[[Term], bool], beside: Iterable[int]
) -> set[int]:
    """Return the numbers beside which a decision about some quantity may turn."""
    found: set[int] = set()
    for term in terms:
        if isinstance(term, Operation) and term.head in DECIDING:
            parts = list(_weighed(term))
            if any(map(is_quantity, parts)):
                found.update(n + more for part in parts for n in _numbers(part) for more in beside)
    return found


def _weighed(term: Term) -> Iterator[Term]:
    """Yield what a decision computes with, which of `shape[i]` is neither the shape nor i."""
    stack = [term]
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, Operation | TupleOf):
            stack.extend(children(current))


def _numbers(term: Term) -> Iterator[int]:
    if isinstance(term, Constant):
        values = term.value if isinstance(term.value, tuple) else (term.value,)
        yield from (value for value in values if type(value) is int)


def _bound(terms: Iterable[Term], indices: set[Symbol]) -> Iterator[Symbol]:
    """Yield the symbols that run over as many numbers as there are fields, or fewer."""
    for term in terms:
        if isinstance(term, VariadicTuple | Reduce) and (
            any(map(_is_length, subterms(term.length))) or indices & {*subterms(term.length)}
        ):
            yield term.symbol


def _is_length(term: Term) -> bool:
    if not isinstance(term, Access) or term.name != "length":
        return False
    pattern = term.pattern
    return isinstance(pattern.template if isinstance(pattern, GetInst) else pattern, Variadic)


def _is_rank(term: Term) -> bool:
    if isinstance(term, Operation):
        return term.head == "length"
    return isinstance(term, Access) and term.name == "ndim"


def ranks_of(instance: Instance) -> set[int]:
    """Return the ranks of the inputs of an instance that are tensors."""
    types = [instance.bindings.nodes[key].expr.type for key in instance.inputs]
    return {tensor.ndim for tensor in tensors(tuple(types))}


@lru_cache(maxsize=16)
def named_orders(subst: Subst) -> tuple[Order, ...]:
    """Return the permutations of more axes than usual that a rule names anywhere, in order."""
    terms = chain(subst.where, _terms((*subst.source_patterns, *subst.target_patterns)))
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
