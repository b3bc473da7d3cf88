"""An environment for evaluating terms in tests: plain dictionaries instead of a match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gsl.attr.term import Access, Symbol
from gsl.errors import EvaluationError
from gsl.pat import Pattern


@dataclass(frozen=True)
class Known:
    """Attributes by pattern and name, symbols by identity; counts the accesses."""

    attributes: Mapping[tuple[Pattern, str], Any] = field(default_factory=dict)
    symbols: Mapping[Symbol, Any] = field(default_factory=dict)
    accessed: list[str] = field(default_factory=list)

    def access(self, term: Access) -> Any:
        self.accessed.append(term.name)
        return self.attributes[term.pattern, term.name]

    def symbol(self, symbol: Symbol) -> Any:
        if symbol not in self.symbols:
            raise EvaluationError(f"symbol `{symbol.name}` is not bound here")
        return self.symbols[symbol]

    def bind(self, symbol: Symbol, value: Any) -> Known:
        return replace(self, symbols={**self.symbols, symbol: value})


@dataclass(frozen=True)
class Open(Known):
    """An environment in which unknown symbols stand for themselves: symbolic evaluation."""

    def symbol(self, symbol: Symbol) -> Any:
        return self.symbols.get(symbol, symbol)


NOTHING = Known()
