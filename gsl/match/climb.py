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
from gsl.graph import Graph, Node, reverse_post_order
from gsl.match.bindings import Frame, instance_of
from gsl.match.single import Search
from gsl.pat import Alt, Call, GetItem, Pattern, Tuple, Variadic

Reached = dict[Pattern, list[Node] | None]
"""The nodes that a pattern may stand for, or None where bound patterns do not tell."""


def candidates(
    search: Search, graph: Graph, pattern: Pattern, frame: Frame | None
) -> Sequence[Node]:
    """Return the nodes that `pattern`, seen from `frame`, may match, in a fixed order."""
    reached: Reached = {}
    for part in reverse_post_order([pattern]):
        bound = search.bindings.nodes.get(instance_of(part, frame))
        reached[part] = _climb(search, part, frame, reached) if bound is None else [bound]
    found = reached[pattern]
    return graph.order() if found is None else found


def _climb(
    search: Search, pattern: Pattern, frame: Frame | None, reached: Reached
) -> list[Node] | None:
    if isinstance(pattern, Alt):
        arms = [reached[arm] for arm in pattern.operands]
        return None if any(arm is None for arm in arms) else _union(arm or [] for arm in arms)
    known = [
        (position, below)
        for position, operand in enumerate(_certain_operands(pattern))
        if (below := reached[operand]) is not None
    ]
    if not known:
        return None
    position, below = min(known, key=lambda item: sum(len(node.users) for node in item[1]))
    return _union(
        (user for user in node.users if _is_above(search, pattern, frame, position, node, user))
        for node in below
    )


def _certain_operands(pattern: Pattern) -> tuple[Pattern, ...]:
    # Only the first field of a tuple is sure to be there, and it may be another pattern.
    return pattern.operands[:1] if isinstance(pattern, Variadic) else pattern.operands


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
