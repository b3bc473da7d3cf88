"""Matching several outputs: the bidirectional algorithm (thesis, section 4.2), made complete.

The first output is matched at a given node. Every further output is looked for among the nodes
that can be reached from what is already bound; a wrong choice is taken back, which the published
algorithm does not do (see docs/explanation/matching.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf

from gsl.graph import Graph, Node, reverse_post_order
from gsl.match.bindings import Bindings, Mismatch
from gsl.match.conditions import violated
from gsl.match.independent import independent
from gsl.match.search.candidates import candidates
from gsl.match.search.single import Agenda, Item, Match, Search, prepend
from gsl.match.whole import cycle, escaping, output_nodes
from gsl.pat import Pattern
from gsl.subst import Subst


@dataclass(frozen=True, slots=True)
class Output:
    """Agenda item: find a node for an output that is not the first."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Finish:
    """Agenda item: check what concerns the match as a whole."""


class RuleSearch(Search):
    """A search for all outputs of the source of a rule."""

    def __init__(self, subst: Subst, graph: Graph) -> None:
        super().__init__(subst.aliased)
        self.subst = subst
        self.graph = graph

    def matches(self, root: Node) -> Iterator[Bindings]:
        """Yield every match of the source whose first output is `root`."""
        first, *others = self.subst.source
        return self.solutions(
            prepend([Match(first, None, root), *map(Output, others), Finish()], None)
        )

    def step(self, item: Item, rest: Agenda) -> Agenda | Mismatch | Iterator[Agenda]:
        """Work off one item, those of several outputs included."""
        match item:
            case Output(pattern=pattern):
                nodes = self._candidates_for(pattern)
                if not nodes:
                    return Mismatch(self._nothing_for(pattern), pattern)
                return (prepend([Match(pattern, None, node)], rest) for node in nodes)
            case Finish():
                mismatch = self.finish()
                return rest if mismatch is None else self.note(mismatch, inf)
            case _:
                return super().step(item, rest)

    def _candidates_for(self, output: Pattern) -> Sequence[Node]:
        nodes = candidates(self, self.graph, output, None)
        if output not in self.subst.derived(apart):
            return nodes
        bound = self.bindings.nodes
        outputs = [bound[one, ()] for one in self.subst.source if (one, ()) in bound]
        return nearest_independent(self.graph, outputs, nodes)

    def _nothing_for(self, output: Pattern) -> str:
        if output in self.subst.derived(apart):
            return "nothing that is independent of what is bound can be this output"
        return "nothing above what is bound can be this output"

    def finish(self) -> Mismatch | None:
        """Return why what is bound is not a match although all its parts fit."""
        mismatch = violated(self.subst.where, self.scope(None))
        if mismatch is not None:
            return mismatch
        outputs = output_nodes(self.subst, self.bindings)
        return next(
            escaping(self.taken, self.taken, outputs), cycle(self.graph, self.taken, outputs)
        )


def nearest_independent(graph: Graph, outputs: Sequence[Node], nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes independent of `outputs`, those nearest to the first of them first."""
    level = outputs[0].level
    nearest = sorted(nodes, key=lambda node: abs(node.level - level))
    return list(independent(graph, outputs, nearest))


def apart(subst: Subst) -> frozenset[Pattern]:
    """Return the outputs that share no pattern with those before them."""
    found: set[Pattern] = set()
    reached: set[Pattern] = set()
    for output in subst.source:
        below = set(reverse_post_order([output]))
        if reached and reached.isdisjoint(below):
            found.add(output)
        reached |= below
    return frozenset(found)
