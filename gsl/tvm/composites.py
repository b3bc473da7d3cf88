"""Private Relax functions that keep the operators without a Relax twin in one piece."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeGuard

from tvm import relax

from gsl.expr import Call, Expr
from gsl.operators.declaration import lookup
from gsl.tvm.lower import emit_call
from gsl.tvm.relax_types import to_relax_type

OPERATOR = "gsl.operator"
ATTRIBUTES = "gsl.attributes"


class Composites:
    """The composite functions of one module under construction, one per distinct call."""

    def __init__(self, builder: Any) -> None:
        self._builder = builder
        self._functions: dict[tuple[str, str, str], Any] = {}

    def prepare(self, order: Iterable[Expr]) -> None:
        """Build the functions that the calls in `order` need; functions do not nest."""
        for expr in order:
            if is_composite(expr) and _key(expr) not in self._functions:
                self._functions[_key(expr)] = self._build(expr)

    def call(self, call: Call, operands: list[Any]) -> Any:
        """Bind the call of a prepared function; return the variable."""
        return self._builder.emit(relax.Call(self._functions[_key(call)], operands))

    def _build(self, call: Call) -> Any:
        formals = [
            relax.Var(declared.name, to_relax_type(operand.type))
            for declared, operand in zip(call.operator.operands, call.operands, strict=True)
        ]
        name = f"gsl_{call.operator}_{len(self._functions)}"
        marks = {OPERATOR: call.operator.name, ATTRIBUTES: _text(call)}
        with self._builder.function(name, formals, attrs=marks, private=True):
            with self._builder.dataflow():
                result = self._builder.emit_output(emit_call(self._builder, call, formals))
            return self._builder.emit_func_output(result)


def is_composite(expr: Expr) -> TypeGuard[Call]:
    """Tell whether an expression calls an operator without a Relax twin."""
    return isinstance(expr, Call) and not expr.operator.relax_name


def _key(call: Call) -> tuple[str, str, str]:
    types = ", ".join(str(operand.type) for operand in call.operands)
    return call.operator.name, _text(call), types


def _text(call: Call) -> str:
    return json.dumps(dict(call.attributes))


def read_composite(function: Any, operands: list[Expr]) -> Call | None:
    """Return the GSL call that a function written by `Composites` stands for, else None."""
    marks = function.attrs
    if marks is None or OPERATOR not in marks:
        return None
    return Call(lookup(str(marks[OPERATOR])), operands, _tuples(json.loads(marks[ATTRIBUTES])))


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _tuples(item) for name, item in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
