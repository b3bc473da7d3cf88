"""Common subexpressions: calls that compute the same become one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import Graph
from gsl.workload import Workload

LARGEST_CONSTANT = 1024
"""Constants of more elements are the same only if they are one; comparing them takes time."""


def merge_common_subexpressions(workload: Workload) -> Workload:
    """Return a workload that computes each call once; the given one if none is there twice.

    Calls are the same whose operators, attributes and operands are; so are constants with the same
    bits. Takes time linear in the graph (value numbering; Cocke and Schwartz).
    """
    same = repeated(workload.order)
    if not same:
        return workload
    graph = Graph(workload.outputs, workload.order, same)
    outputs = graph.to_exprs()
    graph.dissolve()
    return workload.with_outputs(outputs, workload.variables)  # a variable is no other one


def repeated(order: Iterable[Expr]) -> dict[Expr, Expr]:
    """Return for expressions that compute what one before them does that one.

    `order` has operands before their users.
    """
    numbers: dict[Hashable, Expr] = {}
    same: dict[Expr, Expr] = {}
    texts: dict[int, str] = {}
    for expr in order:
        kind = type(expr)
        if kind is Var:
            continue
        operands = expr.operands
        if same:
            operands = tuple([same.get(one, one) for one in operands])
        if kind is Call:
            attributes = expr.attributes  # type: ignore[attr-defined]
            text = texts.get(id(attributes))
            if text is None:
                text = texts[id(attributes)] = _frozen(attributes)
            number: Hashable = (expr.operator.name, text, operands)  # type: ignore[attr-defined]
        else:
            number = _number(expr, operands)
        found = numbers.setdefault(number, expr)
        if found is not expr:
            same[expr] = found
    return same


def _number(expr: Expr, operands: tuple[Expr, ...]) -> Hashable:
    """Return what is the same for two expressions, not calls, only if they compute the same."""
    match expr:
        case Proj():
            return "field", expr.index, operands
        case Tuple():
            return "tuple", operands
        case Const(value=np.ndarray() as value) if value.size <= LARGEST_CONSTANT:
            return "constant", value.dtype, value.shape, value.tobytes()
        case _:
            return expr


def _frozen(attributes: object) -> str:
    """Return attributes as text: 1, 1.0 and True, which are equal, read differently."""
    return repr(sorted(dict(attributes).items()))  # type: ignore[call-overload]
