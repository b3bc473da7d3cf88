"""Conditions taken apart into what has to hold besides each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from operator import is_not
from typing import Any

from gsl.attr.term import Constant, Operation, Reduce, Symbol, Term

MOST_UNROLLED = 16


def conjuncts(term: Term) -> Iterator[Term]:
    """Yield terms that all have to be true for `term` to be true, as small as can be told.

    Conjunctions are opened, those over a short known range as well.
    """
    stack = [term]
    while stack:
        current = stack.pop()
        match current:
            case Operation(head="and", operands=operands):
                stack.extend(reversed(operands))
            case Reduce(
                head="and", body=body, symbol=symbol, length=Constant(value=int() as count)
            ):
                if count > MOST_UNROLLED:
                    yield current
                    continue
                parts = [substitute(body, symbol, Constant(i)) for i in range(count)]
                stack.extend(reversed(parts))
            case _:
                yield current


def disjuncts(term: Term) -> Iterator[Term]:
    """Yield terms of which one has to be true for `term` to be true."""
    stack = [term]
    while stack:
        current = stack.pop()
        if isinstance(current, Operation) and current.head == "or":
            stack.extend(reversed(current.operands))
        else:
            yield current


def substitute(term: Term, symbol: Symbol, value: Term) -> Term:
    """Return `term` with `value` for `symbol`; what does not mention it is the very same object.

    Attributes of patterns stay as they are, also those of instances numbered by `symbol`.
    """
    return rebuilt(term, lambda part: value if part is symbol else None)


def rebuilt(term: Term, change: Callable[[Term], Term | None]) -> Term:
    """Return `term` with every part for which `change` has another one exchanged.

    What does not change is the very same object.
    """
    changed = change(term)
    if changed is not None:
        return changed
    parts: dict[str, Any] = {}
    for field in fields(term):  # type: ignore[arg-type]
        before = getattr(term, field.name)
        after = _inside(before, change)
        if after is not before:
            parts[field.name] = after
    return replace(term, **parts) if parts else term  # type: ignore[type-var]


def _inside(part: Any, change: Callable[[Term], Term | None]) -> Any:
    if isinstance(part, Term):
        return rebuilt(part, change)
    if isinstance(part, tuple) and any(isinstance(item, Term) for item in part):
        new = tuple(_inside(item, change) for item in part)
        return new if any(map(is_not, new, part)) else part
    return part
