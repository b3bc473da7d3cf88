"""Computation graphs: expressions seen as vertices with ordered predecessors and successors.

Thesis, section 2.3. `Graph` is the mutable work graph of the engine: it keeps for every node who
uses it, so that a rewrite costs what it changes and not what the network weighs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from gsl.errors import GraphError
from gsl.expr import Expr


class HasOperands(Protocol):
    """A vertex with an ordered sequence of predecessors."""

    @property
    def operands(self) -> Sequence[HasOperands]:
        """The predecessors in order."""


Vertex = TypeVar("Vertex", bound=HasOperands)


def reverse_post_order(outputs: Iterable[Vertex]) -> list[Vertex]:
    """Return all vertices below `outputs`, each once, predecessors before successors.

    Thesis, algorithm "reverse post-order traversal"; iterative, so depth is no limit.
    """
    order: list[Vertex] = []
    seen: set[int] = set()
    for output in outputs:
        stack: list[tuple[Vertex, bool]] = [(output, False)]
        while stack:
            vertex, expanded = stack.pop()
            if expanded:
                order.append(vertex)
            elif id(vertex) not in seen:
                seen.add(id(vertex))
                stack.append((vertex, True))
                below = reversed(vertex.operands)
                stack.extend((operand, False) for operand in below)  # type: ignore[misc]
    return order


def successors(order: Sequence[Vertex]) -> dict[Vertex, list[Vertex]]:
    """Return the successor sequence of every vertex of a reverse post-order.

    Thesis, algorithm "successor sequences", except that a vertex which uses another one twice is
    its successor once, as the definition by subsequences demands.
    """
    result: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in order}
    for vertex in order:
        for operand in dict.fromkeys(vertex.operands):
            result[operand].append(vertex)  # type: ignore[index]
    return result


class Node:
    """A vertex of a work graph: an expression whose operands may have been replaced.

    `expr` tells kind, operator, attributes and type; `operands` tells the edges, which win over
    the operands of `expr` once something below has been rewritten. `level` is above the level of
    every operand, so it bounds a search for paths between nodes.
    """

    __slots__ = ("expr", "level", "operands", "output_count", "users")

    def __init__(self, expr: Expr, operands: tuple[Node, ...]) -> None:
        self.expr = expr
        self.operands = operands
        self.users: dict[Node, None] = {}
        self.output_count = 0
        self.level = 0

    def __repr__(self) -> str:
        return f"Node({self.expr!r})"


def _depends(node: Node, other: Node) -> bool:
    """Tell whether `other` is `node` or below it."""
    stack, seen = [node], set[Node]()
    while stack:
        current = stack.pop()
        if current is other:
            return True
        if current.level > other.level and current not in seen:
            seen.add(current)
            stack.extend(current.operands)
    return False


LEVEL_GAP = 1 << 20
"""Levels left free between the nodes of a new graph, so that few rewrites have to raise others."""


class Graph:
    """A work graph of the expressions below `outputs`."""

    def __init__(self, outputs: Sequence[Expr]) -> None:
        self._nodes: dict[Node, None] = {}
        by_expr: dict[int, Node] = {}
        for expr in reverse_post_order(outputs):
            operands = tuple(by_expr[id(operand)] for operand in expr.operands)
            by_expr[id(expr)] = self.add(expr, operands, LEVEL_GAP)
        self.outputs = [by_expr[id(output)] for output in outputs]
        for output in self.outputs:
            output.output_count += 1

    def __contains__(self, node: Node) -> bool:
        return node in self._nodes

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def order(self) -> list[Node]:
        """Return the nodes in reverse post-order."""
        return reverse_post_order(self.outputs)

    def add(self, expr: Expr, operands: tuple[Node, ...], gap: int = 1) -> Node:
        """Add a node that uses `operands`, at a level `gap` above theirs."""
        node = Node(expr, operands)
        node.level = gap + max((operand.level for operand in operands), default=-gap)
        self._nodes[node] = None
        for operand in operands:
            operand.users[node] = None
        return node

    def replace(
        self, replacements: Sequence[tuple[Node, Node]], added: frozenset[Node] = frozenset()
    ) -> list[Node]:
        """Redirect the users of each old node to its new one at once; drop what is dead then.

        Users in `added` keep the old node, since a replacement may be built on what it replaces;
        so do all others on which the new node depends. Returns the dropped nodes.
        """
        mapping = {old: new for old, new in replacements if old is not new}
        users = dict.fromkeys(user for old in mapping for user in old.users if user not in added)
        for user in users:
            self._redirect(user, mapping)
        self._replace_outputs(mapping)
        return self._drop(list(mapping))

    def _redirect(self, user: Node, mapping: Mapping[Node, Node]) -> None:
        changes = {
            old: mapping[old]
            for old in user.operands
            if old in mapping and not _depends(mapping[old], user)
        }
        user.operands = tuple(changes.get(operand, operand) for operand in user.operands)
        for old in changes:
            del old.users[user]
        for new in changes.values():
            new.users[user] = None
            self._raise_level(user, new.level)

    def _replace_outputs(self, mapping: Mapping[Node, Node]) -> None:
        counts = {old: old.output_count for old in mapping if old.output_count}
        if not counts:
            return
        self.outputs = [mapping.get(output, output) for output in self.outputs]
        for old in counts:
            old.output_count = 0
        for old, count in counts.items():
            mapping[old].output_count += count

    def _raise_level(self, node: Node, below: int) -> None:
        pending = [(node, below)]
        while pending:
            user, level = pending.pop()
            if user.level <= level:
                user.level = level + 1
                pending.extend((next_user, user.level) for next_user in user.users)

    def _drop(self, candidates: list[Node]) -> list[Node]:
        dropped = []
        while candidates:
            node = candidates.pop()
            if node.users or node.output_count or node not in self._nodes:
                continue
            del self._nodes[node]
            dropped.append(node)
            for operand in dict.fromkeys(node.operands):
                del operand.users[node]
                candidates.append(operand)
        return dropped

    def drop_unused(self, nodes: Iterable[Node]) -> list[Node]:
        """Drop those of `nodes` that nothing uses, and what only they used."""
        return self._drop(list(nodes))

    def verify(self) -> None:
        """Raise GraphError unless every edge is known at both ends and leads to a higher level.

        Levels that rise along every edge prove that there is no cycle.
        """
        for node in self._nodes:
            for operand in node.operands:
                if operand not in self._nodes or node not in operand.users:
                    raise GraphError(f"{node!r} uses {operand!r}, which does not know it")
                if operand.level >= node.level:
                    raise GraphError(f"{node!r} may lie on a cycle")

    def to_exprs(self) -> list[Expr]:
        """Return the outputs as expressions; whatever did not change is the very same object."""
        built: dict[Node, Expr] = {}
        for node in self.order():
            operands = tuple(built[operand] for operand in node.operands)
            same = all(a is b for a, b in zip(operands, node.expr.operands, strict=True))
            built[node] = node.expr if same else node.expr.with_operands(operands)
        return [built[output] for output in self.outputs]
