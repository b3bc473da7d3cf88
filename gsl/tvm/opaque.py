"""Relax calls that GSL carries without understanding them, and back.

The payload of an opaque call is the Relax call itself as JSON, with variables named "0", "1", ...
in the place of what GSL has expressions for: operator, attributes, type arguments, shapes and
immediates among the arguments come back as they were. Types are left out, for GSL has them too.

A loop nest of the module that is called stands in the JSON itself, and its name behind that of the
operator: ``relax.call_tir.pad``. So a call depends on nothing but its operands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import tvm
from tvm import relax

from gsl.errors import GslError
from gsl.expr import Call, Expr
from gsl.operators.declaration import OpaqueOperator, lookup
from gsl.tvm.errors import BackendError, UnsupportedError, reason
from gsl.tvm.plain import plain
from gsl.tvm.relax_types import from_relax_type
from gsl.types import type_to_plain

ANY = relax.ObjectType()
"""The type that a template has instead of the true ones."""


LOOP_NEST = "relax.call_tir"
"""The operator that calls a loop nest of the module."""

IN_PLACE = ("relax.call_inplace_packed", "relax.call_tir_inplace")
"""Operators that write into their arguments, although TVM calls them pure."""

Function = Callable[[Any], Any]
"""Gives the function of a module that a GlobalVar names."""


def read_opaque(
    call: Any, read: Callable[[Any], Expr], resolve: Callable[[Any], Any], function: Function
) -> Call:
    """Return the opaque GSL call of a Relax call; the arguments are those of `read_operator`.

    Raises UnsupportedError for a call with effects, with a result that is not made of tensors of
    known sizes, or with an argument that is neither an expression, a constant nor a loop nest.
    """
    name = call.op.name
    if not call.op.get_attr("FPurity") or name in IN_PLACE:
        raise UnsupportedError(f"{name} has effects, which a graph cannot order")
    operands: list[Expr] = []
    arguments, given = [], list(call.args)
    if name == LOOP_NEST:
        callee = given.pop(0)
        arguments.append(_loop_nest(callee, function))
        name = f"{name}.{callee.name_hint}"
    arguments += [_argument(value, read, resolve, operands) for value in given]
    result = from_relax_type(call.ty)
    template = tvm.ir.Call(call.op, arguments, call.attrs, call.ty_args, ret_ty=ANY)
    attributes = {"payload": tvm.ir.save_json(template), "result": type_to_plain(result)}
    return Call(lookup(name), operands, attributes)


def _loop_nest(callee: Any, function: Function) -> Any:
    """Return the loop nest that a GlobalVar names, without a name of its own."""
    found = function(callee)
    if not isinstance(found, tvm.tirx.PrimFunc):
        raise UnsupportedError(f"`{callee.name_hint}` is no loop nest")
    nodes = json.loads(tvm.ir.save_json(found))["nodes"]
    if any(node["type"] == "ir.GlobalVar" for node in nodes):
        raise UnsupportedError(f"`{callee.name_hint}` calls other functions of the module")
    return found.without_attr("global_symbol")


def _argument(
    value: Any, read: Callable[[Any], Expr], resolve: Callable[[Any], Any], operands: list[Expr]
) -> Any:
    """Return what stands for an argument in the template; append it to `operands` if it is one."""
    try:
        operands.append(read(value))
    except GslError:
        constant = resolve(value)
        if not isinstance(constant, relax.ExternFunc):
            _check_constant(constant)
        return constant
    return relax.Var(str(len(operands) - 1), ANY)


def _check_constant(value: Any) -> None:
    if isinstance(value, relax.GlobalVar):
        raise UnsupportedError(f"it calls `{value.name_hint}`, a function of the module")
    if isinstance(value, relax.Var) and not tvm.ir.is_prim_expr(value):
        raise UnsupportedError(f"nothing before it binds `{value.name}`")
    plain(value)


def write_opaque(builder: Any, call: Call, operands: Sequence[Any]) -> Any:
    """Return the Relax call of an opaque GSL call over Relax operands, its type to be inferred.

    A loop nest that it calls is added to the module, once for all calls of equal ones. Raises
    BackendError when its operator is not one of Relax or its payload is not a Relax call.
    """
    template = _template(call)
    hint = call.operator.name.removeprefix(f"{LOOP_NEST}.")

    def argument(given: Any) -> Any:
        if isinstance(given, tvm.tirx.PrimFunc):
            return builder.add_func(given, hint)
        return operands[int(given.name)] if isinstance(given, relax.Var) else given

    arguments = list(map(argument, template.args))
    return tvm.ir.Call(template.op, arguments, template.attrs, template.ty_args)


def _template(call: Call) -> Any:
    assert isinstance(call.operator, OpaqueOperator)
    template = _restored(str(call.attributes["payload"]))
    named = getattr(getattr(template, "op", None), "name", None)
    own = call.operator.name
    if not (own.startswith(f"{LOOP_NEST}.") if named == LOOP_NEST else own == named):
        raise BackendError(f"the payload of {call.operator} is not a Relax call of it")
    return template


@lru_cache(maxsize=4096)
def _restored(payload: str) -> Any:
    try:
        return tvm.ir.load_json(payload)
    except Exception as error:
        raise BackendError(f"a payload is not Relax: {reason(error)}") from error
