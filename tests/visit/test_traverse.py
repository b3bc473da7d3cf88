"""Going through a network with plain functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from gsl import Call, Expr, Workload
from gsl.errors import GraphError
from gsl.graph import reverse_post_order
from gsl.visit import (
    ExprMutator,
    ExprVisitor,
    expand_dataflow,
    post_order_fold,
    post_order_rewrite,
    post_order_visit,
)
from tests.match.toys import add, exp, negative, relu, var
from tests.networks import chain, networks

DEEP = 100_000


@given(networks)
def test_all_follow_the_reverse_post_order(outputs: tuple[Expr, ...]) -> None:
    order = reverse_post_order(outputs)
    seen: list[Expr] = []
    expanded: list[Expr] = []

    post_order_visit(outputs, seen.append)
    expand_dataflow(outputs, lambda expr: expr in expanded, expanded.append)

    assert order == seen == expanded
    assert order == list(post_order_fold(outputs, lambda expr, operands: None))


@given(networks)
def test_results_of_a_fold_come_from_those_of_the_operands(outputs: tuple[Expr, ...]) -> None:
    order = reverse_post_order(outputs)

    sizes = post_order_fold(outputs, lambda expr, operands: 1 + sum(operands))

    for expr in order:
        assert sizes[expr] == 1 + sum(sizes[operand] for operand in expr.operands)


def test_expand_dataflow_asks_once_for_every_edge() -> None:
    x = var("x")
    r = relu(x)
    top = add(r, r)
    asked: list[Expr] = []
    visited: list[Expr] = []

    def is_visited(expr: Expr) -> bool:
        asked.append(expr)
        return expr in visited

    expand_dataflow([top, r], is_visited, visited.append)

    assert [top, r, x, r, r] == asked
    assert [x, r, top] == visited


def test_expand_dataflow_passes_by_what_is_visited() -> None:
    x = var("x")
    r = relu(x)
    visited: list[Expr] = []

    expand_dataflow([negative(r), exp(r)], lambda expr: expr is r, visited.append)

    assert [str(e.operator) for e in visited if isinstance(e, Call)] == ["Negative", "Exp"]
    assert len(visited) == 2


def test_expansion_to_something_else_is_an_error() -> None:
    def expand(expr: Expr) -> Any:
        return ["x"]

    with pytest.raises(GraphError, match="not a computation expression: 'x'"):
        expand_dataflow([relu(var("x"))], lambda expr: False, repr, expand)


TRAVERSALS: list[Callable[..., object]] = [
    lambda network: post_order_visit(network, repr),
    lambda network: post_order_fold(network, lambda expr, operands: None),
    lambda network: ExprVisitor().visit(network),
]


@pytest.mark.parametrize("traverse", TRAVERSALS)
@pytest.mark.parametrize("thing", [5, None, "text", [var("x"), 3], {var("x")}])
def test_what_is_no_network_is_an_error(traverse: Callable[..., object], thing: object) -> None:
    with pytest.raises(GraphError, match="an expression, a sequence of them or a workload, not "):
        traverse(thing)


def test_expressions_sequences_and_workloads_are_networks() -> None:
    r = relu(var("x"))
    expected = [r.operands[0], r]

    for network in (r, [r], (r, r), Workload(r)):
        assert expected == list(post_order_fold(network, lambda expr, operands: None))


def test_deep_chain_is_folded_and_visited_without_recursion() -> None:
    top = chain(DEEP)
    seen: list[Expr] = []

    post_order_visit(top, seen.append)
    depths = post_order_fold(top, lambda expr, operands: 1 + max(operands, default=0))

    assert len(seen) == depths[top] == DEEP + 1


@pytest.mark.parametrize(
    "traverse",
    [
        lambda network: post_order_rewrite(network, lambda pre, post: post),
        lambda network: ExprMutator().mutate(network),
        lambda network: ExprVisitor().visit(network),
        lambda network: ExprVisitor(visit_limit=3).visit(network),
        lambda network: post_order_visit(network, id),
    ],
)
def test_cycle_is_refused_instead_of_followed(traverse: Callable[[Expr], object]) -> None:
    below = relu(var("x"))
    above = negative(exp(below))
    below.operands = (above,)

    with pytest.raises(GraphError, match="a cycle through Call"):
        traverse(above)
