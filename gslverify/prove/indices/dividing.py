"""Whole multiples of a divisor in a polynomial."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gslverify.structures.arithmetic.polynomials import (
    ZERO,
    Monomial,
    Poly,
    add,
    frozen,
    multiply,
    without,
)

Below = Callable[[Poly, Poly], bool]
"""Tells whether a polynomial is known to be at least 0 and less than another one."""


def multiple(whole: Poly, divisor: Poly, is_below: Below) -> Poly:
    """Return how often a divisor is in a polynomial, as far as that is seen.

    What is left over need not be smaller than the divisor.
    """
    if len(divisor) == 1:
        return _of_monomial(whole, divisor)
    found, rest, is_growing = ZERO, whole, True
    while is_growing:
        is_growing = False
        for candidate in _candidates(rest, divisor):
            left = add(rest, multiply(candidate, divisor), -1)
            is_exact = len(left) <= len(rest) - len(divisor)
            if is_exact or is_below(left, divisor):
                found, rest, is_growing = add(found, candidate), left, is_exact
                break
    return found


def _of_monomial(whole: Poly, divisor: Poly) -> Poly:
    ((mono, number),) = divisor
    taken: dict[Monomial, Any] = {}
    for part, count in whole:
        left = without(part, mono)
        if left is not None and count % number == 0:
            taken[left] = count // number
    return frozen(taken)


def _candidates(whole: Poly, divisor: Poly) -> Iterator[Poly]:
    for part, count in sorted(whole, key=lambda pair: pair[0]):
        for mono, number in sorted(divisor, key=lambda pair: pair[0]):
            left = without(part, mono)
            if left is not None and count % number == 0:
                yield frozenset([(left, count // number)])
