"""Sets that grow together."""

from __future__ import annotations

from collections.abc import Hashable


class Groups:
    """Sets of things that are joined one pair after the other (union-find)."""

    def __init__(self) -> None:
        self._above: dict[Hashable, Hashable] = {}

    def root(self, one: Hashable) -> Hashable:
        """Return what stands for the set that something is in."""
        above = self._above
        above.setdefault(one, one)
        while above[one] is not one:
            above[one] = above[above[one]]
            one = above[one]
        return one

    def join(self, one: Hashable, other: Hashable) -> None:
        """Make one set of those that two things are in."""
        self._above[self.root(one)] = self.root(other)
