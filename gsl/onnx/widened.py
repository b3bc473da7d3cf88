"""Workloads whose bfloat16 is computed in float32, for runtimes that only convert it.

Every operator computes in float32 and rounds once at its end, as the references do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gsl.expr import Call, Expr, Proj, Tuple, Var
from gsl.numpy_dtypes import BFLOAT16, WIDE
from gsl.onnx.build import cast
from gsl.types import TensorType, TupleType, Type
from gsl.workload import Workload


def widened(workload: Workload) -> Workload:
    """Return a workload that takes and returns float32 where the given one has bfloat16."""
    variables = {one: _declared(one, workload) for one in workload.variables}
    made: dict[Expr, Expr] = {}
    for expr in workload.order:
        operands = tuple(made[one] for one in expr.operands)
        match expr:
            case Var():
                made[expr] = _rounded(variables[expr], expr.type)
            case Call() if _concerns(expr):
                made[expr] = _computed(expr, operands)
            case _:
                made[expr] = expr if operands == expr.operands else expr.with_operands(operands)
    outputs = [_wide(made[one]) for one in workload.outputs]
    return Workload(outputs, workload.parameters, list(variables.values()), workload.output_names)


def widened_arrays(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return arrays with those of bfloat16 as float32."""
    return {
        name: np.asarray(one).astype(WIDE) if np.asarray(one).dtype == BFLOAT16 else one
        for name, one in arrays.items()
    }


def _declared(variable: Var, workload: Workload) -> Var:
    """Return a parameter as it is, and an input in what it is given as."""
    if variable.name in workload.parameters or not _is_narrow(variable.type):
        return variable
    return Var(variable.name, variable.shape, WIDE.name)


def _is_narrow(kind: Type) -> bool:
    fields = kind.fields if isinstance(kind, TupleType) else (kind,)
    return any(isinstance(one, TensorType) and one.dtype == BFLOAT16.name for one in fields)


def _concerns(call: Call) -> bool:
    """Tell whether a call computes on bfloat16, or makes it; conversions are what they are."""
    kinds = [*(one.type for one in call.operands), call.type]
    known = call.operator.name != "Cast" and "." not in call.operator.name
    return known and any(map(_is_narrow, kinds))


def _computed(call: Call, operands: tuple[Expr, ...]) -> Expr:
    attributes = {
        name: WIDE.name if isinstance(value, str) and value == BFLOAT16.name else value
        for name, value in call.attributes.items()
    }
    return _rounded(Call(call.operator, tuple(map(_wide, operands)), attributes), call.type)


def _wide(expr: Expr) -> Expr:
    """Return an expression with what is bfloat16 in it as float32."""
    if not _is_narrow(expr.type):
        return expr
    if isinstance(expr.type, TupleType):
        return Tuple([_wide(_field(expr, place)) for place in range(len(expr.type.fields))])
    return cast(expr, WIDE.name)


def _rounded(expr: Expr, kind: Type) -> Expr:
    """Return an expression with the types that it had before."""
    if isinstance(kind, TupleType):
        pairs = enumerate(kind.fields)
        return Tuple([_rounded(_field(expr, place), field) for place, field in pairs])
    return cast(expr, BFLOAT16.name) if _is_narrow(kind) else expr


def _field(expr: Expr, place: int) -> Expr:
    return expr.operands[place] if isinstance(expr, Tuple) else Proj(expr, place)
