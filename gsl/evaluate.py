"""Run a graph with the NumPy references of its operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gsl.errors import GraphError, GslError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import computed

if TYPE_CHECKING:
    from gsl.workload import Workload


def evaluate(outputs: Sequence[Expr], values: Mapping[str, Any]) -> list[Any]:
    """Return the value of every output; tuples are Python tuples.

    `values` gives an array (or anything NumPy treats like one) for each variable by name. Raises
    GraphError for a variable without a value, for an operator without a reference, and where the
    reference of an operator that is not of this package raises anything.
    """
    results = trace(outputs, values)
    return [results[output] for output in outputs]


def trace(outputs: Sequence[Expr], values: Mapping[str, Any]) -> dict[Expr, Any]:
    """Return the value of every expression below `outputs`, in reverse post-order."""
    results: dict[Expr, Any] = {}
    with np.errstate(all="ignore"):
        for expr in reverse_post_order(outputs):
            operands = [results[operand] for operand in expr.operands]
            results[expr] = value_or_error(expr, operands, values)
    return results


def value_or_error(expr: Expr, operands: list[Any], values: Mapping[str, Any]) -> Any:
    """Return the value of one expression; whatever a reference of others raises is a GraphError."""
    try:
        return value_of(expr, operands, values)
    except GslError:
        raise
    except Exception as error:
        if not isinstance(expr, Call) or expr.operator.is_built_in:
            raise
        message = f"the reference of {expr.operator} raises {type(error).__name__}: {error}"
        raise GraphError(message) from error


def value_of(expr: Expr, operands: list[Any], values: Mapping[str, Any]) -> Any:
    """Return the value of one expression for those of its operands and of the variables."""
    match expr:
        case Const(value=value):
            return value
        case Var(name=name):
            if name not in values:
                raise GraphError(f"variable `{name}` has no value")
            return values[name]
        case Tuple():
            return tuple(operands)
        case Proj(index=index):
            return operands[0][index]
        case Call(operator=operator, attributes=attributes):
            if operator.reference is None:
                raise GraphError(f"{operator} has no NumPy reference")
            return computed(operator.reference, operands, attributes, expr.type)
        case _:
            raise GraphError(f"not a computation expression: {expr!r}")


def run(workload: Workload, inputs: Mapping[str, Any]) -> list[Any]:
    """Return the outputs of a workload for arrays by input name."""
    return evaluate(workload.outputs, {**workload.parameters, **inputs})
