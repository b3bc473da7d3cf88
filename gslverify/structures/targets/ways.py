"""The ways in which structures compute a target: what is conditional in it, and how it falls."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache

from gsl.attr.term import Access, Operation, Term, subterms
from gsl.errors import GslError
from gsl.operators.declaration import Need
from gsl.pat import Cond, GetInst, Pattern, Variadic
from gsl.rewrite.builder import Builder, Decide
from gsl.subst import Subst
from gslverify.structures.instance import Instance
from gslverify.structures.targets.arms import (
    COND,
    Arms,
    decided_by,
    has_choices,
    target_of,
    values_at,
)
from gslverify.structures.targets.occurrences import occurrences, with_heads
from gslverify.structures.variants import Variant

MOST_FITS = 2
"""How often a divisor fits that fits still more often is taken to be."""


def one_of_each(subst: Subst, variants: Iterable[Variant]) -> list[Variant]:
    """Return the variants with one for every way to compute the target in front."""
    ordered = list(variants)
    front = dict.fromkeys(_ways(subst, ordered).values())
    return [*front, *(variant for variant in ordered if variant not in front)]


def ways_of(subst: Subst, variants: Iterable[Variant]) -> set[Hashable]:
    """Return the ways in which variants compute the target, if it has several."""
    return set(_ways(subst, variants))


def in_other_ways(
    subst: Subst, known: Collection[Hashable], others: Iterable[tuple[Variant, Instance]]
) -> Iterator[Variant]:
    """Yield one of the `others` for every way to compute the target that is not known."""
    seen = set(known)
    for variant, instance in others if has_choices(subst) else ():
        way = _way(instance)
        if way not in seen:
            seen.add(way)
            yield variant


def _ways(subst: Subst, variants: Iterable[Variant]) -> dict[Hashable, Variant]:
    """Return the first of the variants for every way to compute the target, if it has several."""
    ways: dict[Hashable, Variant] = {}
    for variant in variants if has_choices(subst) else ():
        ways.setdefault(_way(variant.instance(subst)), variant)
    return ways


def _way(instance: Instance) -> Hashable:
    """Return how the structure of an instance decides what is conditional in its target."""
    arms, decided = Arms(), set[tuple[Term, bool]]()
    with _target_for(instance, arms.decide, COND) as builder:
        for part, place in occurrences(instance.subst, builder.bindings, builder.memory, COND):
            decided |= decided_by(part, part.operands[0], [place])
    return *arms.taken, frozenset(decided)


@contextmanager
def _target_for(instance: Instance, decide: Decide, heads: frozenset[str]) -> Iterator[Builder]:
    """Decide on the arms of a target, which is built only where a decision may depend on it.

    Decisions are those of conditional targets, and operations with some heads in attributes. What
    is built is taken out again.
    """
    if _depends_on_target(instance.subst, heads):
        with target_of(instance, decide) as builder:
            yield builder
        return
    builder = Builder(instance.bindings, instance.graph, Need(), decide)
    with suppress(GslError):  # as where it is built
        _decide_on_arms(instance.subst, builder)
    yield builder


@lru_cache(maxsize=16)
def _depends_on_target(subst: Subst, heads: frozenset[str]) -> bool:
    """Tell whether decisions may have to do with the expressions that the target is made of."""
    source = frozenset(subst.source_patterns)
    own = [pattern for pattern in subst.target_patterns if pattern not in source]
    if any(isinstance(pattern, Variadic | GetInst) for pattern in own):
        return True
    conditions = [pattern.condition for pattern in own if isinstance(pattern, Cond)]
    terms = [*with_heads(subst, heads), *conditions]
    read = (part.pattern for one in terms for part in subterms(one) if isinstance(part, Access))
    return any(pattern not in source for pattern in read)


def _decide_on_arms(subst: Subst, builder: Builder) -> None:
    """Have a builder decide on the arms that it would build."""
    source, stack = frozenset(subst.source_patterns), list(subst.target)
    seen: set[Pattern] = set(source)
    while stack:
        pattern = stack.pop()
        if pattern in seen:
            continue
        seen.add(pattern)
        stack += [builder.arm(pattern, None)] if isinstance(pattern, Cond) else pattern.operands


def falls_of(
    subst: Subst, parts: Collection[Operation], variants: Iterable[Variant]
) -> set[tuple[Operation, int]]:
    """Return how some parts of the target fall in variants.

    These are minima, maxima, quotients and remainders: which operand is taken, how often a divisor
    fits.
    """
    few = variants if parts else ()
    return {fall for variant in few for fall in _falls(variant.instance(subst), parts)}


def with_new_falls(
    subst: Subst,
    parts: Collection[Operation],
    seen: set[tuple[Operation, int]],
    others: Iterable[tuple[Variant, Instance]],
) -> Iterator[Variant]:
    """Yield those of the `others` in which a part falls as was not `seen`, and note it there."""
    for variant, instance in others if parts else ():
        new = _falls(instance, parts) - seen
        if new:
            seen |= new
            yield variant


def _falls(instance: Instance, parts: Collection[Operation]) -> set[tuple[Operation, int]]:
    """Return how parts of the target fall that the structure decides."""
    found = set[tuple[Operation, int]]()
    heads = frozenset(part.head for part in parts)
    with _target_for(instance, Arms().decide, heads) as builder:
        for part, place in occurrences(instance.subst, builder.bindings, builder.memory, heads):
            if part in parts:
                left, right = (next(values_at(one, [place]), None) for one in part.operands)
                if type(left) is int and type(right) is int:
                    found |= {(part, fall) for fall in _fall(part.head, left, right)}
    return found


def _fall(head: str, left: int, right: int) -> Iterator[int]:
    """Yield which operand an extremum takes, or how often a divisor fits, from twice on alike."""
    if head in ("min", "max"):
        yield (left > right) - (left < right)
    elif right:
        yield min(max(left // right, -MOST_FITS), MOST_FITS)
