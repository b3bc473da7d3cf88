"""What terms for dtypes and layouts are known to stand for."""

from __future__ import annotations

from typing import Any

from gsl.attr.term import Constant, Symbol


class Names:
    """Equations between terms that stand for names, and lists of what they may be."""

    def __init__(self) -> None:
        self._texts: dict[Symbol, Any] = {}
        self._options: dict[Symbol, frozenset[Any]] = {}

    def define(self, symbol: Symbol, value: Any) -> None:
        """Note that a symbol stands for the same name as a term."""
        one, other = self.text(symbol), self.text(value)
        if isinstance(one, Symbol) and one is not other:
            self._texts[one] = other
        elif isinstance(other, Symbol) and one is not other:
            self._texts[other] = one

    def restrict(self, symbol: Symbol, options: tuple[Any, ...]) -> None:
        """Note that a symbol stands for one of some names."""
        if len(options) == 1:
            self._texts[symbol] = options[0]
        known = self._options.get(symbol, frozenset(options))
        self._options[symbol] = known & frozenset(options)

    def text(self, value: Any) -> Any:
        """Return the name that a term stands for when it is known, else the term."""
        if not isinstance(value, Symbol):
            return value.value if isinstance(value, Constant) else value
        seen = set[Any]()
        while value in self._texts and value not in seen:
            seen.add(value)
            value = self._texts[value]
        return value

    def is_named(self, value: Any, name: str) -> bool:
        """Tell whether a term is known to stand for a name."""
        known = self.text(value)
        return isinstance(known, str) and known == name

    def is_among(self, value: Any, names: tuple[str, ...]) -> bool:
        """Tell whether a term is known to stand for one of some names; False means nothing."""
        known = self.text(value)
        if isinstance(known, str):
            return known in names
        options = self._options.get(known)
        return options is not None and options <= frozenset(names)
