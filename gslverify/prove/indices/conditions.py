"""Canonical forms of conditions: comparisons of polynomials with 0, and what joins them."""

from __future__ import annotations

from collections.abc import Hashable

from gslverify.structures.arithmetic.polynomials import ONE, ZERO, Poly, add, constant_of


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
    """Return the form of a conjunction ("and") or disjunction ("or").

    What is joined in the same way within it is part of it, and p or (p and q) is p, as is
    p and (p or q).
    """
    absorbing = head == "or"
    if absorbing in [part for part in parts if isinstance(part, bool)]:
        return absorbing
    open_parts = frozenset(
        inner for part in parts if not isinstance(part, bool) for inner in _joined_in(head, part)
    )
    open_parts = _without_weaker("and" if absorbing else "or", open_parts)
    if len(open_parts) < 2:
        return next(iter(open_parts), not absorbing)
    return (head, open_parts)


def _joined_in(head: str, condition: Hashable) -> frozenset[Hashable]:
    """Return what a condition joins in one way, itself if it does not."""
    match condition:
        case (str() as own, frozenset() as parts) if own == head:
            return parts
        case _:
            return frozenset([condition])


def _without_weaker(other: str, parts: frozenset[Hashable]) -> frozenset[Hashable]:
    """Return parts without those that need all that another one needs, and more."""
    if not any(isinstance(part, tuple) and part[0] == other for part in parts):
        return parts
    needs = {part: _joined_in(other, part) for part in parts}
    return frozenset(
        part for part, need in needs.items() if not any(one < need for one in needs.values())
    )


def decided(head: str, poly: Poly, integral: bool = True) -> Hashable:
    """Return the form of a comparison with 0, or its answer when there are no unknowns."""
    number = constant_of(poly)
    if number is not None:
        answers = {"ge": number >= 0, "gt": number > 0, "eq": number == 0, "ne": number != 0}
        return bool(answers[head])
    return (head, poly, integral) if head in ("ge", "gt") else (head, poly)
