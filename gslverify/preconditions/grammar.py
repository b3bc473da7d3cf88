"""The conditions that are proposed: small sentences about attributes, shapes and types.

What can be read off a match (a size, an attribute, a rank, a constant) is compared with 0, 1, its
default and with other readings of its kind. Which sentences are written is decided by the values
that the readings have in some matches; whether they help is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from gsl.attr import In
from gsl.attr.evaluate import evaluate
from gsl.attr.term import Access, Term, as_term
from gsl.errors import GslError
from gsl.match.bindings import Scope
from gsl.operators import Operator
from gsl.pat import INPUTS, Call, Pattern
from gsl.subst import Subst
from gsl.types import FLOATING, INTEGER, UNSIGNED

SIGNED = tuple(dtype for dtype in INTEGER if dtype not in UNSIGNED)
MOST_AXES = 4
MOST_SMALL_RANK = 3
ORDERED = {(one, other) for one in ("min", "max") for other in ("min", "max")}
ORDERED |= {(kind, kind) for kind in ("value", "ndim", "size")}
"""Kinds of readings that are compared by their order."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Something with a value in a match; `kind` says what it may be compared with.

    `values` are those in the matches at hand, None where it has none.
    """

    term: Term
    kind: str
    owner: Pattern
    values: tuple[Any, ...]

    def has(self, kind: type) -> bool:
        """Tell whether all values are of one type."""
        known = [value for value in self.values if value is not None]
        return bool(known) and all(type(value) is kind for value in known)


@dataclass(frozen=True, slots=True)
class Condition:
    """A sentence of the grammar; the simplest ones have the lowest `cost`."""

    term: Term
    cost: int


def conditions(subst: Subst, scopes: Sequence[Scope]) -> list[Condition]:
    """Return the sentences about the source of a rule, always in the same order."""
    readings = [r for r in _readings(subst, scopes) if any(v is not None for v in r.values)]
    found = [Condition(term, cost) for r in readings for cost, term in _facts(r)]
    for one, other in combinations(readings, 2):
        found += [Condition(term, cost) for cost, term in _comparisons(one, other)]
    return found


def value_of(term: Term, scope: Scope) -> Any:
    """Return the value of a term in a match, None where it has none."""
    try:
        return evaluate(term, scope)
    except (GslError, ArithmeticError, LookupError, TypeError):
        return None


def _readings(subst: Subst, scopes: Sequence[Scope]) -> Iterator[Reading]:
    for pattern in subst.source_patterns:
        for kind, term in _terms(pattern):
            values = tuple(value_of(term, scope) for scope in scopes)
            yield Reading(term, kind, pattern, values)
            if kind != "shape":
                yield from _elements(pattern, kind, term, values)
            elif isinstance(pattern, INPUTS):
                yield from _elements(pattern, "size", term, values)


def _terms(pattern: Pattern) -> Iterator[tuple[str, Term]]:
    """Yield what can be read off a pattern, with its kind."""
    for name in pattern.attribute_names():
        if name in ("ndim", "shape", "dtype", "value"):
            yield name, Access(pattern, name)
        elif isinstance(pattern, Call):
            yield ("dtype" if name.endswith("dtype") else name), Access(pattern, name)
    if isinstance(pattern, Call) and "axis" in pattern.attribute_names() and pattern.operands:
        yield from _places(pattern)


def _places(call: Call) -> Iterator[tuple[str, Term]]:
    """Yield the axis of a call counted from the front, and the size of its operand there."""
    axis, operand = Access(call, "axis"), call.operands[0]
    whole = operand if "ndim" in operand.attribute_names() else call
    for one in (axis, axis[0]):
        yield "place", one % Access(whole, "ndim")
        yield "size", Access(whole, "shape")[one]


def _elements(pattern: Pattern, kind: str, term: Term, values: Sequence[Any]) -> Iterator[Reading]:
    """Yield the elements of a tuple, as far as it is short."""
    lengths = [len(value) for value in values if isinstance(value, tuple)]
    for place in range(min(MOST_AXES, max(lengths, default=0))):
        inside = tuple(
            value[place] if isinstance(value, tuple) and place < len(value) else None
            for value in values
        )
        yield Reading(term[place], kind, pattern, inside)


def _facts(reading: Reading) -> Iterator[tuple[int, Term]]:
    """Yield conditions about one reading, with their costs."""
    term = reading.term
    if reading.has(int):
        yield from _about_integers(reading)
    elif reading.has(float) or reading.kind == "value":
        yield from ((2, term >= 0), (2, term > 0), (3, term <= 1), (3, term <= 0), (3, term == 0))
        yield from ((3, term == 1), (3, term != 0))
    elif reading.has(bool):
        yield from ((2, term == value) for value in (True, False))
    elif reading.has(str):
        yield from _about_names(reading)
    elif reading.has(tuple):
        yield from _about_tuples(reading)


def _about_integers(reading: Reading) -> Iterator[tuple[int, Term]]:
    term = reading.term
    small = {value for value in reading.values if value is not None and 0 <= value <= 4}
    dear = 2 if reading.kind == "size" else 0
    yield from ((dear + (value != 1), term == value) for value in sorted({0, 1, *small}))
    if reading.kind not in ("size", "ndim"):
        yield from ((2, term >= 0), (2, term >= 1))
    yield from ((3, term >= 2), (3, term >= 3))
    if reading.kind == "ndim":
        yield from ((3, term < rank) for rank in _high_ranks(reading))
    yield from ((3, term <= 1), (3, term <= 2))
    yield from ((3, term % 2 == 1), (3, term % 2 == 0))


def _high_ranks(reading: Reading) -> list[int]:
    """Return the ranks beyond 3 in some match, highest first: of what holds alike, the weakest."""
    ranks = {value for value in reading.values if value is not None and value > MOST_SMALL_RANK}
    return sorted(ranks, reverse=True)


def _about_names(reading: Reading) -> Iterator[tuple[int, Term]]:
    term = reading.term
    if reading.kind == "dtype":
        yield from ((2, In(term, FLOATING)), (2, In(term, INTEGER)), (3, term != "bool"))
        yield 3, In(term, (*FLOATING, *INTEGER))
        yield 3, In(term, SIGNED)
        yield 3, In(term, (*FLOATING, *SIGNED))
    names = sorted({value for value in reading.values if value is not None})
    yield from ((3, term == name) for name in names)


def _about_tuples(reading: Reading) -> Iterator[tuple[int, Term]]:
    known = [value for value in reading.values if value is not None]
    lengths = sorted({len(value) for value in known})
    if reading.kind == "shape":
        return
    for length in lengths:
        if all(isinstance(part, int) for value in known for part in value):
            yield from ((2, reading.term == as_term((number,) * length)) for number in (1, 0))
            yield 3, reading.term == as_term(tuple(range(length)))
    default = _default(reading)
    if isinstance(default, tuple):
        yield 1, reading.term == as_term(default)


def _default(reading: Reading) -> Any:
    match reading:
        case Reading(term=Access(name=name), owner=Call(callee=Operator() as operator)):
            attribute = operator.attributes.get(name)
            return None if attribute is None else attribute.default
    return None


def _comparisons(one: Reading, other: Reading) -> Iterator[tuple[int, Term]]:
    """Yield conditions about two readings, with their costs."""
    left, right = one.term, other.term
    if one.kind == other.kind:
        yield 2 if isinstance(left, Access) and isinstance(right, Access) else 3, left == right
    if one.kind == other.kind == "place":
        yield 3, left != right
    if {one.kind, other.kind} == {"size", "groups"}:
        yield 3, left == right
    if (one.kind, other.kind) in ORDERED:
        yield from ((3, left <= right), (3, right <= left))
