"""What terms for dtypes and layouts are known to stand for."""

from __future__ import annotations

from collections.abc import Collection
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
        if not isinstance(one, Symbol):
            one, other = other, one
        if isinstance(one, Symbol) and one is not other:
            self._texts[one] = other
            options = self._options.pop(one, None)
            if options is not None and isinstance(other, Symbol):
                self.restrict(other, options)

    def restrict(self, symbol: Symbol, options: Collection[Any]) -> None:
        """Note that a symbol stands for one of some names."""
        known = self.text(symbol)
        if not isinstance(known, Symbol):
            return
        left = self._options[known] = self._options.get(known, frozenset(options)) & {*options}
        if len(left) == 1:
            (self._texts[known],) = left

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
        options = self._possible(value)
        return options is not None and options <= frozenset(names)

    def are_apart(self, value: Any, names: Any) -> bool:
        """Tell whether a term is known to stand for none of some names, or of another term's."""
        others = frozenset(names) if isinstance(names, tuple) else self._possible(names)
        options = self._possible(value)
        return options is not None and others is not None and options.isdisjoint(others)

    def _possible(self, value: Any) -> frozenset[Any] | None:
        """Return the names that a term may stand for, None if that is not known."""
        known = self.text(value)
        return frozenset((known,)) if isinstance(known, str) else self._options.get(known)
