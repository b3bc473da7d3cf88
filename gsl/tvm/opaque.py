"""Relax calls that GSL carries without understanding them, and back.

The payload of an opaque call is the Relax call itself as JSON, with variables named "0", "1", ...
in the place of what GSL has expressions for: operator, attributes, type arguments, shapes and
immediates among the arguments come back as they were. Types are left out, for GSL has them too.
"""

from __future__ import annotations

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


def read_opaque(call: Any, read: Callable[[Any], Expr], resolve: Callable[[Any], Any]) -> Call:
    """Return the opaque GSL call of a Relax call; the arguments are those of `read_operator`.

    Raises UnsupportedError for a call with effects, with a result that is not made of tensors of
    known sizes, or with an argument that is neither an expression nor a constant.
    """
    name = call.op.name
    if not call.op.get_attr("FPurity"):
        raise UnsupportedError(f"{name} has effects, which a graph cannot order")
    operands: list[Expr] = []
    arguments = [_argument(value, read, resolve, operands) for value in call.args]
    result = from_relax_type(call.ty)
    template = tvm.ir.Call(call.op, arguments, call.attrs, call.ty_args, ret_ty=ANY)
    attributes = {"payload": tvm.ir.save_json(template), "result": type_to_plain(result)}
    return Call(lookup(name), operands, attributes)


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
    plain(value)


def write_opaque(call: Call, operands: Sequence[Any]) -> Any:
    """Return the Relax call of an opaque GSL call over Relax operands, its type to be inferred.

    Raises BackendError when its operator is not one of Relax or its payload is not a Relax call.
    """
    template = _template(call)
    arguments = [
        operands[int(argument.name)] if isinstance(argument, relax.Var) else argument
        for argument in template.args
    ]
    return tvm.ir.Call(template.op, arguments, template.attrs, template.ty_args)


def _template(call: Call) -> Any:
    assert isinstance(call.operator, OpaqueOperator)
    template = _restored(str(call.attributes["payload"]))
    if getattr(getattr(template, "op", None), "name", None) != call.operator.name:
        raise BackendError(f"the payload of {call.operator} is not a Relax call of it")
    return template


@lru_cache(maxsize=4096)
def _restored(payload: str) -> Any:
    try:
        return tvm.ir.load_json(payload)
    except Exception as error:
        raise BackendError(f"a payload is not Relax: {reason(error)}") from error
