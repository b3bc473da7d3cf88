"""Private Relax functions that keep operators in one piece which are written as several calls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tvm
from tvm import relax

from gsl.errors import GslError
from gsl.expr import Call, Expr
from gsl.tvm.importer import ATTRIBUTES, OPERATOR, from_relax
from gsl.tvm.lower import emit_call
from gsl.tvm.relax_types import to_relax_type


class Composites:
    """The composite functions of one module under construction, one per distinct call.

    A call needs one when its lowering does not read back as the very same call.
    """

    def __init__(self, builder: Any) -> None:
        self._builder = builder
        self._functions: dict[tuple[str, str, str], Any] = {}

    def prepare(self, order: Iterable[Expr]) -> None:
        """Build the functions that the calls in `order` need; functions do not nest."""
        for expr in order:
            if isinstance(expr, Call) and expr.operator.lowering is not None:
                key = _key(expr)
                if key not in self._functions:
                    self._functions[key] = self._build(expr)

    def emit(self, call: Call, operands: Sequence[Any]) -> Any:
        """Bind the call of a prepared function and return the variable; None if not needed."""
        function = self._functions.get(_key(call))
        return None if function is None else self._builder.emit(relax.Call(function, operands))

    def _build(self, call: Call) -> Any:
        function = _function(call)
        if _reads_back(function, call):
            return None
        return self._builder.add_func(function, f"gsl_{call.operator}_{len(self._functions)}")


def _function(call: Call) -> Any:
    """Return a private function of the operands of a call."""
    # In a module of its own, because it may turn out not to be needed.
    builder = relax.BlockBuilder()
    formals = [
        relax.Var(declared.name, to_relax_type(operand.type))
        for declared, operand in zip(call.operator.operands, call.operands, strict=True)
    ]
    marks = {OPERATOR: call.operator.name, ATTRIBUTES: _text(call.attributes)}
    with builder.function("composite", formals, attrs=marks, private=True):
        with builder.dataflow():
            result = builder.emit_output(emit_call(builder, call, formals))
        builder.emit_func_output(result)
    return builder.finalize()["composite"]


def _reads_back(function: Any, call: Call) -> bool:
    try:
        workload = from_relax(tvm.IRModule({"composite": function}), function="composite")
    except GslError:
        return False
    (result,) = workload.outputs if len(workload.outputs) == 1 else (None,)
    return (
        isinstance(result, Call)
        and result.operator is call.operator
        and result.attributes == call.attributes
        and result.operands == workload.variables
    )


def _key(call: Call) -> tuple[str, str, str]:
    types = ", ".join(str(operand.type) for operand in call.operands)
    return call.operator.name, _text(call.attributes), types


def _text(attributes: Mapping[str, Any]) -> str:
    return json.dumps(dict(attributes))
