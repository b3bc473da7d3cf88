"""Kernels: single operators compiled once for many sizes, from which graphs are put together.

TVM compiles no kernel faster than in about 15 ms, and generated graphs hardly ever repeat. Their
operators do: a kernel takes any sizes but those that decide about broadcasting or that the operator
relates otherwise than by equality, and one of an elementwise operator takes any rank. The default
pipeline of TVM fuses nothing, so a graph computes with the same kernels when it is compiled whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import tvm
from tvm import relax

from gsl.errors import GraphError, GslError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.operators.declaration import OpaqueOperator, tensors
from gsl.tvm import quick
from gsl.tvm.aligned import aligned
from gsl.tvm.direct import programs_of
from gsl.tvm.errors import BackendError, TypeMismatchError, reason
from gsl.tvm.forms import Form, Key, exact, general
from gsl.tvm.lower import describe, lower
from gsl.tvm.numbered import emit_numbered, numbered
from gsl.tvm.run import machine_of
from gsl.tvm.simpler import same_bytes
from gsl.tvm.tensors import passed, received
from gsl.types import TensorType, TupleType, Type

MOST_KERNELS = 4000
"""Kernels that are kept; more would only fill the memory."""


class Kernels:
    """The kernels of this process: `functions` by key, or why there is none."""

    def __init__(self) -> None:
        self.functions: dict[Key, Any] = {}
        self._forms: dict[Key, Form] = {}
        self._rigid: set[str] = set()
        """Operators that TVM did not compile for any sizes."""

    def prepare(self, graphs: Iterable[Sequence[Expr]]) -> None:
        """Compile what `graphs` need and this process does not have, all at once."""
        if len(self.functions) > MOST_KERNELS:
            self.functions.clear()
        wanted: dict[Key, list[Call]] = {}
        for outputs in graphs:
            for expr in reverse_post_order(outputs):
                if type(expr) is Call:
                    key = self._form(expr).key
                    if key is not None and key not in self.functions:
                        wanted.setdefault(key, []).append(expr)
        self._compile(list(wanted.items()))

    def run(self, outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> list[Any]:
        """Return the outputs of a prepared graph as `Executable.run` does.

        Raises BackendError when TVM refuses an operator, TypeMismatchError when a result of one
        has another type than declared.
        """
        values: dict[Expr, Any] = {}
        for expr in reverse_post_order(outputs):
            values[expr] = self._value(expr, [values[operand] for operand in expr.operands], inputs)
        return [_result(values[output], output.type) for output in outputs]

    def _value(self, expr: Expr, operands: list[Any], inputs: Mapping[str, Any]) -> Any:
        match expr:
            case Var(name=name):
                if name not in inputs:
                    raise GraphError(f"variable `{name}` has no value")
                return _checked(aligned(np.asarray(inputs[name])), expr.type, expr)
            case Const(value=value):
                return aligned(value)
            case Tuple():
                return tuple(operands)
            case Proj(index=index):
                return operands[0][index]
            case Call():
                return self._computed(expr, operands)
        raise BackendError(f"not a computation expression: {expr!r}")

    def _computed(self, call: Call, operands: list[Any]) -> Any:
        form = self._form(call)
        if form.key is None:
            return _array(operands[0]).reshape(tensors((call.type,))[0].shape)
        function = self.functions[form.key]
        if isinstance(function, Exception):
            raise function
        numbers = [tvm.runtime.ShapeTuple(form.numbers)] if form.codes else []
        if not form.is_simpler:
            return _checked(function(*operands, *numbers), call.type, call)
        pairs = zip(operands, form.call.operands, strict=True)
        given = [_same_bytes(value, operand.type) for value, operand in pairs]
        result = _checked(function(*given, *numbers), form.call.type, form.call)
        return _same_bytes(result, call.type)

    def key(self, call: Call) -> Key | None:
        """Return the key of the kernel that computes a call; None where there is none needed."""
        return self._form(call).key

    def _form(self, call: Call) -> Form:
        own = exact(call)
        known = self._forms.get(own)
        if known is None:
            rigid = isinstance(call.operator, OpaqueOperator) or own.operator in self._rigid
            known = self._forms[own] = Form(own, call) if rigid else general(call)
        return known

    def _compile(self, wanted: list[tuple[Key, list[Call]]]) -> None:
        """Compile kernels as one module; when that fails, halves of them."""
        modules: dict[str, tuple[Key, list[Call]]] = {}
        whole = tvm.IRModule({})
        for number, (key, calls) in enumerate(wanted):
            try:
                whole.update(_module(f"k{number}", key, self._form(calls[0])))
                modules[f"k{number}"] = key, calls
            except Exception as error:
                self._give_up(key, calls, error)
        if not modules:
            return
        try:
            functions = _compiled(whole)
        except BackendError as error:
            rest = list(modules.values())
            if len(rest) == 1:
                self._give_up(*rest[0], error)
            else:
                self._compile(rest[: len(rest) // 2])
                self._compile(rest[len(rest) // 2 :])
            return
        for name, (key, _) in modules.items():
            self.functions[key] = functions[name]

    def _give_up(self, key: Key, calls: list[Call], error: Exception) -> None:
        """Take kernels for these very sizes instead of one for any, or note that there is none."""
        if key == exact(calls[0]):
            self.functions[key] = error
            return
        self._rigid.add(key.operator)
        self._forms = {known: form for known, form in self._forms.items() if form.key != key}
        distinct = {exact(call): call for call in calls}
        self._compile([(own, [call]) for own, call in distinct.items()])


def _compiled(module: Any) -> dict[str, Any]:
    """Return what computes the functions of a module, by name; raise BackendError."""
    functions: dict[str, Any] = {}
    try:
        programs, rest = programs_of(module)
    except Exception as error:
        raise BackendError(reason(error)) from error
    if rest.functions:
        machine = machine_of(rest, pipeline=quick.PIPELINE)
        names = [
            variable.name_hint
            for variable, function in rest.functions.items()
            if isinstance(function, relax.Function)
        ]
        functions = {name: _taking_arrays(machine[name]) for name in names}
    return {**functions, **programs}


def _taking_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: function(*map(passed, given))


def _module(name: str, key: Key, form: Form) -> Any:
    """Return a module with a function of that name that computes a call for operands of a key."""
    call = form.call
    if isinstance(call.operator, OpaqueOperator):
        raise BackendError(f"{call.operator} is no operator of its own")
    sizes: dict[int, Any] = {}
    formals = [
        relax.Var(f"x{number}", _relax_type(given, sizes)) for number, given in enumerate(key.types)
    ]
    taken = {
        attribute: [_size(code, sizes) for code in codes] for attribute, codes in form.codes.items()
    }
    operands = list(formals)
    if taken:
        numbers = [one for many in taken.values() for one in many if isinstance(one, tvm.tirx.Var)]
        formals.append(relax.Var("numbers", relax.ShapeType(numbers)))
    builder = relax.BlockBuilder()
    with builder.function(name, formals):
        with builder.dataflow():
            try:
                attributes = {**call.attributes, **taken}
                if taken and numbered(call):
                    made = emit_numbered(builder, call.operator.name, name, operands, attributes)
                else:
                    made = lower(builder, call.operator, operands, attributes)
                result = builder.emit(made)
            except GslError:
                raise
            except Exception as error:
                raise BackendError(f"TVM refuses {describe(call)}: {reason(error)}") from error
            result = builder.emit_output(result)
        builder.emit_func_output(result)
    return builder.finalize()


def _relax_type(given: Type, sizes: dict[int, Any]) -> Any:
    if isinstance(given, TupleType):
        return relax.TupleType([_relax_type(field, sizes) for field in given.fields])
    return relax.TensorType([_size(size, sizes) for size in given.shape], given.dtype)


def _size(number: int, sizes: dict[int, Any]) -> Any:
    """Return a number, or for a negative one the variable that it stands for."""
    if number >= 0:
        return number
    if number not in sizes:
        sizes[number] = tvm.tirx.Var(f"n{-number}", "int64")
    return sizes[number]


def _result(value: Any, declared: Type) -> Any:
    if isinstance(declared, TupleType):
        pairs = zip(value, declared.fields, strict=True)
        return tuple(_result(part, its) for part, its in pairs)
    return np.array(_array(value))


def _checked(value: Any, declared: Type, expr: Expr) -> Any:
    """Return a value of TVM; raise TypeMismatchError unless it is of the declared type."""
    if isinstance(declared, TupleType):
        for part, its in zip(value, declared.fields, strict=True):
            _checked(part, its, expr)
        return value
    if tuple(value.shape) != declared.shape or _dtype_name(value.dtype) != declared.dtype:
        place = describe(expr) if isinstance(expr, Call) else f"input `{getattr(expr, 'name', '')}`"
        actual = TensorType(tuple(map(int, value.shape)), str(value.dtype))
        raise TypeMismatchError(f"{place} has type {declared}, TVM has {actual}")
    return value


_dtype_name = cache(str)
"""The names of dtypes; NumPy puts them together every time."""


def _array(value: Any) -> Any:
    """Return an aligned array; those that are arrays of NumPy by now are aligned already."""
    return value if isinstance(value, np.ndarray) else aligned(received(value))


def _same_bytes(value: Any, given: Type) -> Any:
    """Return arrays as those of another type of as many bytes."""
    if isinstance(given, TupleType):
        return tuple(_same_bytes(*pair) for pair in zip(value, given.fields, strict=True))
    return same_bytes(_array(value), given)
