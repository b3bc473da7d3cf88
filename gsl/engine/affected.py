"""Where a rewrite may have made matches possible, so that nodes have to be examined again.

A new match contains a node that was made or that has a new operand, or it contains an interior
node that was used from outside before; inputs and outputs may be used by anybody. So from each of
these, every place in a rule where such a node may stand leads to nodes that may be the root: mostly
a few steps up along users, for rules with several outputs also down to what the outputs share and
up again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from gsl.engine.index import Heads, heads_in, heads_of, root_of
from gsl.engine.places import Places
from gsl.engine.ways import Anywhere, PutOff, Reached, Way, Ways
from gsl.graph import Graph, Head, Node
from gsl.pat import INPUTS
from gsl.subst import Subst


@lru_cache(maxsize=16)
def neighbourhood_of(rules: tuple[Subst, ...]) -> Neighbourhood:
    """Return the neighbourhood for a set of rules, the same one for the same rules."""
    return Neighbourhood(rules)


class Neighbourhood:
    """Finds the roots of matches that a node may be part of, for a set of rules.

    `ways_from` has the ways from nodes of a head, or None if they are in no match but as inputs;
    they have `arrived` when the node may be a root itself. `ways_from_interior` has those of nodes
    that are neither inputs nor outputs, and `has_interior` tells if there are such at all. Both
    know the heads that they were told of by `learn`.
    """

    def __init__(self, rules: Sequence[Subst]) -> None:
        self._ways = [entry for rule in rules for entry in rule.derived(_ways_of)]
        self.ways_from: dict[Head, Ways | None] = {}
        self.ways_from_interior: dict[Head, Ways | None] = {}
        self.has_interior = any(start.interior for start in self._ways)
        self.learn(heads_in(rules))

    def learn(self, heads: Iterable[Head]) -> None:
        """Find the ways from nodes of some heads; those of all heads of the rules are known."""
        for head in set(heads) - self.ways_from.keys():
            self.ways_from_interior[head] = self._from_head(head, interior=True)
            self.ways_from[head] = self._from_head(head, interior=False)  # last, for other threads

    def roots(self, node: Node) -> list[Reached]:
        """Return the nodes that may be the root of a match with `node` in it."""
        self.learn((node.head,))
        found: list[Reached] = []
        ways = self.ways_from[node.head]
        if ways is not None:
            ways.lead(node, found)
        return found

    def further(self, put_off: PutOff | Anywhere, graph: Graph) -> list[Reached]:
        """Return what lies further on a way that was put off."""
        if isinstance(put_off, Anywhere):
            return [node for node in graph if node.head in put_off.heads]
        found: list[Reached] = []
        for user in put_off.node.users:
            if user.head in put_off.heads:
                put_off.ways.lead(user, found)
        return found

    def _from_head(self, head: Head, interior: bool) -> Ways | None:
        ways = Ways()
        for start in self._ways:
            if head in start.heads and (start.interior or not interior):
                ways.add(start.way)
        return ways if ways.arrived or ways.steps else None


@dataclass(frozen=True, slots=True)
class _Start:
    """The heads of a pattern that is no input, whether it is no output, and a way to the root."""

    heads: Heads
    interior: bool
    way: Way


def _ways_of(rule: Subst) -> list[_Start]:
    """Return where matches may begin to exist, for every pattern of a rule that is no input."""
    places = Places(rule)
    ways = places.ways()
    found = [
        _Start(heads_of(pattern), places.is_interior(pattern), way)
        for pattern, by_choice in ways.items()
        for way in by_choice.values()
        if not way or not isinstance(pattern, INPUTS)
    ]
    around = places.around()
    found += [replace(start, way=start.way + onwards) for start in found for onwards in around]
    anywhere = Anywhere(heads_of(root_of(rule)))
    return found + [
        _Start(heads_of(pattern), places.is_interior(pattern), (anywhere,))
        for pattern in places.far(ways)
        if not isinstance(pattern, INPUTS)
    ]
