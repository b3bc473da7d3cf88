"""Attributes of Relax calls as plain Python values."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache, reduce
from typing import Any

import tvm
import tvm_ffi
from tvm import relax

from gsl.tvm.errors import UnsupportedError


def relax_twin(relax_name: str) -> Any:
    """Return the function ``relax.op.<relax_name>``."""
    return reduce(getattr, relax_name.split("."), relax.op)


def plain(value: Any) -> Any:
    """Return a number, text, dtype name, None or a tuple of those; raise UnsupportedError.

    Relax writes attributes in many ways: as Python values, as immediates, shapes, tuples of
    immediates, or as constant tensors such as the `fill_value` of ``full``.
    """
    match value:
        case None | bool() | int() | float():
            return value
        case str():  # also the dtypes, which are a subclass of str
            return str(value)
        case tvm.tirx.IntImm():
            return bool(value.value) if str(value.ty.dtype) == "bool" else int(value.value)
        case tvm.tirx.FloatImm():
            return float(value.value)
        case tvm.ir.StringImm():
            return str(value.value)
        case relax.ShapeExpr():
            return tuple(map(plain, value.values))
        case relax.Tuple():
            return tuple(map(plain, value.fields))
        case tvm_ffi.Array() | tuple() | list():
            return tuple(map(plain, value))
        case tvm.ir.GenericConst() if not value.ty.shape:
            return value.value.numpy().item()
        case _:
            raise UnsupportedError(f"{value} is not a constant attribute")


def positional_arguments(call: Any, relax_name: str) -> dict[str, Any]:
    """Return the arguments of a call by the parameter names of ``relax.op.<relax_name>``.

    All builders take the arguments of the call they make first and in order (checked for the 168
    operators of TVM 0.27); some arguments are attributes by nature, such as the shape of reshape.
    """
    return dict(zip(_parameters(relax_name), call.args, strict=False))


def keyword_attributes(call: Any) -> dict[str, Any]:
    """Return the attributes that a call keeps apart from its arguments, by name."""
    if call.attrs is None:
        return {}
    fields = type(call.attrs).__tvm_ffi_type_info__.fields
    return {field.name: getattr(call.attrs, field.name) for field in fields}


def builder_defaults(relax_name: str) -> dict[str, Any]:
    """Return the defaults of ``relax.op.<relax_name>`` by parameter name."""
    parameters = _parameters(relax_name).values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


@cache
def _parameters(relax_name: str) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(relax_twin(relax_name)).parameters
