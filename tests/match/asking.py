"""Ask the engine for a match in a graph of expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsl import Expr, Subst, pat
from gsl.graph import Graph, Node
from gsl.match import Bindings, Mismatch, match_at, matches_at


def node_of(graph: Graph, expr: Expr) -> Node:
    return next(node for node in graph if node.expr is expr)


def ask(
    source: Any, outputs: Sequence[Expr], root: Expr | None = None, **subst: Any
) -> Bindings | Mismatch:
    """Match `source` with its first output at `root`, by default the first output."""
    graph = Graph(outputs)
    node = node_of(graph, outputs[0] if root is None else root)
    return match_at(Subst(source, source, **subst), graph, node)


def every(source: Any, outputs: Sequence[Expr], root: Expr | None = None) -> list[list[Expr]]:
    """Return what the source outputs stand for in every match."""
    graph = Graph(outputs)
    node = node_of(graph, outputs[0] if root is None else root)
    subst = Subst(source, source)
    return [[found[p] for p in subst.source] for found in matches_at(subst, graph, node)]


def fields(found: Bindings | Mismatch, variadic: pat.Variadic) -> list[Expr]:
    """Return what the fields of a variadic pattern stand for."""
    assert isinstance(found, Bindings), found
    count = found.lengths[variadic, ()]
    return [found[variadic(variadic.field, index)] for index in range(count)]
