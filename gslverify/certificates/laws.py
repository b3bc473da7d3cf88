"""The laws that steps of certificates name: what they say, and what they ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gsl.attr.evaluate import conjunction, contains, disjunction, equal
from gsl.attr.term import Symbol, operation
from gsl.dtypes import DTYPES
from gsl.kernel.expression import (
    Apply,
    Expression,
    Number,
    Read,
    Reduction,
    parts,
    with_parts,
)
from gsl.kernel.meaning import select
from gsl.operators.ranges import in_range
from gsl.types import ANY_FLOAT
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.elements import Elements
from gslverify.certificates.gathered import HOLE, around, is_free, sum_of
from gslverify.certificates.subjects import Within, reads_in
from gslverify.prove.indices.integers import is_integer
from gslverify.prove.indices.replacing import put
from gslverify.prove.laws.law import Law, Numbers
from gslverify.prove.laws.real_laws import REAL_LAWS
from gslverify.prove.laws.rows import LAWS as INTEGER_LAWS

ROWS = (*INTEGER_LAWS, *REAL_LAWS)
"""Laws that are rows."""

NEUTRAL = {"sum": 0, "product": 1, "max": float("-inf"), "min": float("inf")}
"""What counts for nothing in a sum, a product or an extremum."""


@dataclass(frozen=True, slots=True)
class Step:
    """A law that is used: what it speaks about, at all indices, where some conditions are given.

    `facts` are the numbers of those from which each condition of the law follows, `ways` the sums
    of products by which it does, empty where z3 is asked.
    """

    law: str
    subjects: tuple[Any, ...]
    indices: tuple[tuple[Symbol, Any], ...] = ()
    given: tuple[Any, ...] = ()
    facts: tuple[tuple[int, ...], ...] = ()
    parts: tuple[tuple[Expression, Step], ...] = ()
    ways: tuple[tuple[Any, ...], ...] = ()


def subjects_of(steps: Iterable[Step]) -> Iterator[Any]:
    """Yield what steps are about, and those inside of them."""
    for step in steps:
        yield from step.subjects
        yield from (factor for factor, _ in step.parts)
        yield from subjects_of(part for _, part in step.parts)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a law says: two terms or expressions are equal where conditions hold."""

    left: Any
    right: Any
    conditions: tuple[tuple[Sequence[Any], Any], ...] = ()


def _equal(_: Elements, step: Step) -> Shown:
    """Indices are equal where z3 says so."""
    left, right = step.subjects
    return Shown(left, right, (((), equal(left, right)),))


def _multiple(_: Elements, step: Step) -> Shown:
    """a // b is c + (a - b c) // b."""
    whole, divisor, count = step.subjects
    _require_whole(whole, divisor, count)
    rest = operation("//", whole - divisor * count, divisor)
    return Shown(operation("//", whole, divisor), count + rest, (((), divisor >= 1),))


def _less(_: Elements, step: Step) -> Shown:
    """a // b is 0 for 0 <= a < b."""
    whole, divisor = step.subjects
    _require_whole(whole, divisor)
    return Shown(operation("//", whole, divisor), 0, (((), whole >= 0), ((), whole < divisor)))


def _cast(elements: Elements, step: Step) -> Shown:
    """A dtype that holds all values of another one holds them as they are.

    Elements of an input are values of its dtype, whatever they were converted to meanwhile.
    """
    value, old, new = step.subjects
    is_read = isinstance(value, Read)
    own = elements.inputs.dtypes.get(value.tensor, old) if is_read else old
    held = disjunction(
        *(
            conjunction(equal(own, name), contains(new, (name, *wider)))
            for name, wider in WIDER.items()
            if is_read or name in ANY_FLOAT
        )
    )
    held = disjunction(equal(own, new), held)
    return Shown(Apply("cast", (value, Number(old), Number(new))), value, (((), held),))


def _substitution(_: Elements, step: Step) -> Shown:
    """What is summed over one region is summed over another one that is in bijection with it.

    An extremum is one over any region that is mapped onto the other one.
    """
    head, (own, guards), body, (others, conditions), there, back = step.subjects
    inside = [*_bounds(own), *guards]
    outside = [*_bounds(others), *conditions]
    to = dict(zip((s for s, _ in others), there, strict=True))
    fro = dict(zip((s for s, _ in own), back, strict=True))
    shown = [(inside, put(one, to)) for one in outside]
    shown += [(outside, put(one, fro)) for one in inside]
    shown += [(outside, equal(put(to[s], fro), s)) for s in to]
    if head in ("sum", "product"):
        shown += [(inside, equal(put(fro[s], to), s)) for s in fro]
    left = Reduction(head, own, guarded(guards, body, head))
    right = Reduction(head, others, guarded(conditions, Within(tuple(fro.items()), body), head))
    return Shown(left, right, tuple(shown))


