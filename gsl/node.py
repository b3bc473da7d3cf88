"""Vertices of a work graph, made of expressions and turned into expressions again.

Loops are written out here: they are most of the work of a call that rewrites little.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from gsl.expr import Call, Expr
from gsl.operators.declaration import Operator

Head = Operator | type[Expr]
"""What a node is at first sight: the operator of a call, the kind of any other expression."""


class Node:
    """A vertex of a work graph: an expression whose operands may have been replaced.

    `expr` tells kind, attributes and type and `head` the operator; `operands` tells the edges,
    which win over the operands of `expr` once something below has been rewritten. `level` is above
    the level of every operand, so it bounds a search for paths between nodes; it is -1 once the
    node has been dropped. `waiting` says that the engine is going to examine the node.

    It is made by `node_of`, or without a call, because many are made.
    """

    __slots__ = ("expr", "head", "level", "operands", "output_count", "users", "waiting")

    expr: Expr
    head: Head
    level: int
    operands: tuple[Node, ...]
    output_count: int
    users: dict[Node, None]
    waiting: bool

    def __repr__(self) -> str:
        return f"Node({self.expr!r})"


def node_of(expr: Expr, operands: tuple[Node, ...]) -> Node:
    """Return a node at level 0 that `operands` do not know yet."""
    node = Node()
    node.expr = expr
    node.head = expr.operator if isinstance(expr, Call) else type(expr)
    node.operands = operands
    node.users = {}
    node.output_count = 0
    node.level = 0
    node.waiting = False
    return node


def depends(node: Node, other: Node) -> bool:
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


def mirrored(order: Iterable[Expr]) -> dict[Expr, Node]:
    """Return the nodes of expressions that come after their operands, with all users."""
    nodes: dict[Expr, Node] = {}
    for expr in order:
        nodes[expr] = node = Node()
        node.expr = expr
        node.head = expr.operator if isinstance(expr, Call) else type(expr)
        node.users = {}
        node.output_count = 0
        node.waiting = False
        below = expr.operands
        count = len(below)
        if count == 1:
            one = nodes[below[0]]
            node.operands = (one,)
            one.users[node] = None
            node.level = one.level + LEVEL_GAP
        elif count == 2:
            one, two = nodes[below[0]], nodes[below[1]]
            node.operands = (one, two)
            one.users[node] = two.users[node] = None
            node.level = (one.level if one.level > two.level else two.level) + LEVEL_GAP
        elif count:
            node.operands = operands = tuple([nodes[operand] for operand in below])
            level = 0
            for one in operands:
                one.users[node] = None
                if one.level > level:
                    level = one.level
            node.level = level + LEVEL_GAP
        else:
            node.operands = ()
            node.level = 0
    return nodes


def link(nodes: Iterable[Node]) -> None:
    """Have the operands of nodes know them; operands come first."""
    for node in nodes:
        operands = node.operands
        level = -1
        for operand in operands:
            operand.users[node] = None
            if operand.level > level:
                level = operand.level
        node.level = level + 1


def complete(changed: Iterable[Node], made: Iterable[Node]) -> None:
    """Have the expressions of all nodes fit their operands.

    Expressions of `made` nodes get operands. Those of `changed` nodes and of whatever is above
    them are made anew if an operand is another expression by now.
    """
    copied: list[Node] = []
    for node in changed:
        before = node.expr.operands
        if before and node.level >= 0:
            for old, operand in zip(before, node.operands, strict=True):
                if operand.expr is not old:
                    node.expr = _without_operands(node.expr)
                    copied.append(node)
                    break
    for node in copied:
        for user in node.users:
            if user.expr.operands:
                user.expr = _without_operands(user.expr)
                copied.append(user)
    for node in chain(made, copied):
        operands = node.operands
        if len(operands) == 1:
            node.expr.operands = (operands[0].expr,)
        elif len(operands) == 2:
            node.expr.operands = (operands[0].expr, operands[1].expr)
        else:
            node.expr.operands = tuple([operand.expr for operand in operands])


def _without_operands(expr: Expr) -> Expr:
    """Return a copy of an expression that gets operands later."""
    if expr.__class__ is not Call:
        return expr.with_operands(())
    call: Call = object.__new__(Call)
    call.operator = expr.operator
    call.attributes = expr.attributes
    call.type = expr.type
    call.operands = ()
    return call
