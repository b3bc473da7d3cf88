"""Other terms in place of symbols.

What is open and has none of the symbols stays the same object, so its form is not made again.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_
from typing import Any

from gsl.attr.evaluate import PYTHON, evaluate
from gsl.attr.memory import Memory
from gsl.attr.term import Access, Constant, Operation, Symbol, Term
from gsl.errors import EvaluationError

Mapped = Mapping[Symbol, Any]
"""Indices and what stands in their place."""


class _Renamed:
    """Gives symbols other values; those without one stay."""

    def __init__(self, mapping: Mapped) -> None:
        self.mapping = mapping

    def access(self, term: Access) -> Any:
        raise EvaluationError(f"`{term.name}` is not index arithmetic")

    def symbol(self, symbol: Symbol) -> Any:
        return self.mapping.get(symbol, symbol)

    def bind(self, symbol: Symbol, value: Any) -> _Renamed:
        return _Renamed({**self.mapping, symbol: value})


def put(value: Any, mapping: Mapped) -> Any:
    """Return a term with others in place of some symbols; raise EvaluationError."""
    if not isinstance(value, Term):
        return value
    try:
        return _value(_replaced(value, mapping, {}))
    except EvaluationError:
        return evaluate(value, _Renamed(mapping), Memory())  # which leaves out what is not chosen


def _replaced(term: Term, mapping: Mapped, done: dict[Term, Any]) -> Any:
    match term:
        case Symbol():
            return mapping.get(term, term)
        case Constant():
            return term
        case Operation(head=head, operands=operands):
            if term not in done:
                new = [_replaced(operand, mapping, done) for operand in operands]
                is_open = any(not isinstance(one, Constant) for one in operands)
                same = is_open and all(map(is_, new, operands))
                done[term] = term if same else PYTHON[head](*map(_value, new))
            return done[term]
        case _:
            return evaluate(term, _Renamed(mapping), Memory())


def _value(term: Any) -> Any:
    return term.value if isinstance(term, Constant) else term
