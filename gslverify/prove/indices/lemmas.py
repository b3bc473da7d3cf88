"""Laws of integers that linear arithmetic alone does not see, for the terms of a question.

A clause is a list of polynomials of which one at least is not negative.
"""

from __future__ import annotations

from collections.abc import Iterator

from gslverify.prove.indices.forms import Forms
from gslverify.structures.arithmetic.polynomials import (
    ONE,
    ZERO,
    Monomial,
    Poly,
    add,
    frozen,
    multiply,
    without,
)

Clause = tuple[Poly, ...]


def of_product(mono: Monomial, forms: Forms) -> Iterator[Clause]:
    """Yield i r <= (e - 1) r for every index i < e, where the product of the others is a count.

    A quotient of which nothing is known is compared with 1.
    """
    for atom in dict.fromkeys(mono):
        rest = without(mono, (atom,))
        extent = forms.extent(atom)
        if extent is None and forms.division(atom)[0] is not None:
            extent = ONE
        if extent is not None and rest and all(map(forms.ranges.is_count, rest)):
            index: Poly = frozenset([((atom,), 1)])
            most = multiply(add(extent, ONE, -1), frozenset([(rest, 1)]))
            yield add(index, extent, -1), add(most, frozenset([(mono, 1)]), -1)


def of_quotient(difference: Poly, forms: Forms) -> Iterator[Clause]:
    """Yield w // d <= a where w < (a + 1) d, and a <= w // d where a d <= w, and the converses.

    `difference` is what is compared with 0: a - w // d or w // d - a.
    """
    for mono, number in difference:
        found = _quotient(mono, forms) if number in (1, -1) else None
        if found is None:
            continue
        whole, divisor = found
        rest = frozen({m: -number * n for m, n in difference if m != mono})
        if any(mono[0] in other for other, _ in rest):
            continue
        if number == 1:
            cleared = add(whole, multiply(rest, divisor), -1)
        else:
            cleared = add(add(multiply(add(rest, ONE), divisor), whole, -1), ONE, -1)
        yield below_zero(difference), cleared
        yield difference, below_zero(cleared)


def below_zero(poly: Poly) -> Poly:
    """Return what is not negative where a polynomial is negative."""
    return add(add(ZERO, poly, -1), ONE, -1)


def _quotient(mono: Monomial, forms: Forms) -> tuple[Poly, Poly] | None:
    """Return dividend and divisor of a monomial that is a quotient by what is at least 1."""
    parts = forms.quotient(mono[0]) if len(mono) == 1 else None
    return parts if parts is not None and forms.ranges.is_positive(parts[1]) else None
