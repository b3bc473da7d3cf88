"""Candidates for an output that shares nothing with what is bound, grouped by equations.

They are not found along edges, so all nodes of the graph are grouped once, by their side of the
equations that the rule has between the output and others (see `join.py`), and kept up to date. A
root meets those that agree with it, the nearest first, and of many only the nearest: the time is
linear in the graph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gsl.attr.writer import MISSING
from gsl.graph import Graph, Node
from gsl.match.compiled.join import Profile, choosing
from gsl.match.independent import ByLevel, Together

MOST_TRIED = 32
"""So many of the nodes that agree are tried in vain at a root."""

_Table = tuple[Callable[[Profile], Any], defaultdict[Any, ByLevel]]


class Everywhere:
    """A place in a rule where candidates are looked for among all nodes; see `join.Site`."""

    def __init__(self, profile: Callable[[Node], Profile | None]) -> None:
        self.profile = profile

    def near(
        self,
        graph: Graph,
        outputs: Sequence[Node],
        required: int,
        left: Profile,
        found: Sequence[Sequence[Node]] = (),
    ) -> Iterator[Node]:
        """Yield nodes independent of `outputs`, the nearest to the first of them before others.

        Their profile is `left` where bits of `required` are set. They are independent of the first
        nodes in `found` as well, to which what is yielded may be added meanwhile.
        """
        known = graph.memory.get(self)
        if known is None:
            known = graph.memory[self] = _Known(self, graph)
        together = Together(graph, outputs)
        in_vain = 0
        for node in known.agreeing(required, left, outputs[0].level):
            if node in outputs:
                continue
            before = len(found)
            if together.admits(node):
                yield node
            if len(found) > before:
                together.add(node)
                continue
            in_vain += 1
            if in_vain == MOST_TRIED:
                return


class _Known:
    """All nodes of a graph that may be a candidate, by their profiles."""

    def __init__(self, site: Everywhere, graph: Graph) -> None:
        self._site = site
        self._changes = graph.changes()
        self._seen = len(self._changes)
        self._profiles: dict[Node, Profile] = {}
        self._tables: dict[int, _Table] = {}
        for node in graph:
            self._note(node)

    def agreeing(self, required: int, left: Profile, level: int) -> Iterator[Node]:
        """Yield the nodes that agree with `left`, those nearest to a level first."""
        for node in self._changes[self._seen :]:
            self._forget(node)
            if node.level >= 0:
                self._note(node)
        self._seen = len(self._changes)
        if required not in self._tables:
            self._tables[required] = self._table(required)
        chosen, table = self._tables[required]
        found = table.get(chosen(left))
        return iter(()) if found is None else found.nearest(level)

    def _table(self, required: int) -> _Table:
        chosen = choosing(required)
        table: defaultdict[Any, ByLevel] = defaultdict(ByLevel)
        for node, profile in self._profiles.items():
            if node.level >= 0:
                table[chosen(profile)].add(node)
        return chosen, table

    def _note(self, node: Node) -> None:
        try:
            profile = self._site.profile(node)
        except MISSING:
            return
        if profile is not None:
            self._profiles[node] = profile
            for chosen, table in self._tables.values():
                table[chosen(profile)].add(node)

    def _forget(self, node: Node) -> None:
        profile = self._profiles.pop(node, None)
        if profile is not None:
            for chosen, table in self._tables.values():
                table[chosen(profile)].remove(node)
