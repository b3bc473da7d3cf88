"""Graphs that people write to try a rule on: whether it matches, and how far it comes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsl.errors import GraphError
from gsl.expr import Expr
from gsl.graph import Graph
from gsl.match.find import find
from gsl.match.trace import Trace, trace
from gsl.subst import Subst
from gsl.workload import Workload


def workload_of(written: Any) -> Workload:
    """Return the workload that a graph stands for: itself, expressions, or a function of these.

    Raises GraphError for anything else, and whatever a function raises.
    """
    if callable(written) and not isinstance(written, Workload | Expr):
        written = written()
    if isinstance(written, Workload):
        return written
    if isinstance(written, Expr):
        return Workload(written)
    if isinstance(written, Sequence) and written and all(isinstance(e, Expr) for e in written):
        return Workload(list(written))
    raise GraphError(f"{written!r} is no graph; write a Workload, an expression, or a list of them")


def matching(subst: Subst, workload: Workload) -> bool:
    """Tell whether the source of a rule matches anywhere."""
    graph = Graph(workload.outputs)
    return any(find(subst, graph, node) is not None for node in list(graph))


def closest(subst: Subst, workload: Workload) -> Trace:
    """Return the first match, else the partial match that came furthest, and what stopped it."""
    graph = Graph(workload.outputs)
    best: Trace | None = None
    for node in list(graph):
        found = trace(subst, graph, node)
        if found.mismatch is None:
            return found
        if best is None or len(found.bindings.nodes) > len(best.bindings.nodes):
            best = found
    assert best is not None  # a graph has nodes
    return best
