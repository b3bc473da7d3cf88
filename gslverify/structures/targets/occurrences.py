"""Where the operations of a target are evaluated: in which field, with which symbols bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from gsl.attr.evaluate import evaluate, field_count
from gsl.attr.memory import Memory
from gsl.attr.term import (
    Operation,
    Reduce,
    Symbol,
    Term,
    Value,
    VariadicTuple,
    bottom_up,
    children,
    free_symbols,
)
from gsl.errors import GslError
from gsl.match.bindings import Bindings, Frame, Path, Scope, frame_of
from gsl.pat import Pattern, Variadic
from gsl.rewrite.memory import MatchMemory
from gsl.subst import Subst

MOST_FIELDS_LOOKED_AT = 64


@dataclass(frozen=True, slots=True)
class Place:
    """A scope, and what is known of the values of terms there."""

    scope: Scope
    memory: Memory

    @classmethod
    def at(cls, bindings: Bindings, frame: Frame | None, memory: MatchMemory) -> Place:
        """Return the place in a field, or outside of all."""
        return cls(Scope(bindings, frame), memory.at(frame))

    def value(self, term: Term) -> Value:
        """Return the value of a term; raises what `evaluate` raises."""
        return evaluate(term, self.scope, self.memory)

    def inside(self, symbol: Symbol, number: int) -> Place:
        """Return the place in a field of a tuple or sum."""
        return Place(self.scope.bind(symbol, number), self.memory.inside(symbol, number))


def occurrences(
    subst: Subst,
    bindings: Bindings,
    memory: MatchMemory,
    heads: frozenset[str],
    patterns: Iterable[Pattern] | None = None,
) -> Iterator[tuple[Operation, Place]]:
    """Yield every operation with one of some heads in the terms of a target, with its places.

    One that has a value outside of all fields has the same in each of them, and one that does not
    depend on the number of a field is yielded for one of them. Only some `patterns` of the target
    may be asked for.
    """
    paths = islice(_paths(subst, bindings), MOST_FIELDS_LOOKED_AT)
    fields = [Place.at(bindings, frame_of(path), memory) for path in paths]
    outside = Place.at(bindings, None, memory)
    whole = with_heads(subst, heads)
    for pattern in subst.target_patterns if patterns is None else patterns:
        for term in pattern.terms():
            if term in whole:
                for scope in [outside] if _has_value(term, outside) else fields:
                    yield from _operations(term, scope, heads, whole)


@lru_cache(maxsize=16)
def with_heads(subst: Subst, heads: frozenset[str]) -> frozenset[Term]:
    """Return the terms of a target in which there is an operation with one of some heads."""
    found: set[Term] = set()
    for pattern in subst.target_patterns:
        for term in pattern.terms():
            for part in bottom_up(term):
                has_head = isinstance(part, Operation) and part.head in heads
                if has_head or not found.isdisjoint(children(part)):
                    found.add(part)
    return frozenset(found)


def _paths(subst: Subst, bindings: Bindings) -> Iterator[Path]:
    """Yield the paths of all fields of the target, which has as many outputs as the source."""
    lengths = dict(bindings.lengths)
    if subst.variadic is not None:
        lengths[(subst.target[0], ())] = lengths[(subst.variadic, ())]
    for (variadic, path), count in lengths.items():
        assert isinstance(variadic, Variadic)
        yield from ((*path, (variadic, index)) for index in range(count))


def _has_value(term: Term, place: Place) -> bool:
    try:
        place.value(term)
    except GslError:
        return False
    return True


def _operations(
    term: Term, start: Place, heads: frozenset[str], whole: frozenset[Term]
) -> Iterator[tuple[Operation, Place]]:
    stack, seen = [(term, start)], set[tuple[Term, tuple[int, ...]]]()
    while stack:
        current, place = stack.pop()
        if current not in whole:
            continue
        free = free_symbols(current)
        numbers = tuple(n for symbol, n in place.scope.symbols.items() if symbol in free)
        if (current, numbers) in seen:
            continue
        seen.add((current, numbers))
        if isinstance(current, Operation) and current.head in heads:
            yield current, place
        if not isinstance(current, VariadicTuple | Reduce):
            stack.extend((part, place) for part in children(current))
            continue
        stack.append((current.length, place))
        if current.body not in whole:
            continue
        with suppress(GslError):
            count = field_count(place.value(current.length))
            stack.extend((current.body, place.inside(current.symbol, i)) for i in range(count))
