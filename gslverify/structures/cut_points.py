"""Ranks, numbers of fields and orders of axes at which a rule may start to do something else.

They are known in every structure, so no model decides on `attr.Cond(x.ndim >= 8, ...)`: there has
to be a structure with so many axes. Where sizes and attributes decide, see `corners`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, product
from math import prod
from operator import mul
from typing import Any

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import (
    Access,
    Constant,
    Operation,
    Projection,
    Reduce,
    Symbol,
    Term,
    TupleOf,
    VariadicTuple,
    children,
    subterms,
)
from gsl.operators.declaration import tensors
from gsl.pat import Pattern, Variadic
from gsl.subst import Subst
from gslverify.structures.counted import FIELDS, Decisions, Point, counted_by
from gslverify.structures.instance import LARGE, USUAL, Extent, Instance, Order
from gslverify.structures.limits import MOST_AXES
from gslverify.structures.pinned_ranks import states_a_rank

DECIDING = frozenset({"==", "!=", "<", "<=", ">", ">=", "min", "max", "//", "%", "in"})
USUALLY_TRIED = max(max(extent.ranks) for extent in LARGE)
LIMITS = (-1, 0, 1)
BEYOND = (*LIMITS, 2)
"""What is added to a number in a decision: on either side of it, and where an index has it."""
SUMS, PRODUCTS = frozenset({"+", "-"}), frozenset({"*", "//", "/"})
MOST_COMBINED = 4
"""Of more numbers in a decision it is not looked at what they are together."""


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


@lru_cache(maxsize=16)
def turning_points(subst: Subst) -> tuple[Point, ...]:
    """Return further counts at which the target of a rule goes a way that others do not show."""
    lengths = {*range(USUAL.most_fields + 1), *lengths_of_target(subst)}
    ranks = {*USUAL.ranks, *ranks_of_target(subst)}

    def is_tried(point: Point) -> bool:
        alone = len(point.counts) == 1
        fields = lengths if alone else range(USUAL.most_fields + 1)
        axes = ranks if alone else USUAL.ranks
        return all(n in fields for n in point.lengths.values()) and all(
            n in axes for n in point.ranks.values()
        )

    terms = (part for term in _terms(subst.target_patterns) for part in subterms(term))
    return tuple(Decisions(subst, terms).turning(is_tried))


def _terms(patterns: Iterable[Pattern]) -> Iterator[Term]:
    return (term for pattern in patterns for term in pattern.terms())


@lru_cache(maxsize=16)
def further_ranks(subst: Subst) -> tuple[int, ...]:
    """Return ranks to be tried as it is not seen at which one the target changes its way."""
    return _unseen(subst, RANKS)


@lru_cache(maxsize=16)
def further_lengths(subst: Subst) -> tuple[int, ...]:
    """Return numbers of fields to be tried as those for which the target changes are not seen."""
    return _unseen(subst, LENGTHS)


def _unseen(subst: Subst, counts: Counts) -> tuple[int, ...]:
    terms = dict.fromkeys(part for t in _terms(subst.target_patterns) for part in subterms(t))
    for parts in _decisions(terms):
        if any(map(counts.has, parts)) and any(map(_multiplies, parts)):
            return tuple(counts.some)
    return ()


def _lengths(subst: Subst, written: Iterable[Term]) -> tuple[int, ...]:
    terms = dict.fromkeys(part for term in written for part in subterms(term))
    patterns = (*subst.source_patterns, *subst.target_patterns)
    indices = {one.symbol for one in patterns if isinstance(one, Variadic)}
    found = _cut_points(terms, LENGTHS, indices)
    return tuple(sorted(count for count in found if count >= 1))


def _ranks(written: Iterable[Term]) -> tuple[int, ...]:
    terms = dict.fromkeys(part for term in written for part in subterms(term))
    found = _cut_points(terms, RANKS, set())
    return tuple(sorted(rank for rank in found if USUALLY_TRIED < rank <= MOST_AXES))


def _cut_points(terms: Iterable[Term], counts: Counts, indices: set[Symbol]) -> set[int]:
    """Return the numbers beside which a decision about a count or its indices may turn."""
    found: set[int] = set()
    indices = indices | set(_bound(terms, counts, indices))
    for parts in _decisions(terms):
        numbers = [n for part in parts for n in _numbers(part)]
        further = [n for n in _combined(numbers, parts) if n <= counts.most]
        if any(map(counts.has, parts)):
            found.update(n + more for n in numbers for more in counts.beside)
            found.update(n + more for n in further for more in LIMITS)
        if not indices.isdisjoint(parts):
            found.update(n + BEYOND[-1] for n in (*numbers, *further))
    return found


def _decisions(terms: Iterable[Term]) -> Iterator[list[Term]]:
    """Yield what each decision computes with."""
    return (list(parts) for term in terms if (parts := _decision(term)) is not None)


def _decision(term: Term) -> Iterator[Term] | None:
    """Return what a term computes with that may turn at a number; None if it does not decide.

    Of `shape[i]` this is neither the shape nor i, but a table of numbers may have one anywhere.
    """
    match term:
        case Operation(head=head) if head in DECIDING:
            return _weighed(term)
        case Projection(tuple=Constant() | TupleOf() as table, index=index):
            places = Constant(tuple(range(len(_fields(table)))))
            return chain((places,), _weighed(index))
        case _:
            return None


def _fields(table: Constant | TupleOf) -> tuple[Any, ...]:
    fields: Any = table.fields if isinstance(table, TupleOf) else table.value
    return fields if isinstance(fields, tuple) else ()


def _weighed(term: Term) -> Iterator[Term]:
    stack = [term]
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, Operation | TupleOf | Reduce):
            stack.extend(children(current))


def _numbers(term: Term) -> Iterator[int]:
    if isinstance(term, Constant):
        values = term.value if isinstance(term.value, tuple) else (term.value,)
        yield from (value for value in values if type(value) is int)


def _combined(numbers: Iterable[int], parts: Iterable[Term]) -> Iterator[int]:
    """Yield what several numbers are together, where a decision adds or multiplies."""
    few = [number for number in numbers if number]
    if not 1 < len(few) <= MOST_COMBINED:
        return
    heads = {part.head for part in parts if isinstance(part, Operation)}
    if heads & SUMS:
        yield from (abs(sum(map(mul, few, s))) for s in product((1, -1), repeat=len(few)))
    if heads & PRODUCTS:
        yield abs(prod(few))


def _multiplies(term: Term) -> bool:
    return isinstance(term, Reduce) or (isinstance(term, Operation) and term.head in PRODUCTS)


def _bound(terms: Iterable[Term], counts: Counts, indices: set[Symbol]) -> Iterator[Symbol]:
    """Yield the symbols that run over as many numbers as are counted, or fewer."""
    for term in terms:
        if isinstance(term, VariadicTuple | Reduce) and (
            any(map(counts.has, subterms(term.length))) or indices & {*subterms(term.length)}
        ):
            yield term.symbol


def _is_length(term: Term) -> bool:
    counted = counted_by(term)
    return counted is not None and counted[0] == FIELDS


def _is_rank(term: Term) -> bool:
    if isinstance(term, Operation):
        return term.head == "length"
    return isinstance(term, Access) and term.name == "ndim"


@dataclass(frozen=True, slots=True)
class Counts:
    """Something that is counted: whether a term `has` the count, and what is added to numbers.

    What several numbers are together counts up to `most`. Where the count is multiplied or summed
    over it is not seen where a decision turns, so `some` are tried.
    """

    has: Callable[[Term], bool]
    beside: tuple[int, ...]
    most: int
    some: range


RANKS = Counts(_is_rank, BEYOND, 10, range(8, 11))
LENGTHS = Counts(_is_length, LIMITS, 40, range(5, 13))


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
