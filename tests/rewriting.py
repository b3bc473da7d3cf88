"""Rewrite one match, and look at the result as plain tuples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gsl import Call, Const, Expr, Proj, Subst, Var
from gsl.graph import Graph, Node
from gsl.match import Bindings, match_at
from gsl.rewrite.builder import rewrite
from tests.match.asking import node_of
from tests.work_graph import invariants

Rewrite = Callable[[Subst, Bindings, Graph], list[Node]]


def once(
    subst: Subst, outputs: list[Expr], root: Expr | None = None, by: Rewrite = rewrite
) -> list[Expr]:
    """Rewrite the match at `root`, by default the first output, and return all outputs."""
    graph = Graph(outputs)
    bindings = match_at(subst, graph, node_of(graph, outputs[0] if root is None else root))
    assert isinstance(bindings, Bindings), bindings
    by(subst, bindings, graph)
    invariants(graph)
    return graph.to_exprs()


def shape_of(expr: Expr) -> Any:
    """Return an expression as nested tuples of names and attributes."""
    below = tuple(map(shape_of, expr.operands))
    match expr:
        case Call(operator=operator, attributes=attributes):
            return (operator.name, *attributes.values(), *below)
        case Var(name=name):
            return name
        case Const(value=value):
            return value.tolist()
        case Proj(index=index):
            return (index, *below)
        case _:
            return below
