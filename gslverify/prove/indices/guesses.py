"""Simple numbers as witnesses that something does not follow, before a solver is asked.

Most of what does not follow fails already where all sizes are 1 or all are different.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gsl.attr.evaluate import evaluate
from gsl.attr.memory import Memory
from gsl.attr.term import Access, Symbol, Term, bottom_up
from gsl.errors import GslError

GUESSES: Sequence[tuple[Sequence[int], Sequence[int], Sequence[str]]] = (
    ((1,), (0,), ("float32",)),
    ((2, 3, 5, 7), (0,), ("float16", "float32")),
    ((4,), (1, 2, 3), ("int32",)),
    ((2,), (1, 0), ("int8", "int32")),
)
"""What symbols are given in turn: those that are at least 1, other integers, and names."""


class _Known:
    """An environment in which symbols have values."""

    def __init__(self, values: Mapping[Symbol, Any]) -> None:
        self.values = values

    def access(self, term: Access) -> Any:
        raise GslError(f"`{term.name}` has no value here")

    def symbol(self, symbol: Symbol) -> Any:
        return self.values[symbol]

    def bind(self, symbol: Symbol, value: Any) -> _Known:
        return _Known({**self.values, symbol: value})


def is_refuted(goal: Term | bool, conditions: Sequence[Term]) -> bool:
    """Tell whether a guess meets all conditions and not the goal; False means nothing."""
    terms = conditions if isinstance(goal, bool) else [*conditions, goal]
    symbols = list(_symbols(terms))
    for sizes, indices, names in GUESSES:
        values = _given(symbols, sizes, indices, names)
        if _meets(_Known(values), conditions, goal):
            return True
    return False


def _symbols(terms: Iterable[Term]) -> dict[Symbol, None]:
    parts = (part for term in terms for part in bottom_up(term))
    return {part: None for part in parts if isinstance(part, Symbol)}


def _given(
    symbols: Sequence[Symbol], sizes: Sequence[int], indices: Sequence[int], names: Sequence[str]
) -> dict[Symbol, Any]:
    values: dict[Symbol, Any] = {}
    counts = [0, 0, 0]
    for symbol in symbols:
        if symbol.sort in ("real", "bool"):
            values[symbol] = False if symbol.sort == "bool" else (symbol.low or 0) + 0.5
            continue
        is_size = symbol.low is not None and symbol.low >= 1
        kind = 2 if symbol.sort == "text" else int(not is_size)
        numbers: Sequence[Any] = (sizes, indices, names)[kind]
        values[symbol] = numbers[counts[kind] % len(numbers)]
        counts[kind] += 1
    return values


def _meets(known: _Known, conditions: Sequence[Term], goal: Term | bool) -> bool:
    if goal is True:
        return False
    if not all(_is_within(symbol, value) for symbol, value in known.values.items()):
        return False
    memory = Memory()
    try:
        if isinstance(goal, Term) and evaluate(goal, known, memory) is not False:
            return False
        return all(evaluate(condition, known, memory) is True for condition in conditions)
    except (GslError, ArithmeticError, LookupError, TypeError, ValueError):
        return False


def _is_within(symbol: Symbol, value: Any) -> bool:
    low, high = symbol.low, symbol.high
    return (low is None or value >= low) and (high is None or value <= high)
