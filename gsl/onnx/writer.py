"""Workloads as ONNX models."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from gsl.errors import GslError, MisuseError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.onnx import rows
from gsl.onnx.biases import biased
from gsl.onnx.emitter import Emitter, Value, initializer, type_of
from gsl.onnx.errors import NotWritableError
from gsl.onnx.opaque import PREFIX, is_alike, restored, write_opaque
from gsl.onnx.saving import message, save
from gsl.onnx.table import OLDEST, writer_of
from gsl.operators.declaration import OpaqueOperator
from gsl.types import TensorType
from gsl.workload import Workload

USUAL = 27
"""The opset that models are written in unless another is asked for.

It is the newest of which onnxruntime 1.32 has as much as of older ones: of 28 it lacks
QuantizeLinear.
"""

NEWEST = onnx.defs.onnx_opset_version()

MOST_BYTES = 2**31 - 2**20
"""What fits into one file: a message of protocol buffers has less than 2 GiB."""

assert rows.__all__  # importing them has filled the table


def to_onnx(
    workload: Workload, path: str | os.PathLike[str] | None = None, opset: int | None = None
) -> onnx.ModelProto | None:
    """Return a workload as an ONNX model, or write it to a file.

    Names of inputs, parameters and outputs stay; a parameter is an initializer. The checker of
    ONNX has accepted what is returned or written, with all its inferred types.

    Args:
        workload: its outputs are tensors.
        path: where to write the model. From 2 GiB on, the elements of its parameters are in a file
            beside it, of the same name with `.data` behind it.
        opset: the version of the operators, by default 27, or that of operators of ONNX which the
            workload carries without understanding them.

    Raises NotWritableError for what ONNX has no operator or no dtype for, naming the call, for more
    than 2 GiB without a path and for an opset that is not supported, and OSError.
    """
    chosen = _usual(workload) if opset is None else opset
    require_opset(chosen)
    model = _Writing(workload, chosen).model()
    if path is not None:
        save(model, Path(path), size_of(workload) > MOST_BYTES)
        return None
    if size_of(workload) > MOST_BYTES:
        raise NotWritableError("the model has more than 2 GiB; give a path to write it to")
    return message(model)


def require_opset(opset: int) -> None:
    """Raise NotWritableError for an opset that is not written, MisuseError for what is none."""
    if not isinstance(opset, int) or isinstance(opset, bool):
        raise MisuseError(f"an opset is a whole number, not {opset!r}")
    if not OLDEST <= opset <= NEWEST:
        raise NotWritableError(f"opset {opset} is not one of {OLDEST} to {NEWEST}")


def size_of(workload: Workload) -> int:
    """Return the number of bytes of parameters and constants."""
    constants = [expr.value for expr in workload.order if isinstance(expr, Const)]
    return sum(int(array.nbytes) for array in (*workload.parameters.values(), *constants))


def _usual(workload: Workload) -> int:
    """Return an opset in which operators of ONNX that a workload carries are what they were."""
    carried = [
        restored(expr)[1]
        for expr in workload.order
        if isinstance(expr, Call)
        and expr.operator.name.startswith(PREFIX)
        and not is_alike(expr, USUAL)
    ]
    return min(NEWEST, max(OLDEST, *carried)) if carried else USUAL


class _Writing:
    """One workload on its way into an ONNX model."""

    def __init__(self, workload: Workload, opset: int) -> None:
        self._workload = workload
        self._names = workload.output_names
        variables = [variable.name for variable in workload.variables]
        self._out = Emitter(opset, [*variables, *self._names])
        self._values: dict[Expr, Any] = {}
        self._biased = biased(workload)
        self._parameters: list[Value] = []

    def model(self) -> ir.Model:
        inputs = [self._input(variable) for variable in self._workload.inputs]
        within = set(self._biased.values())
        for expr in self._workload.order:
            if expr not in self._values and expr not in within:
                self._values[expr] = self._value(expr)
        outputs = self._outputs()
        out = self._out
        graph = ir.Graph(
            inputs,
            outputs,
            nodes=out.nodes,
            initializers=[*self._parameters, *out.constants],
            opset_imports={"": out.opset, **out.domains},
            name="gsl",
        )
        version = onnx.helper.find_min_ir_version_for(
            [onnx.helper.make_opsetid("", out.opset)], ignore_unknown=True
        )
        return ir.Model(
            graph, ir_version=version, producer_name="gsl", functions=list(out.functions.values())
        )

    def _input(self, variable: Var) -> Value:
        self._values[variable] = _declared(variable.name, variable.tensor_type)
        value: Value = self._values[variable]
        return value

    def _value(self, expr: Expr) -> Any:
        product = self._biased.get(expr)
        if product is not None:
            both = (*product.operands, expr.operands[1])
            return self._written(product, [self._values[operand] for operand in both])
        operands = [self._values[operand] for operand in expr.operands]
        match expr:
            case Var(name=name):
                array = np.asarray(self._workload.parameters[name])
                self._parameters.append(initializer(name, np.asarray(array, order="C")))
                return self._parameters[-1]
            case Const(value=np.ndarray() as array):
                return self._out.constant(array)
            case Tuple():
                return operands
            case Proj(index=index):
                return operands[0][index]
            case Call():
                return self._written(expr, operands)
            case _:
                raise NotWritableError(f"ONNX has nothing for {expr!r}")

    def _written(self, call: Call, operands: list[Any]) -> Any:
        try:
            if isinstance(call.operator, OpaqueOperator):
                made = write_opaque(self._out, call, operands)
            else:
                row = writer_of(call.operator.name, self._out.opset)
                if row is None:
                    raise NotWritableError(f"there is no row for it in opset {self._out.opset}")
                made = row(self._out, call, *operands)
        except GslError as error:
            types = ", ".join(str(operand.type) for operand in call.operands)
            raise NotWritableError(
                f"{call.operator} of {types} cannot be written: {error}"
            ) from error
        _describe(made, call.type)
        return made

    def _outputs(self) -> list[Value]:
        found: list[Value] = []
        for name, expr in zip(self._names, self._workload.outputs, strict=True):
            if not isinstance(expr.type, TensorType):
                raise NotWritableError(f"output `{name}` is a tuple; a model returns tensors")
            value: Value = self._values[expr]
            if value.name != name:
                if value.producer() is None or value in found:
                    value = self._out.node("Identity", value, dtype=expr.dtype)
                value.name = name
            _describe(value, expr.type)
            found.append(value)
        return found


def _declared(name: str, kind: TensorType) -> Value:
    return Value(name=name, type=ir.TensorType(type_of(kind.dtype)), shape=ir.Shape(kind.shape))


def _describe(made: Any, kind: Any) -> None:
    """Note types next to values, for those who read the model and for the checker."""
    if isinstance(kind, TensorType):
        if made.shape is None:
            made.shape = ir.Shape(kind.shape)
        return
    pairs: Iterable[tuple[Any, Any]] = zip(made, kind.fields, strict=True)
    for value, field in pairs:
        _describe(value, field)
