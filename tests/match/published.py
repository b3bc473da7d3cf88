"""The matching algorithms of chapter 4 of the thesis, word for word, for fixed patterns.

They are here to show what they miss; see docs/explanation/matching.md.
"""

from __future__ import annotations

from typing import Any

from gsl import Subst, pat
from gsl.attr.evaluate import satisfies
from gsl.errors import EvaluationError
from gsl.expr import attribute_of
from gsl.graph import Graph, Node, reverse_post_order
from gsl.match.bindings import Bindings, Scope
from tests.match.reference import INPUTS, fits_kind

Mapping = dict[pat.Pattern, Node]
Stack = list[tuple[pat.Pattern, Node]]


def match(pattern: pat.Pattern, node: Node, found: Mapping) -> bool:
    """Algorithm "single-output matching": extend `found`, even when the answer is no."""
    if pattern in found:
        return found[pattern] is node
    if node in found.values() or not fits_kind(pattern, node):
        return False
    if not isinstance(pattern, INPUTS):
        for operand, below in zip(pattern.operands, node.operands, strict=True):
            if not match(operand, below, found):
                return False
    if not attributes_fit(pattern, node, found):
        return False
    found[pattern] = node
    return True


def attributes_fit(pattern: pat.Pattern, node: Node, found: Mapping) -> bool:
    scope = Scope(Bindings({(p, ()): n for p, n in found.items()}, {}, {}))
    try:
        return all(
            satisfies(term, attribute_of(node.expr, name), scope) is True
            for name, term in pattern.constraints.items()
        )
    except EvaluationError:
        return False


class Published:
    """Algorithm "matching several outputs" for one rule and one graph."""

    def __init__(self, subst: Subst, graph: Graph) -> None:
        self.subst = subst
        self.patterns = successor_sequences(reverse_post_order(subst.source))
        self.nodes = successor_sequences(graph.order())
        self.graph = graph

    def match(self, root: Node) -> Mapping | None:
        """Return the match that the algorithm finds when its first output is `root`."""
        first, *others = self.subst.source
        found: Mapping = {}
        if not match(first, root, found):
            return None
        for output in others:
            if not self._next_output(output, found):
                return None
        return found if self._closed(found) else None

    def _next_output(self, output: pat.Pattern, found: Mapping) -> bool:
        stack: Stack = []
        for pattern, node in found.items():
            self._push_successors(pattern, node, found, stack)
        while stack:
            pattern, node = stack.pop()
            if pattern is not output:
                self._push_successors(pattern, node, found, stack)
                continue
            before = dict(found)
            if match(pattern, node, found):
                return True
            found.clear()
            found.update(before)
        return False

    def _push_successors(
        self, pattern: pat.Pattern, node: Node, found: Mapping, stack: Stack
    ) -> None:
        taken = set(found.values())
        patterns = [p for p in self.patterns[pattern] if p not in found]
        nodes = [n for n in self.nodes[node] if n not in taken]
        if not patterns:
            return
        chosen = list(reversed(nodes)) if isinstance(pattern, INPUTS) else nodes[:1]
        stack.extend((patterns[0], n) for n in chosen)

    def _closed(self, found: Mapping) -> bool:
        """Condition 4, which the thesis checks last."""
        owned = {n for p, n in found.items() if not isinstance(p, INPUTS)}
        outputs = {found[p] for p in self.subst.source}
        return all(
            not node.output_count and owned.issuperset(node.users) for node in owned - outputs
        )


def successor_sequences(order: Any) -> Any:
    """Algorithm "successor sequences", which repeats who uses an operand twice."""
    follow: Any = {vertex: [] for vertex in order}
    for vertex in order:
        for operand in vertex.operands:
            follow[operand].append(vertex)
    return follow
