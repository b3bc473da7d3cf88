"""Sums of products of atoms, with rational coefficients.

As a form, which can be compared, one is ``("sum", terms in order)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

Monomial = tuple[int, ...]
"""The numbers of atoms in order, each as often as it is a factor."""

Polynomial = dict[Monomial, Any]
"""Coefficients other than 0; a number is one of the empty product."""


def is_polynomial(form: Any) -> bool:
    """Tell whether a form is one of a polynomial."""
    return isinstance(form, tuple) and form[0] == "sum"


def frozen(polynomial: Polynomial) -> Any:
    """Return the form of a polynomial."""
    return ("sum", tuple(sorted(polynomial.items())))


def constant(form: Any) -> Any:
    """Return the number that a form is, None if it is none."""
    if not is_polynomial(form):
        return None
    terms = form[1]
    if not terms:
        return Fraction(0)
    return terms[0][1] if len(terms) == 1 and terms[0][0] == () else None


def added(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return the sum of two polynomials."""
    total = dict(left)
    for monomial, coefficient in right.items():
        new = total.get(monomial, 0) + coefficient
        if new:
            total[monomial] = new
        else:
            del total[monomial]
    return total


def negative(polynomial: Polynomial) -> Polynomial:
    """Return the opposite of a polynomial."""
    return {monomial: -coefficient for monomial, coefficient in polynomial.items()}


def difference(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return the difference of two polynomials."""
    return added(left, negative(right))


def multiplied(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return the product of two polynomials."""
    total: Polynomial = {}
    for one, first in left.items():
        for other, second in right.items():
            total = added(total, {tuple(sorted((*one, *other))): first * second})
    return total


ARITHMETIC: Mapping[str, Callable[..., Polynomial]] = {
    "+": added,
    "-": difference,
    "*": multiplied,
    "neg": negative,
}
