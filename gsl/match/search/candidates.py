"""Candidates for an output that is still open: climb from bound patterns along users.

The forward half of the bidirectional algorithm (thesis, section 4.2), made complete: instead of
the first unmatched successor, all users are followed that the pattern allows, so every node that
can be the output is reached (see docs/explanation/matching.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gsl.expr import Call as CallExpr
from gsl.expr import Proj as ProjExpr
from gsl.expr import Tuple as TupleExpr
from gsl.graph import Graph, Node
from gsl.match.bindings import Frame, Key, frame_of, instance_of
from gsl.match.search.single import Search
from gsl.pat import Alt, Call, GetItem, Pattern, Tuple, Variadic

Reached = dict[Key, list[Node] | None]
"""The nodes that an instance may stand for, or None where bound ones do not tell."""


def candidates(
    search: Search, graph: Graph, pattern: Pattern, frame: Frame | None
) -> Sequence[Node]:
    """Return the nodes that `pattern`, seen from `frame`, may match, in a fixed order."""
    reached: Reached = {}
    root = instance_of(pattern, frame)
    stack = [root]
    while stack:
        key = stack[-1]
        if key not in reached:
            bound = search.bindings.nodes.get(key)
            below = () if bound is not None else _certain_operands(key)
            missing = [operand for operand in below if operand not in reached]
            if missing:
                stack += reversed(missing)
                continue
            reached[key] = [bound] if bound is not None else _climb(search, key, below, reached)
        stack.pop()
    found = reached[root]
    return graph.order() if found is None else found


def _climb(
    search: Search, key: Key, operands: Sequence[Key], reached: Reached
) -> list[Node] | None:
    pattern, path = key
    if isinstance(pattern, Alt):
        arms = [reached[arm] for arm in operands]
        return None if any(arm is None for arm in arms) else _union(arm or [] for arm in arms)
    known = [
        (position, below)
        for position, operand in enumerate(operands)
        if (below := reached[operand]) is not None
    ]
    if not known:
        return None
    position, below = min(known, key=lambda item: sum(len(node.users) for node in item[1]))
    frame = frame_of(path)
    return _union(
        (user for user in node.users if _is_above(search, pattern, frame, position, node, user))
        for node in below
    )


def _certain_operands(key: Key) -> tuple[Key, ...]:
    """Return the instances below one; of a tuple only field 0, because no other is sure to be."""
    pattern, path = key
    frame = frame_of(path)
    if isinstance(pattern, Variadic):
        return (instance_of(pattern.field, Frame(pattern, 0, frame)),)
    return tuple([instance_of(operand, frame) for operand in pattern.operands])


def _union(parts: Iterable[Iterable[Node]]) -> list[Node]:
    return list(dict.fromkeys(node for part in parts for node in part))


def _is_above(
    search: Search, pattern: Pattern, frame: Frame | None, position: int, node: Node, user: Node
) -> bool:
    """Tell whether `user` may be `pattern` when `node` is its operand number `position`."""
    match pattern, user.expr:
        case Call(), CallExpr(operator=operator):
            at_position = position < len(user.operands) and user.operands[position] is node
            return at_position and search.accepts(pattern, frame, operator)
        case Tuple(), TupleExpr():
            return position < len(user.operands) and user.operands[position] is node
        case Variadic(), TupleExpr():
            return user.operands[0] is node
        case GetItem(), ProjExpr():
            return True
        case _:
            return False
