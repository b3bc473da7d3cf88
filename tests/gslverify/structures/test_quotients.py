"""The form of a quotient has the value of the quotient, whatever the atoms are."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gslverify.structures.arithmetic.polynomials import Monomial, frozen
from gslverify.structures.arithmetic.quotients import Quotients

LEAST = {0: Fraction(1), 1: Fraction(3), 2: None}
"""The first atoms are at least 1 and 3; of the last one nothing is known."""

MONOMIALS = [(), (0,), (1,), (2,), (0, 0), (0, 1), (0, 2), (1, 2)]
POLYNOMIALS = st.dictionaries(
    st.sampled_from(MONOMIALS),
    st.integers(-7, 7).filter(bool).map(Fraction),
    max_size=4,
)


def least(form: Any) -> Fraction | None:
    """Return a bound of a product with a positive coefficient."""
    terms = list(form)
    if len(terms) != 1 or terms[0][1] < 0:
        return None
    mono, number = terms[0]
    bounds = [LEAST[atom] for atom in mono]
    known = [one for one in bounds if one is not None]
    return Fraction(number * prod(known)) if len(known) == len(bounds) else None


Polynomial = dict[Monomial, Fraction]

Quotient = tuple[Any, Any]
"""The sides of a quotient that was left as it is; its atom has the number 3 or a larger one."""


def value_of(form: Any, atoms: tuple[int, ...], left: list[Quotient]) -> Any:
    """Return the value of a form."""
    total = Fraction(0)
    for mono, number in form:
        for atom in mono:
            if atom < len(atoms):
                number *= atoms[atom]
            else:
                one, other = (value_of(side, atoms, left) for side in left[atom - len(atoms)])
                number *= one // other
        total += number
    return total


@given(
    POLYNOMIALS,
    POLYNOMIALS,
    st.integers(1, 9),
    st.integers(3, 9),
    st.integers(-9, 9),
)
@settings(max_examples=2000, deadline=None)
def test_the_value_is_kept(
    whole: Polynomial, divisor: Polynomial, first: int, second: int, third: int
) -> None:
    atoms = (first, second, third)
    left: list[Quotient] = []

    def kept(*sides: Any) -> Any:
        left.append((sides[0], sides[1]))
        return frozen({(len(atoms) + len(left) - 1,): Fraction(1)})

    sides = [value_of(frozen(one), atoms, left) for one in (whole, divisor)]
    if sides[1] == 0:
        return
    found = Quotients(least, kept).of(frozen(whole), frozen(divisor))

    assert value_of(found, atoms, left) == sides[0] // sides[1]
