"""At how many indices sums have to be looked at, so that what differs cannot look the same.

Sums over one size are linear in the weights of its indices. Two functions of them that differ do so
at as many indices as the degree of their difference, as symmetric functions of indices do: where
only two are looked at, the determinant of three times three sums of products would be 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Any

from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction
from gslverify.certificates.subjects import flat, parts_of

LEAST = 2

Degree = tuple[float, float]
"""How many sums are multiplied above, and how many below, in a quotient."""

NONE: Degree = (0, 0)
ADDED = frozenset({"+", "-", "neg", "not"})
MULTIPLIED = frozenset({"*", "and", "or"})
KEPT = frozenset({"abs", "sign", "cast", "select", "held"})


def largest(degrees: Iterable[Degree]) -> Degree:
    """Return the greatest degrees above and below."""
    found = list(degrees)
    return max((a for a, _ in found), default=0), max((b for _, b in found), default=0)


def points_for(sides: Iterable[Any], steps: Iterable[Any] = ()) -> int:
    """Return at how many indices sums are looked at where sides of a proof with steps are compared.

    Sides are compared with each other, what functions are of with what others are of, and both
    with what steps are about.
    """
    degrees = _Degrees()
    above, below = largest(map(degrees.of, flat(steps)))
    compared = [largest(map(degrees.of, sides)), largest(degrees.arguments)]
    return max(LEAST, *(ceil(max(a, above) + max(b, below)) for a, b in compared))


class _Degrees:
    """Degrees of expressions, and those of what functions are of."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Degree]] = {}
        self.arguments: list[Degree] = []

    def of(self, one: Any) -> Degree:
        """Return the degree of an element, none for an index."""
        if not isinstance(one, Expression) or isinstance(one, Number | Read):
            return NONE
        if id(one) not in self._known:
            self._known[id(one)] = one, self._computed(one, list(map(self.of, parts_of(one))))
        return self._known[id(one)][1]

    def _computed(self, one: Expression, parts: list[Degree]) -> Degree:
        head = getattr(one, "function", "select")
        match one:
            case Reduction(function="sum"):
                above, below = parts[0]
                return above + below + 1, 2 * below
            case Apply(function="/"):
                (a, b), (c, d) = parts
                return a + d, b + c
            case Apply(function="pow", arguments=(_, Number(value=int(count)))):
                above, below = parts[0][:: 1 if count >= 0 else -1]
                return above * abs(count), below * abs(count)
        if head in MULTIPLIED:
            return sum(above for above, _ in parts), sum(below for _, below in parts)
        below = sum(below for _, below in parts)
        added = max((above - own for above, own in parts), default=0) + below, below
        if head in ADDED:
            return added
        if head != "select" and isinstance(one, Apply | Reduction):
            self.arguments.append(added)
        above, below = largest(parts)
        if head == "sqrt":
            return above / 2, below / 2
        return (above, below) if head in KEPT or not isinstance(one, Apply) else NONE
