"""Where the operations of a target are evaluated: in which field, with which symbols bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice

from gsl.attr.evaluate import evaluate, field_count
from gsl.attr.term import Operation, Reduce, Term, VariadicTuple, children
from gsl.errors import GslError
from gsl.match.bindings import Bindings, Path, Scope, frame_of
from gsl.pat import Pattern, Variadic
from gsl.subst import Subst

MOST_FIELDS_LOOKED_AT = 64


def occurrences(
    subst: Subst, bindings: Bindings, patterns: Iterable[Pattern] | None = None
) -> Iterator[tuple[Operation, Scope]]:
    """Yield every operation in the terms of a target that was built, with each of its scopes.

    One that has a value outside of all fields has the same in each of them. Only some `patterns`
    of the target may be asked for.
    """
    paths = islice(_paths(subst, bindings), MOST_FIELDS_LOOKED_AT)
    fields = [Scope(bindings, frame_of(path)) for path in paths]
    for pattern in subst.target_patterns if patterns is None else patterns:
        for term in pattern.terms():
            outside = Scope(bindings)
            for scope in [outside] if _has_value(term, outside) else fields:
                yield from _operations(term, scope)


def _paths(subst: Subst, bindings: Bindings) -> Iterator[Path]:
    """Yield the paths of all fields of the target, which has as many outputs as the source."""
    lengths = dict(bindings.lengths)
    if subst.variadic is not None:
        lengths[(subst.target[0], ())] = lengths[(subst.variadic, ())]
    for (variadic, path), count in lengths.items():
        assert isinstance(variadic, Variadic)
        yield from ((*path, (variadic, index)) for index in range(count))


def _has_value(term: Term, scope: Scope) -> bool:
    try:
        evaluate(term, scope)
    except GslError:
        return False
    return True


def _operations(term: Term, scope: Scope) -> Iterator[tuple[Operation, Scope]]:
    stack, seen = [(term, scope)], set[tuple[int, tuple[int, ...]]]()
    while stack:
        current, inside = stack.pop()
        place = id(current), tuple(inside.symbols.values())
        if place in seen:
            continue
        seen.add(place)
        if isinstance(current, Operation):
            yield current, inside
        if not isinstance(current, VariadicTuple | Reduce):
            stack.extend((part, inside) for part in children(current))
            continue
        stack.append((current.length, inside))
        with suppress(GslError):
            count = field_count(evaluate(current.length, inside))
            stack.extend((current.body, inside.bind(current.symbol, i)) for i in range(count))
