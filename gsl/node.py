"""Vertices of a work graph, made of expressions and turned into expressions again.

Loops are written out here: they are most of the work of a call that rewrites little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from gsl.expr import Call, Expr, Var
from gsl.operators.declaration import Operator

Head = Operator | type[Expr]
"""What a node is at first sight: the operator of a call, the kind of any other expression."""

FEW_USERS = 16
"""So many users are kept in a tuple, which is small and quick; more have to be found quickly."""


class Node:
    """A vertex of a work graph: an expression whose operands may have been replaced.

    `expr` tells kind, attributes and type and `head` the operator; `operands` tells the edges,
    which win over the operands of `expr` once something below has been rewritten. `level` is above
    the level of every operand, so it bounds a search for paths between nodes; it is -1 once the
    node has been dropped. `users` has every user once, in the order in which they came. `waiting`
    says of a node that may be the root of a match that the engine is going to examine it.

    It is made by `node_of`, or without a call, because many are made.
    """

    __slots__ = ("expr", "head", "level", "operands", "output_count", "users", "waiting")

    expr: Expr
    head: Head
    level: int
    operands: tuple[Node, ...]
    output_count: int
    users: Users
    waiting: bool

    def __repr__(self) -> str:
        return f"Node({self.expr!r})"


Users = tuple[Node, ...] | dict[Node, None]
"""Users of a node: a tuple of up to FEW_USERS, a dictionary of more."""


def node_of(expr: Expr, operands: tuple[Node, ...]) -> Node:
    """Return a node at level 0 that `operands` do not know yet."""
    node = Node()
    node.expr = expr
    node.head = expr.operator if isinstance(expr, Call) else type(expr)
    node.operands = operands
    node.users = ()
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


LEVEL_GAP = 1 << 10
"""Levels left free between the nodes of a new graph, so that few rewrites have to raise others."""


def add_user(node: Node, user: Node) -> None:
    """Have `node` know a user, if it does not yet."""
    users = node.users
    if len(users) >= FEW_USERS:
        node.users = crowd(users, user)
    elif user not in users:
        node.users = (*users, user)


def crowd(users: Users, user: Node) -> Users:
    """Return users and one more, unless it is among them, as nodes keep them."""
    if isinstance(users, dict):
        users[user] = None
    elif user not in users:
        return users_of((*users, user))
    return users


def remove_user(node: Node, user: Node) -> None:
    """Have `node` forget a user."""
    users = node.users
    if isinstance(users, dict):
        users.pop(user, None)
        if len(users) <= FEW_USERS:
            node.users = tuple(users)
    else:
        node.users = tuple([other for other in users if other is not user])


def users_of(users: Sequence[Node]) -> Users:
    """Return different users as nodes keep them."""
    return tuple(users) if len(users) <= FEW_USERS else dict.fromkeys(users)


class Nodes(dict[Expr, Node]):
    """The nodes of expressions; those in `same` have the node of what stands for them."""

    def __init__(self, same: Mapping[Expr, Expr]) -> None:
        super().__init__()
        self._same = same

    def __missing__(self, expr: Expr) -> Node:
        return self[self._same[expr]]


def mirrored(order: Iterable[Expr], same: Mapping[Expr, Expr]) -> Nodes:
    """Return the nodes of expressions that come after their operands, with all users."""
    nodes = Nodes(same)
    _fill(nodes, [one for one in order if one not in same] if same else order)
    return nodes


def _fill(nodes: Nodes, order: Iterable[Expr]) -> None:
    few, gap = FEW_USERS, LEVEL_GAP
    for expr in order:
        nodes[expr] = node = Node()
        node.expr = expr
        node.users = ()
        node.output_count = 0
        node.waiting = True
        kind = type(expr)
        if kind is Var:
            node.head = Var
            node.operands = ()
            node.level = 0
            continue
        if kind is Call:
            node.head = expr.operator  # type: ignore[attr-defined]
            below = expr.operands  # Python is quick where it always meets the same kind
        else:
            node.head = expr.operator if isinstance(expr, Call) else kind
            below = expr.operands
        count = len(below)
        if count == 1:
            one = nodes[below[0]]
            node.operands = (one,)
            node.level = one.level + gap
            new = (node,)
            old: Any = one.users
            one.users = new if not old else old + new if len(old) < few else crowd(old, node)
        elif count == 2:
            first, second = below
            one, two = nodes[first], nodes[second]
            node.operands = (one, two)
            node.level = (one.level if one.level > two.level else two.level) + gap
            new = (node,)
            old = one.users
            one.users = new if not old else old + new if len(old) < few else crowd(old, node)
            if one is not two:
                old = two.users
                two.users = new if not old else old + new if len(old) < few else crowd(old, node)
        else:
            node.operands = tuple([nodes[operand] for operand in below])
            node.level = used(node.operands, node) + gap


def used(operands: Iterable[Node], user: Node) -> int:
    """Have nodes know a user, and return the highest of their levels, -1 if there are none."""
    level = -1
    new = (user,)
    for node in operands:
        users: Any = node.users
        if not users:
            node.users = new
        elif len(users) >= FEW_USERS:
            node.users = crowd(users, user)
        elif user not in users:
            node.users = users + new
        if node.level > level:
            level = node.level
    return level


def link(nodes: Iterable[Node]) -> None:
    """Have the operands of nodes know them; operands come first."""
    for node in nodes:
        node.level = used(node.operands, node) + 1


def complete(changed: Iterable[Node], incomplete: Iterable[Node]) -> None:
    """Have the expressions of all nodes fit their operands.

    Expressions of `incomplete` nodes get operands. Those of `changed` nodes and of whatever is
    above them are made anew if an operand is another expression by now.
    """
    copied: list[Node] = []
    for node in changed:
        before = node.expr.operands
        if node.level < 0 or not before:
            continue
        if before != tuple([operand.expr for operand in node.operands]):
            copied += _copied_upwards(node)
    below: tuple[Expr, ...]
    for node in chain(incomplete, copied):
        operands = node.operands
        count = len(operands)
        if count == 1:
            below = (operands[0].expr,)
        elif count == 2:
            one, two = operands
            below = (one.expr, two.expr)
        else:
            below = tuple([operand.expr for operand in operands])
        expr = node.expr
        if type(expr) is Call:
            expr.operands = below
        else:
            expr.operands = below


def _copied_upwards(lowest: Node) -> list[Node]:
    """Copy the expressions of a node and of all nodes above it; return those nodes.

    The copies get their operands later, as do expressions that have none yet.
    """
    new = object.__new__
    nodes = [lowest]
    lowest.expr = lowest.expr.with_operands(())
    for node in nodes:
        for user in node.users:
            expr = user.expr
            if type(expr) is Call:
                if expr.operands:
                    copy = new(Call)
                    copy.operator = expr.operator
                    copy.attributes = expr.attributes
                    copy.type = expr.type
                    copy.operands = ()
                    user.expr = copy
                    nodes.append(user)
            elif expr.operands:
                user.expr = expr.with_operands(())
                nodes.append(user)
    return nodes
