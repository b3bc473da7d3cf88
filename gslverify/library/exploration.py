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

    def loop(self) -> tuple[Subst, ...]:
        """Return the rules of a shortest way from a graph back to itself, or nothing."""
        loops = [found for graph in self.steps if (found := self.way(graph, graph))]
        return min(loops, key=len, default=())

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
    places = [(number, rule) for number, node in enumerate(graph) for rule in index.rules_at(node)]
    for number, rule in places:
        copy = Graph(outputs)
        node = next(node for position, node in enumerate(copy) if position == number)
        try:
            match = find(rule, copy, node)
            if match is not None:
                rewrite(rule, match, copy)
                yield rule, tuple(copy.to_exprs())
        except GslError:
            continue
