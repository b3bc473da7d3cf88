"""Normal forms of integer quotients, which are rounded down, by divisors of at least 1.

Multiples of the divisor come out, and what is left begins with a positive coefficient: of
``-((-m) // p)`` and ``(m - 1) // p + 1``, which are equal, the second one is the form.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from gslverify.structures.arithmetic.polynomials import (
    ONE,
    ZERO,
    Monomial,
    Poly,
    add,
    constant_of,
    frozen,
    negative,
    without,
)


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
        return add(taken, self._of_rest(rest, divisor))

    def rest_of(self, whole: Any, divisor: Any) -> Any:
        """Return the form of an integer that leaves the same remainder, without multiples."""
        parts = self._parts(whole, divisor)
        return whole if parts is None else parts[1]

    def _parts(self, whole: Any, divisor: Any) -> tuple[Poly, Poly] | None:
        """Return how often a divisor is in an integer, and the rest; None if that is open."""
        bound = self._least(divisor)
        if bound is None or bound < 1 or len(divisor) > 1 or not _is_integral(whole):
            return None
        ((mono, number),) = divisor
        if number.denominator != 1:
            return None
        return _divided(whole, mono, int(number))

    def _of_rest(self, rest: Poly, divisor: Any) -> Any:
        """Return the form of a quotient of what has no multiple of the divisor in it."""
        number = constant_of(rest)
        if number is not None:
            small = self._of_number(number, divisor)
            if small is not None:
                return small
        elif max(rest)[1] < 0:
            # a // p is -((-a - 1) // p) - 1
            opposite = self.of(add(negative(rest), ONE, -1), divisor)
            return add(negative(opposite), ONE, -1)
        return self._atom(rest, divisor)

    def _of_number(self, number: Fraction, divisor: Any) -> Any:
        """Return the quotient of a number if the divisor is known to be large enough."""
        least = self._least(divisor)
        assert least is not None
        if 0 <= number < least:
            return ZERO
        if -least <= number < 0:
            return negative(ONE)
        return None


def _is_integral(poly: Poly) -> bool:
    return all(number.denominator == 1 for _, number in poly)


def _divided(whole: Poly, mono: Monomial, number: int) -> tuple[Poly, Poly]:
    """Return how often a product is in a polynomial, and the rest."""
    taken: dict[Monomial, Any] = {}
    rest: dict[Monomial, Any] = {}
    for part, count in whole:
        left = without(part, mono)
        often = 0 if left is None else count // number
        if left is not None and often:
            taken[left] = taken.get(left, 0) + often
        if count - often * number:
            rest[part] = count - often * number
    return frozen(taken), frozen(rest)
