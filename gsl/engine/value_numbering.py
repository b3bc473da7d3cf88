"""Common subexpressions: calls that compute the same become one."""

from __future__ import annotations

from collections.abc import Hashable

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
    for expr in workload.order:
        operands = tuple(known[operand] for operand in expr.operands)
        changed = any(a is not b for a, b in zip(operands, expr.operands, strict=True))
        own = expr.with_operands(operands) if changed else expr
        known[expr] = numbers.setdefault(_number(own), own)
    outputs = [known[output] for output in workload.outputs]
    if all(known[expr] is expr for expr in workload.order):
        return workload
    return workload.with_outputs(outputs)


def _number(expr: Expr) -> Hashable:
    """Return what is the same for two expressions only if they compute the same."""
    operands = tuple(map(id, expr.operands))
    match expr:
        case Call():
            return "call", expr.operator.name, _frozen(expr.attributes), operands
        case Proj():
            return "field", expr.index, operands
        case Tuple():
            return "tuple", operands
        case Const(value=value) if value.size <= LARGEST_CONSTANT:
            return "constant", value.dtype.name, value.shape, value.tobytes()
        case Var() | Const():
            return "itself", id(expr)
        case _:
            return "itself", id(expr)


def _frozen(attributes: object) -> str:
    """Return attributes as text: 1, 1.0 and True, which are equal, read differently."""
    return repr(sorted(dict(attributes).items()))  # type: ignore[call-overload]
