"""Go through a network, operands before their users, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import TypeVar

from gsl.errors import GraphError
from gsl.expr import Expr
from gsl.graph import cyclic, reverse_post_order
from gsl.workload import Workload

Network = Expr | Sequence[Expr] | Workload
"""What can be traversed: one output, several, or those of a workload."""

R = TypeVar("R")


def outputs_of(network: Network) -> tuple[Expr, ...]:
    """Return the outputs of a network; raise GraphError for what is none."""
    if isinstance(network, Workload):
        return network.outputs
    if isinstance(network, Expr):
        return (network,)
    if not isinstance(network, Sequence) or not all(isinstance(e, Expr) for e in network):
        raise GraphError(f"an expression, a sequence of them or a workload, not {network!r}")
    return tuple(network)


def expand_dataflow(
    outputs: Iterable[Expr],
    is_visited: Callable[[Expr], bool],
    visit: Callable[[Expr], object],
    expand: Callable[[Expr], Sequence[Expr]] = attrgetter("operands"),
) -> None:
    """Visit what lies below `outputs`, operands before their users, left to right.

    Args:
        outputs: where to start; each is completed before the next is looked at.
        is_visited: asked whenever an expression is reached, along whichever edge; if it says yes,
            the expression is passed by, else it is visited after what it expands to.
        visit: called for every expression that is not passed by.
        expand: what an expression needs visited before it, by default its operands.

    Raises GraphError when something else than an expression is reached, and for a cycle.
    """
    opened: set[Expr] = set()
    for output in outputs:
        stack = [(output, False)]
        while stack:
            expr, expanded = stack.pop()
            if expanded:
                opened.remove(expr)
                visit(expr)
                continue
            if not isinstance(expr, Expr):
                raise GraphError(f"not a computation expression: {expr!r}")
            if expr in opened:
                raise cyclic(expr)
            if not is_visited(expr):
                opened.add(expr)
                stack.append((expr, True))
                stack.extend([(operand, False) for operand in reversed(expand(expr))])


def post_order_visit(network: Network, visit: Callable[[Expr], object]) -> None:
    """Call `visit` on every expression of a network once, in reverse post-order."""
    for expr in reverse_post_order(outputs_of(network)):
        visit(expr)


def post_order_fold(network: Network, step: Callable[[Expr, list[R]], R]) -> dict[Expr, R]:
    """Return the result of `step` for every expression of a network, in reverse post-order.

    `step` gets an expression and the results of its operands; an ``ExprFunctor[R, list[R]]`` is
    such a function. This takes the place of a functor that calls itself on the operands.
    """
    results: dict[Expr, R] = {}
    for expr in reverse_post_order(outputs_of(network)):
        results[expr] = step(expr, [results[operand] for operand in expr.operands])
    return results
