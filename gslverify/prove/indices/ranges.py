"""What values atoms can have: how small they are at least, and the extents of indices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod

from gsl.attr.term import Symbol, Term
from gslverify.structures.arithmetic.polynomials import ONE, ZERO, Poly, add, multiply, replaced

REMAINDER = -1


class Ranges:
    """Ranges of the atoms of some forms, and what they say about signs of polynomials.

    `division` returns what atom an atom is the quotient of, if it is one, and the divisor.
    """

    def __init__(
        self, atoms: Sequence[Term], division: Callable[[int], tuple[int | None, Poly]]
    ) -> None:
        self.atoms = atoms
        self.division = division
        self.extents: dict[int, Poly] = {}
        self._least: dict[Symbol, int] = {}

    def restrict(self, atom: int, least: int) -> bool:
        """Note that an atom, if it is a symbol, is at least a number; tell whether that is new."""
        symbol = self.atoms[atom]
        if not isinstance(symbol, Symbol) or self.is_count(atom, least):
            return False
        self._least[symbol] = least
        return True

    def define(self, atom: int, value: Poly) -> None:
        """Write a value for an atom in all extents."""
        self.extents = {a: replaced(e, atom, value) for a, e in self.extents.items()}

    def leasts(self) -> Iterator[tuple[Symbol, int]]:
        """Yield symbols that are at least some number, as they do not show themselves."""
        yield from self._least.items()

    def is_count(self, atom: int, least: int = 0) -> bool:
        """Tell whether an atom is a symbol that is known to be `least` or more."""
        low = self._low(atom)
        return low is not None and low >= least

    def _low(self, atom: int) -> float | None:
        if atom == REMAINDER:
            return 0
        symbol = self.atoms[atom]
        if not isinstance(symbol, Symbol) or symbol.sort != "int":
            return None
        lows = (symbol.low, self._least.get(symbol))
        return max((low for low in lows if low is not None), default=None)

    def is_positive(self, poly: Poly) -> bool:
        """Tell whether a polynomial of integers is at least 1, seen from signs alone."""
        return self.at_least(poly, 1)

    def at_least(self, poly: Poly, limit: int) -> bool:
        """Tell whether a polynomial is at least a number, adding up what its monomials are."""
        total = 0
        for mono, number in poly:
            lows = [self._low(atom) for atom in mono]
            if mono and (number < 0 or any(low is None or low < 0 for low in lows)):
                return False
            total += number * prod(low for low in lows if low is not None)
        return total >= limit

    def is_below(self, poly: Poly, limit: Poly) -> bool:
        """Tell whether 0 <= poly < limit follows from the extents of symbols."""
        poly, extents = self._with_remainder(poly)
        if not self.at_least(poly, 0):
            return False
        most = poly
        for atom in {number for mono, _ in poly for number in mono}:
            if atom in extents:
                extent = extents[atom]
                if any(number in extents for mono, _ in extent for number in mono):
                    return False
                most = replaced(most, atom, add(extent, ONE, -1))
        return self.is_positive(add(limit, most, -1))

    def is_at_least(self, poly: Poly, limit: int) -> bool:
        """Tell whether a polynomial is at least a number, seen from signs and remainders."""
        if self.at_least(poly, limit):
            return True
        found, extents = self._with_remainder(poly)
        if REMAINDER not in extents:
            return False
        most = replaced(found, REMAINDER, add(extents[REMAINDER], ONE, -1))
        return self.at_least(most, limit) and self.at_least(replaced(found, REMAINDER, ZERO), limit)

    def _with_remainder(self, poly: Poly) -> tuple[Poly, Mapping[int, Poly]]:
        """Write i as d (i // d) + r with an r < d where that leaves no i // d, and return extents.

        As r has no atom, its number is one that atoms do not have.
        """
        for atom in sorted({number for mono, _ in poly for number in mono}):
            index, divisor = self.division(atom)
            if index is not None and self.is_positive(divisor):
                row = multiply(divisor, frozenset([((atom,), 1)]))
                found = replaced(poly, index, add(row, frozenset([((REMAINDER,), 1)])))
                if not any(atom in mono for mono, _ in found):
                    return found, {**self.extents, REMAINDER: divisor}
        return poly, self.extents
