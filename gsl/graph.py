"""Computation graphs: expressions seen as vertices with ordered predecessors and successors.

Thesis, section 2.3. `Graph` is the mutable work graph of the engine: it keeps for every node who
uses it, so that a rewrite costs what it changes and not what the network weighs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from gsl.errors import GraphError
from gsl.expr import Expr
from gsl.node import (
    FEW_USERS,
    LEVEL_GAP,
    Head,
    Node,
    add_user,
    complete,
    depends,
    link,
    mirrored,
    node_of,
    remove_user,
)


class HasOperands(Protocol):
    """A vertex with an ordered sequence of predecessors."""

    @property
    def operands(self) -> Sequence[HasOperands]:
        """The predecessors in order."""


Vertex = TypeVar("Vertex", bound=HasOperands)

__all__ = [
    "LEVEL_GAP", "Graph", "HasOperands", "Head", "Node", "Vertex", "depends", "link", "node_of",
    "reverse_post_order", "successors",
]  # fmt: skip


def reverse_post_order(outputs: Iterable[Vertex]) -> list[Vertex]:
    """Return all vertices below `outputs`, each once, predecessors before successors.

    Thesis, algorithm "reverse post-order traversal"; iterative, so depth is no limit. Raises
    GraphError when there is a cycle.
    """
    order: list[Vertex] = []
    opened: set[Vertex] = set()
    done: set[Vertex] = set()
    stack = list(outputs)[::-1]
    while stack:
        vertex = stack[-1]
        if vertex in opened:
            stack.pop()
            if vertex not in done:
                done.add(vertex)
                order.append(vertex)
            continue
        opened.add(vertex)
        below = vertex.operands
        if not below:  # most vertices of a network with weights
            stack.pop()
            done.add(vertex)
            order.append(vertex)
            continue
        for operand in reversed(below):
            if operand not in opened:
                stack.append(operand)  # type: ignore[arg-type]
            elif operand not in done:
                raise cyclic(vertex)
    return order


def cyclic(vertex: object) -> GraphError:
    """Return the error for a vertex that is needed to compute itself."""
    return GraphError(f"the graph has a cycle through {vertex!r}; a network computes forwards only")


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


def _is_plain(replacements: Sequence[tuple[Node, Node]]) -> bool:
    """Tell whether no output of the graph is replaced, and what is new lies below all users."""
    for old, new in replacements:
        level = new.level
        if old.output_count or new.users or level > old.level:
            if old.output_count or new is old or (new.users and len(replacements) > 1):
                return False
            if any(user.level <= level for user in old.users):
                return False
    return True


def _deserted(nodes: Iterable[Node]) -> list[Node]:
    """Have nodes with few users forget those that were dropped; return those without any left."""
    found = list(nodes)
    for node in found:
        node.users = tuple([user for user in node.users if user.level >= 0])
    return [node for node in found if not node.users]


class Graph:
    """A work graph of the expressions below `outputs`; raises GraphError when they have a cycle.

    `order` are these expressions in reverse post-order, if it is known. Those in `same` are left
    out, and what stands for them is before them in the order. Iterating gives their
    nodes in this order, then what was added. Of the nodes around the last replacement `affected`
    has those that gained an operand, `released` those that lost a user.
    `blocked` is where matches are noted that were declined because of a cycle they would close,
    `memory` what whoever works on the graph wants to find again, under keys of its own.
    """

    def __init__(
        self,
        outputs: Sequence[Expr],
        order: Iterable[Expr] | None = None,
        same: Mapping[Expr, Expr] = MappingProxyType({}),
    ) -> None:
        try:
            nodes = mirrored(reverse_post_order(outputs) if order is None else order, same)
        except KeyError:  # somebody has given an expression other operands, perhaps of a cycle
            nodes = mirrored(reverse_post_order(outputs), same)
        self._nodes = list(nodes.values())
        self._changed = [user for one in dict.fromkeys(same.values()) for user in nodes[one].users]
        self._arrivals: dict[Node, list[Node]] = {}
        self._changes: list[Node] = []
        self._is_watched = False
        self._places: dict[Node, list[int]] = {}
        self.outputs = [nodes[output] for output in outputs]
        for place, output in enumerate(self.outputs):
            self._places.setdefault(output, []).append(place)
            output.output_count += 1
        self.affected: dict[Node, None] = {}
        self.released: dict[Node, None] = {}
        self.blocked: dict[Node, None] = {}
        self.memory: dict[Any, Any] = {}
        self._incomplete: list[Node] = []
        self._is_whole = True

    def __contains__(self, node: Node) -> bool:
        return node.level >= 0

    def __iter__(self) -> Iterator[Node]:
        if self._is_whole:
            return iter(self._nodes[:])
        return iter([node for node in self._nodes if node.level >= 0])

    def __len__(self) -> int:
        return sum(node.level >= 0 for node in self._nodes)

    def order(self) -> list[Node]:
        """Return the nodes in reverse post-order."""
        return reverse_post_order(self.outputs)

    def arrivals(self, node: Node) -> list[Node]:
        """Return the list to which users of `node` are added from the first call on.

        A user is added when it becomes one and whenever it gets another operand.
        """
        self._is_watched = True
        return self._arrivals.setdefault(node, [])

    def changes(self) -> list[Node]:
        """Return the list to which nodes are added from the first call on that are not as before.

        They are new, or have got another operand or level.
        """
        self._is_watched = True
        return self._changes

    def add(self, expr: Expr, operands: tuple[Node, ...], gap: int = 1) -> Node:
        """Add a node that uses `operands`, at a level `gap` above theirs."""
        node = node_of(expr, operands)
        link([node])
        if operands:
            node.level += gap - 1
        self._nodes.append(node)
        if self._is_watched:
            self._announce([node])
        return node

    def _announce(self, users: Collection[Node]) -> None:
        arrivals = self._arrivals
        self._changes += users
        for user in users:
            for operand in user.operands:
                if operand in arrivals:
                    arrivals[operand].append(user)

    def replace(
        self, replacements: Sequence[tuple[Node, Node]], added: Collection[Node] = ()
    ) -> None:
        """Redirect the users of each old node to its new one at once; drop what is dead then.

        Users in `added` keep the old node, since a replacement may be built on what it replaces;
        so do all others on which the new node depends.
        """
        mapping = {old: new for old, new in replacements if old is not new}
        users = [user for old in mapping for user in old.users if user not in added]
        if len(mapping) > 1:
            users = list(dict.fromkeys(users))
        for user in users:
            self._redirect(user, mapping)
        self._changed += users
        self.affected, self.released = dict.fromkeys(users), dict.fromkeys(mapping)
        self._replace_outputs(mapping)
        self._drop([*mapping])

    def splice(
        self,
        replacements: Sequence[tuple[Node, Node]],
        added: list[Node],
        incomplete: list[Node],
        apart: bool = False,
    ) -> list[Node]:
        """Add nodes that are linked, and replace; return `added` without what nothing uses then.

        Expressions of `incomplete` nodes among them get operands when the graph is asked for its
        own. Mostly old nodes just hand all their users over to new ones that lie lower. `apart`
        says that neither a node in `added` nor one that is to be dropped uses an old one.
        """
        self._nodes += added
        self._incomplete += incomplete
        if self._is_watched:
            self._announce(added)
        own = frozenset() if apart else frozenset(added)
        beside = apart or all(own.isdisjoint(old.users) for old, _ in replacements)
        if beside and _is_plain(replacements):
            self._hand_over(replacements)
            if apart:
                return added
        else:
            self.replace(replacements, frozenset(added))
        for _, new in replacements:
            if not new.users and not new.output_count:
                self.drop_unused([n for n in reversed(added) if not n.users and not n.output_count])
                return [node for node in added if node.level >= 0]
        return added

    def _hand_over(self, replacements: Sequence[tuple[Node, Node]]) -> None:
        affected: dict[Node, None] = {}
        wide: dict[Node, None] = {}
        mapping: dict[Node, Node] = {}
        last: Node | None = None  # mostly a tuple of all that is replaced
        for old, new in replacements:
            users = old.users
            old.users = ()
            mapping[old] = new
            for user in users:
                if user is last:
                    continue
                affected[user] = None
                operands = user.operands
                count = len(operands)
                if count > 2:
                    wide[user] = None
                    last = user
                elif count == 1:
                    user.operands = (new,)
                else:
                    one, two = operands
                    user.operands = (new if one is old else one, new if two is old else two)
            if not new.users:
                new.users = users
            else:
                for user in users:
                    add_user(new, user)
        for user in wide:
            user.operands = tuple([mapping.get(node, node) for node in user.operands])
        self.affected, self.released = affected, {}
        self._changed += affected
        if self._is_watched:
            self._announce(affected)
        self._drop([*mapping])

    def _redirect(self, user: Node, mapping: Mapping[Node, Node]) -> None:
        changes: dict[Node, Node] = {}
        for old in user.operands:
            new = mapping.get(old)
            if new is not None and (new.level < user.level or not depends(new, user)):
                changes[old] = new
        user.operands = tuple([changes.get(operand, operand) for operand in user.operands])
        for old in changes:
            remove_user(old, user)
        for new in changes.values():
            add_user(new, user)
            if new.level >= user.level:
                self._raise_level(user, new.level)
        if self._is_watched:
            self._announce((user,))

    def _replace_outputs(self, mapping: Mapping[Node, Node]) -> None:
        moved = [(old, new) for old, new in mapping.items() if old.output_count]
        places = [self._places.pop(old) for old, _ in moved]
        for old, _ in moved:
            old.output_count = 0
        for (_, new), some in zip(moved, places, strict=True):
            self._places.setdefault(new, []).extend(some)
            new.output_count += len(some)
            for place in some:
                self.outputs[place] = new

    def _raise_level(self, node: Node, below: int) -> None:
        pending = [(node, below)]
        while pending:
            user, level = pending.pop()
            if user.level <= level:
                user.level = level + 1
                if self._is_watched:
                    self._changes.append(user)
                pending.extend((next_user, user.level) for next_user in user.users)

    def _drop(self, pending: list[Node]) -> None:
        """Drop those of `pending` that nothing uses, then what only they used, and so on."""
        self._is_whole = False
        below: dict[Node, None] = {}
        several: dict[Node, None] = {}
        while pending:
            last: Node | None = None  # mostly what all that is dropped shares
            for node in pending:
                if node.users or node.output_count:
                    continue
                node.level = -1
                for operand in node.operands:
                    if operand is last:
                        continue
                    below[operand] = None
                    users: Any = operand.users
                    count = len(users)
                    if count == 2:
                        one, two = users
                        if one is node:
                            operand.users = (two,)
                        elif two is node:
                            operand.users = (one,)
                    elif count == 1:
                        if users[0] is node:
                            operand.users = ()
                            pending.append(operand)
                    elif count > FEW_USERS:
                        remove_user(operand, node)
                    elif count:
                        several[operand] = None
                        last = operand
            if not several:
                break
            pending, several = _deserted(several), {}
        self.released = {**self.released, **below} if self.released else below

    def take_back(self, node: Node) -> None:
        """Undo the addition of a node that nothing uses; what it uses stays."""
        self._is_whole = False
        node.level = -1
        for operand in node.operands:
            remove_user(operand, node)
        if self._nodes[-1] is node:
            self._nodes.pop()

    def drop_unused(self, nodes: Iterable[Node]) -> None:
        """Drop those of `nodes` that nothing uses, and what only they used."""
        self._drop([node for node in nodes if node.level >= 0])

    def verify(self) -> None:
        """Raise GraphError unless every edge is known at both ends and leads to a higher level.

        Levels that rise along every edge prove that there is no cycle.
        """
        for node in self:
            for operand in node.operands:
                if operand not in self or node not in operand.users:
                    raise GraphError(f"{node!r} uses {operand!r}, which does not know it")
                if operand.level >= node.level:
                    raise GraphError(f"{node!r} may lie on a cycle")

    def to_exprs(self) -> list[Expr]:
        """Return the outputs as expressions; whatever did not change is the very same object."""
        complete(self._changed, self._incomplete)
        self._changed, self._incomplete = [], []
        return [output.expr for output in self.outputs]

    def dissolve(self) -> None:
        """Have nothing know its users, when the graph is done with: no cycle is left to collect."""
        self.memory.clear()
        for node in self._nodes:
            node.users = ()
