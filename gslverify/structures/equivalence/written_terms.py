"""Terms of a structure as formulas, taken from earlier structures where they are alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gsl.attr.term import Constant, Operation, Symbol, Term
from gslverify.structures.equivalence.renumbering import Formulas

EXCHANGEABLE = frozenset({"and", "or", "+", "*", "min", "max", "==", "!="})
NESTED = frozenset({"and", "or", "+", "*"})

Symbols = Mapping[Symbol, int]
"""Symbols in the order in which they were met, with their formulas."""

Known = tuple[Any, int, Symbols]
"""A term, its formula, and the symbols in it."""


class WrittenTerms:
    """Writes the terms of one structure.

    Symbols are atoms, and most `atoms` are those of earlier structures. What is `known` of these
    holds where the symbols of a term have the same formulas. `sizes` says of which axis a symbol is
    the size.
    """

    def __init__(
        self, formulas: Formulas, atoms: dict[Hashable, int], known: dict[int, Known]
    ) -> None:
        self.sizes: dict[Symbol, int] = {}
        self._formulas = formulas
        self._atoms = atoms
        self._earlier = known
        self._known: dict[int, Known] = {}
        self._names: dict[Symbol, int] = {}
        self._named: Counter[str] = Counter()
        self._met: dict[Symbol, int] = {}
        self._local: set[Symbol] | None = None

    def atom(self, kind: str, *which: Hashable) -> int:
        """Return the atom of a kind that is told from others of it in one structure."""
        key = kind, *which
        if key not in self._atoms:
            self._atoms[key] = self._formulas.atom(kind)
        return self._atoms[key]

    def name(self, symbol: Symbol, atom: int) -> None:
        """Say which atom a symbol is that nothing else knows, an index."""
        self._names[symbol] = atom
        if self._local is not None:
            self._local.add(symbol)

    def are(self, symbols: Symbols) -> bool:
        """Tell whether symbols have the formulas that they had in an earlier structure."""
        return all(self.term(symbol) == formula for symbol, formula in symbols.items())

    @contextmanager
    def noted(self) -> Iterator[dict[Symbol, int]]:
        """Note the symbols that are met, but for the indices that are named meanwhile."""
        self._met, self._local = {}, set()
        symbols: dict[Symbol, int] = {}
        yield symbols
        symbols.update((s, number) for s, number in self._met.items() if s not in self._local)
        self._met, self._local = {}, None

    def number(self, value: Any) -> int:
        """Return the formula of a number in a kernel."""
        return self._formulas.node("number", (self.term(value),))

    def term(self, term: Any) -> int:
        """Return the formula of a value of an attribute."""
        known = self._known.get(id(term)) or self._of_earlier(term)
        if known is None:
            outer, self._met = self._met, {}
            number = self._written(term)
            known = self._known[id(term)] = term, number, self._met
            self._met = outer
            if self._local is None:  # else it may be about an index, which is met only once
                self._earlier[id(term)] = known
        self._met.update(known[2])
        return known[1]

    def _of_earlier(self, term: Any) -> Known | None:
        """Return what an earlier structure says of a term, if it says the same in this one."""
        known = self._earlier.get(id(term))
        if known is None or type(term) is Symbol or not self.are(known[2]):
            return None
        self._known[id(term)] = known
        return known

    def _written(self, term: Any) -> int:
        node = self._formulas.node
        match term:
            case Symbol():
                number = self._met[term] = self._symbol(term)
                return number
            case Constant(value=value):
                return self.term(value)
            case Operation(head=head, operands=operands):
                if head in NESTED:
                    return self._formulas.bag(head, self.parts(head, term))
                make = self._formulas.bag if head in EXCHANGEABLE else node
                return make(head, map(self.term, operands))
            case Term():
                raise TypeError(f"a term of another kind: {term!r}")
            case tuple():
                return node("tuple", map(self.term, term))
            case _:
                return node(f"{type(term).__name__} {term!r}")

    def _symbol(self, symbol: Symbol) -> int:
        if symbol in self.sizes:
            return self._formulas.node("size of", (self.sizes[symbol],))
        if symbol not in self._names:
            kind = f"symbol {symbol.sort} {symbol.low} {symbol.high}"
            self._named[symbol.name] += 1
            self._names[symbol] = self.atom(kind, symbol.name, self._named[symbol.name])
        return self._names[symbol]

    def parts(self, head: str, term: Any) -> list[int]:
        """Return what an operation that may be nested in any way combines."""
        found, stack = [], [term]
        while stack:
            part = stack.pop()
            if isinstance(part, Operation) and part.head == head:
                stack += part.operands
            else:
                found.append(self.term(part))
        return found
