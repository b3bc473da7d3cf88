"""Canonical forms of conditions: comparisons of polynomials with 0, and what joins them."""

from __future__ import annotations

from collections.abc import Hashable

from gslverify.structures.polynomials import ONE, ZERO, Poly, add, constant_of


def opposite(condition: Hashable) -> Hashable:
    """Return the form of the negated condition."""
    match condition:
        case bool():
            return not condition
        case ("not", inner):
            return inner
        case ("ge", frozenset() as poly, True):
            return ("ge", add(add(ZERO, poly, -1), ONE, -1), True)
        case ("eq", poly):
            return ("ne", poly)
        case ("ne", poly):
            return ("eq", poly)
        case _:
            return ("not", condition)


def joined(head: str, parts: list[Hashable]) -> Hashable:
    """Return the form of a conjunction ("and") or disjunction ("or")."""
    absorbing = head == "or"
    if absorbing in [part for part in parts if isinstance(part, bool)]:
        return absorbing
    open_parts = frozenset(part for part in parts if not isinstance(part, bool))
    if len(open_parts) < 2:
        return next(iter(open_parts), not absorbing)
    return (head, open_parts)


def decided(head: str, poly: Poly, integral: bool = True) -> Hashable:
    """Return the form of a comparison with 0, or its answer when there are no unknowns."""
    number = constant_of(poly)
    if number is not None:
        answers = {"ge": number >= 0, "gt": number > 0, "eq": number == 0, "ne": number != 0}
        return bool(answers[head])
    return (head, poly, integral) if head in ("ge", "gt") else (head, poly)
