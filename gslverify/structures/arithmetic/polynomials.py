"""Polynomials over numbered atoms, the canonical forms of integer and real arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil, floor
from typing import Any

Monomial = tuple[int, ...]
"""Numbers of atoms in increasing order, repeated for powers."""

Poly = frozenset[tuple[Monomial, Any]]
"""Monomials with their coefficients, none of which is 0."""

ZERO: Poly = frozenset()
ONE: Poly = frozenset([((), 1)])


def is_polynomial(form: Any) -> bool:
    """Tell whether a form, which may be one of anything, is a polynomial."""
    return isinstance(form, frozenset)


def frozen(terms: Mapping[Monomial, Any]) -> Poly:
    """Return a polynomial from coefficients, some of which may be 0."""
    return frozenset((mono, number) for mono, number in terms.items() if number != 0)


def add(left: Poly, right: Poly, factor: Any = 1) -> Poly:
    """Return left + factor * right."""
    result = dict(left)
    for mono, number in right:
        result[mono] = result.get(mono, 0) + factor * number
    return frozen(result)


def multiply(left: Poly, right: Poly) -> Poly:
    """Return the product."""
    result: dict[Monomial, Any] = {}
    for one, a in left:
        for other, b in right:
            mono = tuple(sorted(one + other))
            result[mono] = result.get(mono, 0) + a * b
    return frozen(result)


def negative(poly: Poly) -> Poly:
    """Return the opposite."""
    return add(ZERO, poly, -1)


def constant_of(poly: Poly) -> Any:
    """Return the number that a polynomial is, None when it has unknowns."""
    if not poly:
        return 0
    ((mono, number), *more) = poly
    return number if not mono and not more else None


def replaced(poly: Poly, atom: int, value: Poly) -> Poly:
    """Return a polynomial with a value for one of its atoms."""
    result = ZERO
    for mono, number in poly:
        part: Poly = frozenset([(tuple(a for a in mono if a != atom), number)])
        for _ in range(mono.count(atom)):
            part = multiply(part, value)
        result = add(result, part)
    return result


def signless(poly: Poly) -> Poly:
    """Return the polynomial or its negative, the same one for both."""
    first = min(poly, key=lambda pair: pair[0], default=((), 1))
    return poly if first[1] > 0 else negative(poly)


def without(mono: Monomial, part: Monomial) -> Monomial | None:
    """Return a monomial divided by another one, None when that is impossible."""
    left = list(mono)
    for atom in part:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def order(poly: Poly) -> Any:
    """Return what polynomials can be sorted by."""
    return sorted((mono, float(number)) for mono, number in poly)


_ROUNDED: Mapping[str, Callable[[Any], Any]] = {"floor": floor, "ceil": ceil, "abs": abs}


def rounded(head: str, poly: Poly) -> Any:
    """Return what a function rounds a known number to, None for other functions and forms."""
    number = constant_of(poly)
    return None if number is None or head not in _ROUNDED else _ROUNDED[head](number)


ARITHMETIC: Mapping[str, Callable[..., Poly]] = {
    "+": add,
    "-": lambda left, right: add(left, right, -1),
    "*": multiply,
    "neg": negative,
}
"""What operations make of polynomials."""
