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
    from gsl.operators import Operator
    from gsl.types import Type
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
            results[expr] = value_of(expr, operands, values)
    return results


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
            if operator.is_built_in:
                return computed(operator.reference, operands, attributes, expr.type)
            return _computed_by_others(operator, operands, attributes, expr.type)
        case _:
            raise GraphError(f"not a computation expression: {expr!r}")


def _computed_by_others(
    operator: Operator, operands: list[Any], attributes: Mapping[str, Any], declared: Type
) -> Any:
    """Return what a reference computes that may raise anything; raise GraphError if it does."""
    assert operator.reference is not None
    try:
        return computed(operator.reference, operands, attributes, declared)
    except GslError:
        raise
    except Exception as error:
        message = f"the reference of {operator} raises {type(error).__name__}: {error}"
        raise GraphError(message) from error


def run(workload: Workload, inputs: Mapping[str, Any]) -> list[Any]:
    """Return the outputs of a workload for arrays by input name."""
    return evaluate(workload.outputs, {**workload.parameters, **inputs})
