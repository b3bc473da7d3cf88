"""Nodes that neither depend on the outputs of a match nor these on them, the nearest first.

Outputs that share nothing may only be replaced together where none is computed from another.
Levels rise along every edge, so what depends on a node, of all nodes up to some level, is known
when everything below that level has been followed. So much is followed as candidates ask for, and
no more than a limit: a node of a chain with a thousand others like it does not look at all of them.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import count

from gsl.graph import Graph, Node

MOST_FOLLOWED = 100
"""So many nodes above and below a match are followed."""


class ByLevel:
    """Nodes in the order of their distance from a level; where it is equal, as they came.

    Those that are dropped, or whose level has changed, count as removed.
    """

    def __init__(self) -> None:
        self._rows: dict[int, _Row] = {}
        self._levels: list[int] = []
        self._places: dict[Node, tuple[_Row, int]] = {}
        self._empty: list[int] = []

    def add(self, node: Node) -> None:
        """Add a node that is not there."""
        row = self._rows.get(node.level)
        if row is None:
            row = self._rows[node.level] = _Row(node.level)
            insort(self._levels, node.level)
        self._places[node] = row, len(row.nodes)
        row.nodes.append(node)

    def remove(self, node: Node) -> None:
        """Take away a node that was added."""
        row, place = self._places.pop(node)
        row.nodes[place] = None

    def nearest(self, level: int) -> Iterator[Node]:
        """Yield all nodes, those nearest to `level` first."""
        self._forget_empty()
        levels = self._levels
        above = bisect_left(levels, level)
        below = above - 1
        while below >= 0 or above < len(levels):
            is_up = below < 0 or (
                above < len(levels) and levels[above] - level <= level - levels[below]
            )
            row = self._rows[levels[above if is_up else below]]
            if row.is_empty():
                self._empty.append(row.level)
            yield from row
            above, below = (above + 1, below) if is_up else (above, below - 1)

    def _forget_empty(self) -> None:
        for level in self._empty:
            row = self._rows.get(level)
            if row is not None and row.is_empty():
                del self._rows[level]
                del self._levels[bisect_left(self._levels, level)]
        self._empty = []


class _Row:
    """Nodes of one level; runs of removed ones are passed over at once."""

    __slots__ = ("_next", "level", "nodes")

    def __init__(self, level: int) -> None:
        self.level = level
        self.nodes: list[Node | None] = []
        self._next: dict[int, int] = {}

    def is_empty(self) -> bool:
        return self._present(0) == len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        place = 0
        while (place := self._present(place)) < len(self.nodes):
            node = self.nodes[place]
            assert node is not None
            yield node
            place += 1

    def _present(self, place: int) -> int:
        """Return the first place from `place` on with a node that is not removed."""
        passed = []
        while place < len(self.nodes) and self._is_removed(place):
            passed.append(place)
            place = self._next.get(place, place + 1)
        for one in passed:
            self._next[one] = place
        return place

    def _is_removed(self, place: int) -> bool:
        node = self.nodes[place]
        return node is None or node.level != self.level


def independent(graph: Graph, outputs: Sequence[Node], nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield those of `nodes` that may be replaced together with `outputs`, as far as is seen.

    What is left out is noted in `graph`: it may become possible when something is rewritten.
    """
    together = Together(graph, outputs)
    return (node for node in nodes if node not in outputs and together.admits(node))


class Together:
    """Nodes of which none depends on another one; it begins with `outputs`."""

    def __init__(self, graph: Graph, outputs: Sequence[Node]) -> None:
        self._graph = graph
        self._first = outputs[0]
        self._above, self._below = _Cone(outputs, 1), _Cone(outputs, -1)

    def admits(self, node: Node) -> bool:
        """Tell whether a node may be replaced together with these, as far as is seen."""
        if self._above.is_outside(node) and self._below.is_outside(node):
            return True
        self._graph.blocked[self._first] = None
        return False

    def add(self, node: Node) -> None:
        """Add a node that was admitted."""
        self._above.add(node)
        self._below.add(node)


class _Cone:
    """The nodes that are computed from some, if `sign` is 1, or that these are computed from."""

    def __init__(self, starts: Sequence[Node], sign: int) -> None:
        self._sign = sign
        self._seen = set(starts)
        self._left = MOST_FOLLOWED
        self._numbers = count()  # of nodes at one level, that they need not be compared
        self._open = [(sign * node.level, next(self._numbers), node) for node in starts]
        heapify(self._open)

    def add(self, start: Node) -> None:
        """Have the cone begin at one more node, with as many followed from there."""
        self._seen.add(start)
        self._left += MOST_FOLLOWED
        heappush(self._open, (self._sign * start.level, next(self._numbers), start))

    def is_outside(self, node: Node) -> bool:
        """Tell whether a node is certainly not among them."""
        limit = self._sign * node.level
        while self._open and self._open[0][0] < limit:
            if not self._follow():
                return False
        return node not in self._seen

    def _follow(self) -> bool:
        """Look one node further; tell whether the limit allows it."""
        nearest = self._open[0][2]
        further = nearest.users if self._sign > 0 else nearest.operands
        if len(further) > self._left:
            return False
        heappop(self._open)
        for node in further:
            if node not in self._seen:
                self._seen.add(node)
                self._left -= 1
                heappush(self._open, (self._sign * node.level, next(self._numbers), node))
        return True
