"""Normal forms of integer quotients, which are rounded down, by divisors of at least 1.

Multiples of the divisor come out, and what is left begins with a positive coefficient: of
``-((-m) // p)`` and ``(m - 1) // p + 1``, which are equal, the second one is the form.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from gslverify.structures.polynomials import (
    Monomial,
    Polynomial,
    added,
    constant,
    frozen,
    negative,
)

ONE: Polynomial = {(): Fraction(1)}


class Quotients:
    """Makes the forms of quotients.

    `least` gives a lower bound of a form, None if there is none; `atom` makes a quotient that is
    not made simpler.
    """

    def __init__(
        self, least: Callable[[Any], Fraction | None], atom: Callable[[Any, Any], Any]
    ) -> None:
        self._least = least
        self._atom = atom

    def of(self, whole: Any, divisor: Any) -> Any:
        """Return the form of a quotient of forms of integers."""
        parts = self._parts(whole, divisor)
        if parts is None:
            return self._atom(whole, divisor)
        taken, rest = parts
        return frozen(added(taken, dict(self._of_rest(rest, divisor)[1])))

    def rest_of(self, whole: Any, divisor: Any) -> Any:
        """Return the form of an integer that leaves the same remainder, without multiples."""
        parts = self._parts(whole, divisor)
        return whole if parts is None else frozen(parts[1])

    def _parts(self, whole: Any, divisor: Any) -> tuple[Polynomial, Polynomial] | None:
        """Return how often a divisor is in an integer, and the rest; None if that is open."""
        bound = self._least(divisor)
        terms = dict(divisor[1])
        if bound is None or bound < 1 or len(terms) > 1 or not _is_integral(dict(whole[1])):
            return None
        ((mono, number),) = terms.items()
        if number.denominator != 1:
            return None
        return _divided(dict(whole[1]), mono, int(number))

    def _of_rest(self, rest: Polynomial, divisor: Any) -> Any:
        """Return the form of a quotient of what has no multiple of the divisor in it."""
        number = constant(frozen(rest))
        if number is not None:
            small = self._of_number(number, divisor)
            if small is not None:
                return small
        elif rest[max(rest)] < 0:
            # a // p is -((-a - 1) // p) - 1
            opposite = self.of(frozen(added(negative(rest), negative(ONE))), divisor)
            return frozen(added(negative(dict(opposite[1])), negative(ONE)))
        return self._atom(frozen(rest), divisor)

    def _of_number(self, number: Fraction, divisor: Any) -> Any:
        """Return the quotient of a number if the divisor is known to be large enough."""
        least = self._least(divisor)
        assert least is not None
        if 0 <= number < least:
            return frozen({})
        if -least <= number < 0:
            return frozen(negative(ONE))
        return None


def _is_integral(polynomial: Polynomial) -> bool:
    return all(number.denominator == 1 for number in polynomial.values())


def _divided(whole: Polynomial, mono: Monomial, number: int) -> tuple[Polynomial, Polynomial]:
    """Return how often a product is in a polynomial, and the rest."""
    taken: Polynomial = {}
    rest: Polynomial = {}
    for part, count in whole.items():
        left = _without(part, mono)
        often = 0 if left is None else count // number
        if left is not None and often:
            taken = added(taken, {left: Fraction(often)})
        if count - often * number:
            rest[part] = count - often * number
    return taken, rest


def _without(part: Monomial, mono: Monomial) -> Monomial | None:
    """Return a product without some of its factors, None if it does not have them."""
    left = list(part)
    for atom in mono:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)
