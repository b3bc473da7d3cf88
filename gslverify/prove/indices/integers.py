"""Which terms are about integers alone, so that the laws of integers hold."""

from __future__ import annotations

from typing import Any

from gsl.attr.term import Constant, Operation, Symbol, Term, as_term, subterms


def is_integer(term: Any) -> bool:
    """Tell whether a term has integers as values: none of its numbers is real."""
    for part in subterms(as_term(term)):
        if isinstance(part, Symbol) and part.sort != "int":
            return False
        if isinstance(part, Constant) and not isinstance(part.value, int):
            return False
        if isinstance(part, Operation) and part.head in ("/", "sqrt"):
            return False
    return True


class Integers:
    """Answers the same, and remembers."""

    def __init__(self) -> None:
        self._known: dict[Term, bool] = {}

    def __call__(self, term: Any) -> bool:
        """Tell whether a term has integers as values."""
        if not isinstance(term, Operation):
            return is_integer(term)
        if term not in self._known:
            self._known[term] = is_integer(term)
        return self._known[term]
