"""Conditions taken apart into what has to hold besides each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from operator import is_not
from typing import Any

from gsl.attr.term import Access, Constant, Operation, Reduce, Symbol, Term

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
            case Reduce(head="and", body=body, symbol=symbol, length=Constant(value=int() as count)):
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
    if term is symbol:
        return value
    if isinstance(term, Access | Symbol):
        return term
    changes: dict[str, Any] = {}
    for field in fields(term):  # type: ignore[arg-type]
        before = getattr(term, field.name)
        after = _inside(before, symbol, value)
        if after is not before:
            changes[field.name] = after
    return replace(term, **changes) if changes else term  # type: ignore[type-var]


def _inside(part: Any, symbol: Symbol, value: Term) -> Any:
    if isinstance(part, Term):
        return substitute(part, symbol, value)
    if isinstance(part, tuple) and any(isinstance(item, Term) for item in part):
        new = tuple(_inside(item, symbol, value) for item in part)
        return new if any(map(is_not, new, part)) else part
    return part
