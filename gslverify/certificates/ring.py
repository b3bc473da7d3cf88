"""Sums of products of atoms: the canonical form in which the checker compares elements.

An atom is a symbol, an element that is read, or a function of such sums. Atoms are numbered in the
order in which they are met, so equal sums are equal as sets.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import Any

Monomial = tuple[tuple[int, int], ...]
"""Numbers of atoms with their exponents, in increasing order."""

Sum = frozenset[tuple[Monomial, Any]]
"""Products with their numbers, none of which is 0."""

ZERO: Sum = frozenset()
ONE: Sum = frozenset([((), 1)])

Atom = tuple[str, Hashable, tuple[Sum, ...]]
"""What it is, what it is beside its arguments, and these."""

SQUARED = {"sqrt": 1, "abs": 2}
"""Functions of which the square is their argument to a power."""


def constant(number: Any) -> Sum:
    """Return a number as a sum."""
    exact = Fraction(number)
    simple = exact.numerator if exact.denominator == 1 else exact
    return frozenset([((), simple)]) if simple else ZERO


def unit(atom: int, power: int = 1) -> Sum:
    """Return an atom, or a power of it, as a sum."""
    return frozenset([(((atom, power),), 1)])


def number_of(value: Sum) -> Any:
    """Return the number that a sum is, None for anything else."""
    if not value:
        return 0
    ((mono, number), *more) = value
    return number if not mono and not more else None


def plus(left: Sum, right: Sum, factor: Any = 1) -> Sum:
    """Return left + factor * right."""
    found = dict(left)
    for mono, number in right:
        found[mono] = found.get(mono, 0) + factor * number
    return frozenset((mono, number) for mono, number in found.items() if number)


def unsigned(value: Sum) -> Sum:
    """Return a sum or its opposite, the same one for both."""
    return value if not value or min(value)[1] > 0 else plus(ZERO, value, -1)


class Ring:
    """The atoms of one proof, and products of sums of them."""

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self.numbers: dict[Atom, int] = {}
        self.bits: set[int] = set()
        self.opposites: dict[int, int] = {}
        self._special: set[int] = set()

    def atom(self, head: str, what: Hashable, arguments: tuple[Sum, ...], bit: bool = False) -> int:
        """Return the number of an atom; a bit is 0 or 1."""
        key = (head, what, arguments)
        if key not in self.numbers:
            self.numbers[key] = number = len(self.atoms)
            self.atoms.append(key)
            if bit:
                self.bits.add(number)
            if head in SQUARED or head == "group":
                self._special.add(number)
        return self.numbers[key]

    def times(self, left: Sum, right: Sum) -> Sum:
        """Return the product, multiplied out."""
        if left == ONE or not right:
            return right
        if right == ONE or not left:
            return left
        found: dict[Monomial, Any] = {}
        for one, a in left:
            for other, b in right:
                for mono, number in self._product(one, other):
                    found[mono] = found.get(mono, 0) + a * b * number
        return frozenset((mono, number) for mono, number in found.items() if number)

    def _product(self, one: Monomial, other: Monomial) -> Iterable[tuple[Monomial, Any]]:
        if not one or not other:
            return ((one or other, 1),)
        powers = dict(one)
        for atom, power in other:
            powers[atom] = powers.get(atom, 0) + power
            if atom in self.bits:
                powers[atom] = 1
                if self.opposites.get(atom) in powers:
                    return ()
        if not self._special.isdisjoint(powers):
            return self._opened(powers)
        return ((_sorted(powers), 1),)

    def _opened(self, powers: dict[int, int]) -> Sum:
        """Return a product without squares of roots, and sums that are no divisors any more."""
        rest, taken = dict(powers), ONE
        for atom in self._special & powers.keys():
            head, _, (inner,) = self.atoms[atom]
            power = powers[atom]
            if head == "group" and power > 0:
                taken = self.times(taken, self.power(inner, power))
                del rest[atom]
            elif head in SQUARED and abs(power) > 1:
                half, odd = divmod(abs(power), 2)
                sign = 1 if power > 0 else -1
                taken = self.times(taken, self.power(inner, sign * half * SQUARED[head]))
                rest[atom] = sign * odd
        product = frozenset([(_sorted(rest), 1)])
        return product if taken == ONE else self.times(product, taken)

    def power(self, value: Sum, count: int) -> Sum:
        """Return a sum to a whole power."""
        base, result = value if count >= 0 else self.inverse(value), ONE
        for _ in range(abs(count)):
            result = self.times(result, base)
        return result

    def inverse(self, value: Sum) -> Sum:
        """Return 1 / value where it is not 0; what all products have in common stands outside."""
        if len(value) == 1:
            ((mono, number),) = value
            turned = tuple((atom, -power) for atom, power in mono)
            return frozenset(
                (one, _simple(factor / Fraction(number)))
                for one, factor in self._opened(dict(turned))
            )
        first = min(value)
        common = {
            atom: min(dict(mono).get(atom, 0) for mono, _ in value)
            for atom, power in first[0]
            if power > 0 and all(atom in dict(mono) for mono, _ in value)
        }
        turned = _sorted({atom: -power for atom, power in common.items() if power > 0})
        outside: Sum = frozenset([(turned, _simple(Fraction(1) / first[1]))])
        rest = self.times(value, outside)
        group = self.atom("group", None, (rest,))
        return self.times(outside, unit(group, -1))

    def replaced(self, value: Sum, put: Callable[[int], Sum]) -> Sum:
        """Return a sum with sums in place of its atoms."""
        total = ZERO
        for mono, number in sorted(value, key=lambda pair: pair[0]):
            part = constant(number)
            for atom, power in mono:
                part = self.times(part, self.power(put(atom), power))
            total = plus(total, part)
        return total


def _simple(number: Fraction) -> Any:
    return number.numerator if number.denominator == 1 else number


def _sorted(powers: dict[int, int]) -> Monomial:
    return tuple(sorted(pair for pair in powers.items() if pair[1]))
