"""Expression graphs as flat lists, to be sent or saved: depth is no limit, sharing is kept.

There is one record per expression in reverse post-order; it names its operands by their positions
in the list. Operators travel by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsl.errors import GraphError, OperatorError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.operators.declaration import lookup

Record = tuple[Any, ...]
"""The kind of an expression, the positions of its operands, and what else it consists of."""


def encode(outputs: Sequence[Expr]) -> tuple[list[Record], list[int]]:
    """Return the records of all expressions below `outputs`, and the positions of `outputs`."""
    order = reverse_post_order(outputs)
    positions = {expr: position for position, expr in enumerate(order)}
    records = [
        _record(expr, tuple(positions[operand] for operand in expr.operands)) for expr in order
    ]
    return records, [positions[output] for output in outputs]


def _record(expr: Expr, operands: tuple[int, ...]) -> Record:
    match expr:
        case Const(value=value):
            return "const", operands, value
        case Var(name=name):
            return "var", operands, name, expr.shape, expr.dtype
        case Call(operator=operator, attributes=attributes):
            return "call", operands, operator.name, dict(attributes)
        case Tuple():
            return "tuple", operands
        case Proj(index=index):
            return "proj", operands, index
        case _:
            raise GraphError(f"not a computation expression: {expr!r}")


def decode(records: Sequence[Record]) -> list[Expr]:
    """Return the expression of every record.

    Raises GraphError for what is no record, OperatorError for an operator that is not declared or
    that does not take these operands and attributes; both name the record.
    """
    exprs: list[Expr] = []
    for number, record in enumerate(records):
        try:
            exprs.append(_expr(record, [exprs[position] for position in record[1]]))
        except (GraphError, OperatorError) as error:
            raise type(error)(f"record {number}, {record[0]}: {error}") from error
    return exprs


def _expr(record: Record, operands: list[Expr]) -> Expr:
    match record:
        case "const", _, value:
            return Const(value)
        case "const", _, asked, dtype:
            return Const(asked, dtype)
        case "var", _, name, shape, dtype:
            return Var(name, shape, dtype)
        case "call", _, operator, attributes:
            return Call(lookup(operator), operands, attributes)
        case "tuple", _:
            return Tuple(operands)
        case "proj", _, index:
            return Proj(operands[0], index)
        case _:
            raise GraphError(f"not a record of an expression: {record!r}")
