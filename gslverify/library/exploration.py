"""All graphs that rules lead to from a given one, up to a number of steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gsl.engine.index import RuleIndex
from gsl.errors import GslError
from gsl.expr import Const, Expr
from gsl.graph import Graph, reverse_post_order
from gsl.match.find import find
from gsl.rewrite.builder import rewrite
from gsl.subst import Subst
from gsl.text.listing import listing

MOST_GRAPHS = 60
MOST_STEPS = 8
MOST_NODES = 60
"""A graph that has grown beyond this is not looked at."""

Outputs = tuple[Expr, ...]


@dataclass(slots=True)
class Exploration:
    """Graphs by their text, and which rule leads from which to which."""

    start: str
    graphs: dict[str, Outputs] = field(default_factory=dict)
    steps: dict[str, list[tuple[Subst, str]]] = field(default_factory=dict)

    def loops(self) -> list[tuple[Outputs, tuple[Subst, ...]]]:
        """Return graphs with the rules of a way back to each, no set of rules twice.

        For every step that is part of such a way there is a shortest one.
        """
        inside = self._on_the_way_back()
        found: dict[frozenset[Subst], tuple[Outputs, tuple[Subst, ...]]] = {}
        for graph in inside:
            for rule, after in self.steps[graph]:
                if after in inside:
                    back = () if after == graph else self.way(after, graph)
                    if back or after == graph:
                        way = (self.graphs[graph], (rule, *back))
                        found.setdefault(frozenset(way[1]), way)
        return list(found.values())

    def _on_the_way_back(self) -> dict[str, None]:
        """Return the graphs without those that lead nowhere, or that nothing leads to."""
        inside = dict.fromkeys(self.steps)
        while True:
            reached = {after for graph in inside for _, after in self.steps[graph]}
            kept = [
                graph
                for graph in inside
                if graph in reached and any(after in inside for _, after in self.steps[graph])
            ]
            if len(kept) == len(inside):
                return inside
            inside = dict.fromkeys(kept)

    def way(self, start: str, end: str, without: Subst | None = None) -> tuple[Subst, ...]:
        """Return the rules of a shortest way of at least one step; nothing if there is none."""
        ways: dict[str, tuple[Subst, ...]] = {}
        queue: deque[tuple[str, tuple[Subst, ...]]] = deque([(start, ())])
        while queue:
            graph, so_far = queue.popleft()
            for rule, after in self.steps.get(graph, ()):
                if rule is without or after in ways:
                    continue
                ways[after] = (*so_far, rule)
                if after == end:
                    return ways[after]
                queue.append((after, ways[after]))
        return ()


def text_of(outputs: Sequence[Expr]) -> str:
    """Return the text of a graph; equal graphs over the same variables have equal texts."""
    types = [str(output.type) for output in outputs]
    constants = [
        f"{expr.value.dtype}{expr.value.tolist()}"
        for expr in reverse_post_order(outputs)
        if isinstance(expr, Const)
    ]
    return "\n".join([*listing(outputs), *types, *constants])


def explore(
    outputs: Outputs,
    rules: Sequence[Subst],
    most: int = MOST_GRAPHS,
    index: RuleIndex | None = None,
) -> Exploration:
    """Apply each rule wherever it matches, one at a time, to a graph and to what that gives.

    The nearest `most` graphs are looked at.
    """
    index = RuleIndex(rules) if index is None else index
    start = text_of(outputs)
    found = Exploration(start, {start: outputs})
    queue = deque([(start, 0)])
    while queue and len(found.steps) < most:
        text, depth = queue.popleft()
        found.steps[text] = []
        for rule, after in _next_graphs(found.graphs[text], index):
            name = text_of(after)
            found.steps[text].append((rule, name))
            if name not in found.graphs and depth < MOST_STEPS:
                found.graphs[name] = after
                queue.append((name, depth + 1))
    return found


def _next_graphs(outputs: Outputs, index: RuleIndex) -> Iterator[tuple[Subst, Outputs]]:
    graph = Graph(outputs)
    if len(graph) > MOST_NODES:
        return
    for number, node in enumerate(graph):
        for rule in index.rules_at(node):
            try:
                if find(rule, graph, node) is not None:
                    yield rule, _rewritten(rule, outputs, number)
            except GslError:
                continue


def _rewritten(rule: Subst, outputs: Outputs, number: int) -> Outputs:
    """Return the graph after a rule has been applied at the node of that number."""
    graph = Graph(outputs)
    node = next(node for position, node in enumerate(graph) if position == number)
    match = find(rule, graph, node)
    assert match is not None
    rewrite(rule, match, graph)
    return tuple(graph.to_exprs())
