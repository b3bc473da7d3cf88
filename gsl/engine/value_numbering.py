"""Common subexpressions: calls that compute the same become one."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.workload import Workload

LARGEST_CONSTANT = 1024
"""Constants of more elements are the same only if they are one; comparing them takes time."""


def merge_common_subexpressions(workload: Workload) -> Workload:
    """Return a workload that computes each call once; the given one if none is there twice.

    Calls are the same whose operators, attributes and operands are; so are constants with the same
    bits. Takes time linear in the graph (value numbering; Cocke and Schwartz).
    """
    numbers: dict[Hashable, Expr] = {}
    known: dict[Expr, Expr] = {}
    texts: dict[int, str] = {}
    order: list[Expr] = []
    for expr in workload.order:
        own, operands = expr, expr.operands
        if known and operands:
            operands = tuple([known.get(one, one) for one in operands])
            if operands != expr.operands:
                own = expr.with_operands(operands)
        if type(expr) is Call:
            text = texts.get(id(expr.attributes))
            if text is None:
                text = texts[id(expr.attributes)] = _frozen(expr.attributes)
            number: Hashable = (expr.operator.name, text, operands)
        else:
            number = _number(own)
        found = numbers.setdefault(number, own)
        if found is own:
            order.append(own)
        if found is not expr:
            known[expr] = found
    if not known:
        return workload
    outputs = [known.get(output, output) for output in workload.outputs]
    return workload.with_outputs(outputs, order=order)  # what is left out is below what stays


def _number(expr: Expr) -> Hashable:
    """Return what is the same for two expressions, not calls, only if they compute the same."""
    match expr:
        case Var():
            return expr
        case Proj():
            return "field", expr.index, expr.operands
        case Tuple():
            return "tuple", expr.operands
        case Const(value=np.ndarray() as value) if value.size <= LARGEST_CONSTANT:
            return "constant", value.dtype.name, value.shape, value.tobytes()
        case _:
            return expr


def _frozen(attributes: object) -> str:
    """Return attributes as text: 1, 1.0 and True, which are equal, read differently."""
    return repr(sorted(dict(attributes).items()))  # type: ignore[call-overload]