def _one_counts(elements: Elements, step: Step) -> Shown:
    """A function of a sum of which one term counts is the sum of the function."""
    ((symbol, extent),), place, body, outside = step.subjects
    if not is_free(symbol, (place, extent), outside):
        raise RefusedError("a place depends on what it is used for")
    facts: list[Any] = []
    number = elements.number(place, facts)
    if not elements.inputs.are_integers(place, elements.always):
        raise RefusedError("a place is no index")
    inside = sum_of(symbol, extent, place, around(outside, body))
    whole = around(outside, sum_of(symbol, extent, place, body))
    sides = (whole, inside) if HOLE.tensor in reads_in([outside]) else (inside, outside)
    wanted = conjunction(number >= 0, number < extent)
    return Shown(sides[0], sides[1], ((facts, wanted),))


def _arithmetic(elements: Elements, step: Step) -> Shown:
    """Elements are equal for all values of the unknowns in them."""
    left, right = step.subjects
    facts: list[Any] = []
    values = elements.number(left, facts), elements.number(right, facts)
    left, right = map(elements.model.held, step.subjects)
    return Shown(left, right, ((facts, equal(*values)),))


def _fits(elements: Elements, step: Step) -> Shown:
    """What is computed is what a dtype holds of it, where that is within its range."""
    value, dtype = step.subjects
    facts: list[Any] = []
    wanted = in_range(elements.whole(value, facts), dtype)
    return Shown(Apply("held", (value, Number(dtype))), value, ((facts, wanted),))


def _sum(_: Elements, step: Step) -> Shown:
    """Both sides differ by multiples of what other steps show to be 0."""
    left, right = step.subjects
    return Shown(left, right)


def _row(row: Law, elements: Elements, step: Step) -> Shown:
    """A law of the table, about what dtypes hold; that its integers fit is another step."""
    is_known = elements.model.is_field or elements.are_integers(*step.subjects)
    if (row.of is Numbers.REALS) is not elements.model.is_field or not is_known:
        raise RefusedError(f"`{row.name}` is about {row.of.value}")
    names = sorted(reads_in([row.left]))
    bound = dict(zip(names, map(elements.model.held, step.subjects), strict=True))
    if not all(elements.model.fits(filled(one, bound)) for one in row.fits):
        raise RefusedError(f"`{row.name}` is used for what may have wrapped")
    facts: list[Any] = []
    wanted = [elements.truth(filled(one, bound), facts) for one in row.where]
    shown = tuple((facts, one) for one in wanted)
    return Shown(filled(row.left, bound), filled(row.right, bound), shown)


def filled(pattern: Expression, bound: Mapping[str, Expression]) -> Expression:
    """Return a side of a law with expressions for its unknowns."""
    if isinstance(pattern, Read):
        return bound[pattern.tensor]
    return with_parts(pattern, tuple(filled(part, bound) for part in parts(pattern)))


def guarded(guards: Sequence[Any], body: Expression, head: str) -> Expression:
    """Return what counts in a sum or an extremum only where conditions hold."""
    return select(conjunction(*guards), body, NEUTRAL[head])


def _bounds(variables: Any) -> list[Any]:
    return [bound for s, extent in variables for bound in (s >= 0, s < extent)]


def _require_whole(*terms: Any) -> None:
    if not all(map(is_integer, terms)):
        raise RefusedError("a law of integers is used for other numbers")


WIDER: Mapping[str, tuple[str, ...]] = {
    name: tuple(other for other, one in DTYPES.items() if name != other and one.holds_all_of(dtype))
    for name, dtype in DTYPES.items()
}
"""For a dtype those that hold all its values."""

LAWS: dict[str, Callable[[Elements, Step], Shown]] = {
    "equal": _equal,
    "whole multiples": _multiple,
    "an index less than the divisor": _less,
    "a wider dtype": _cast,
    "substitution": _substitution,
    "sum": _sum,
    "arithmetic": _arithmetic,
    "fits": _fits,
    "one term counts": _one_counts,
}
LAWS |= {row.name: partial(_row, row) for row in ROWS}
