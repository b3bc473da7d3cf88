"""What decides how many axes tell apart the elements that an output is computed from.

An element of an output is computed from elements of inputs, each found on a way through the calls.
Along an axis that may be taken away its index is a function of that of the output, of sizes and of
attributes. Two ways to one input may lead to one element or to two, and conditions on the way may
hold or not. An axis that decides about neither may be taken away; so what counts is how many ways
and conditions there are that some axis tells apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from gslverify.ranks.groups import Groups

Way = tuple[Hashable, ...]
"""What is met on a way: calls by their patterns, and which read or condition of each."""

CONDITION = "condition"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Access:
    """What an output depends on: an element `of` an input or a CONDITION, and the way to it.

    `along` says of each axis what the index is there, or what the condition asks.
    """

    of: Hashable
    way: Way
    along: frozenset[tuple[Hashable, Hashable]]


@dataclass(slots=True)
class Accesses:
    """The ways that outputs have in the structures so far, and which of them some axis parts."""

    ways: dict[frozenset[tuple[Hashable, Way]], None] = field(default_factory=dict)
    apart: set[frozenset[Way]] = field(default_factory=set)

    def note(self, accesses: Sequence[Access]) -> None:
        """Note what one output of source and target depends on in one structure."""
        self.ways[frozenset((one.of, one.way) for one in accesses)] = None
        for same in _by_kind((one.of, one) for one in accesses).values():
            for number, one in enumerate(same):
                apart = (other for other in same[:number] if one.along != other.along)
                self.apart |= {frozenset((one.way, other.way)) for other in apart}

    def needed(self) -> int:
        """Return how many axes are enough to tell apart what any axes tell apart."""
        return max(map(self._needed, self.ways), default=0)

    def _needed(self, ways: frozenset[tuple[Hashable, Way]]) -> int:
        """Return it for what one output depends on.

        Of some axes each, if none is left out in vain, parts the ways to an input further than
        those before, or shows that one more condition does not hold.
        """
        kinds = _by_kind(ways)
        return sum(self._classes(same) - (of is not CONDITION) for of, same in kinds.items())

    def _classes(self, ways: Sequence[Way]) -> int:
        """Return how many of some ways may differ from all others."""
        groups = Groups()
        for number, one in enumerate(ways):
            for other in ways[:number]:
                if frozenset((one, other)) not in self.apart:
                    groups.join(one, other)
        return len({groups.root(one) for one in ways})


def _by_kind(pairs: Iterable[tuple[Hashable, T]]) -> dict[Hashable, list[T]]:
    found: dict[Hashable, list[T]] = defaultdict(list)
    for of, one in pairs:
        found[of].append(one)
    return found
