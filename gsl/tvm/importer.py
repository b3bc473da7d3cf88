"""Read Relax functions as GSL workloads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np
import tvm
from tvm import relax

from gsl.errors import GslError, MisuseError, ModelError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.operators.declaration import lookup
from gsl.tvm.composed import read_composed
from gsl.tvm.errors import TypeMismatchError, UnsupportedError, reason
from gsl.tvm.opaque import read_opaque
from gsl.tvm.plain import plain
from gsl.tvm.relax_types import from_relax_type
from gsl.tvm.twins import read_operator
from gsl.types import TensorType
from gsl.workload import Workload

OPERATOR = "gsl.operator"
"""Attribute of a function that stands for a GSL operator: the name of the operator."""

ATTRIBUTES = "gsl.attributes"
"""Attribute of such a function: the canonical attributes of the operator as JSON."""

Parameters = Mapping[str, Any] | Sequence[Any]


def from_relax(module: Any, params: Parameters | None = None, function: str = "main") -> Workload:
    """Return the workload that a Relax function computes.

    Args:
        module: an IRModule; tensors need static shapes, control flow is not supported.
        params: arrays of the model parameters, by name or, as a sequence, for the parameters of
            the function after the first `num_input`; all other parameters become inputs.
        function: the name of the function.

    A function that returns a tuple has several outputs, unless its attribute `num_output` says
    that the tuple is one. Raises UnsupportedError, naming function, binding and operator, for what
    GSL cannot express, TypeMismatchError when GSL infers another type than the module says,
    ModelError when TVM finds none, and MisuseError for what is no module and for parameters of
    another kind.
    """
    if not isinstance(module, tvm.IRModule):
        raise MisuseError(f"a workload is read from an IRModule, not from {module!r}")
    if not isinstance(params, Mapping | Sequence | None):
        raise MisuseError(f"parameters are arrays by name or a list of arrays, not {params!r}")
    normal = _normal(module)
    body = _function(normal, function)
    reader = _Reader(normal, function)
    variables = reader.read_parameters(body.params)
    reader.read_bindings(body.body)
    outputs = _outputs(body, reader.read_result(body.body.body))
    return Workload(outputs, _by_name(params, body, variables), variables)


def _normal(module: Any) -> Any:
    """Return a module in A-normal form, with types."""
    try:
        return relax.transform.Normalize()(module)
    except Exception as error:
        place = _place_of(module, str(error))
        raise ModelError(f"TVM cannot read the Relax module: {place}{reason(error)}") from error


def _place_of(module: Any, message: str) -> str:
    """Return the function and the binding that a message of TVM is about, if it tells them."""
    refused = [v.name_hint for v, f in module.functions.items() if not _is_normalised(v, f)]
    if len(refused) != 1:
        return ""
    place = f"function `{refused[0]}`"
    path = re.search(r"blocks\[(\d+)\]\.bindings\[(\d+)\]", message)
    if path is None:
        return f"{place}: "
    block, number = map(int, path.groups())
    name = module[refused[0]].body.blocks[block].bindings[number].var.name
    return f"{place}, binding {number} of block {block}, `{name}`: "


def _is_normalised(variable: Any, function: Any) -> bool:
    """Tell whether TVM can normalise a function that is alone in a module."""
    try:
        relax.transform.Normalize()(tvm.IRModule({variable: function}))
    except Exception:
        return False
    return True


def _function(module: Any, name: str) -> Any:
    functions = {v.name_hint: f for v, f in module.functions.items()}
    if not isinstance(functions.get(name), relax.Function):
        raise UnsupportedError(f"the module has no Relax function `{name}`")
    return functions[name]


def _attribute(function: Any, name: str, default: int) -> int:
    attributes = function.attrs
    return default if attributes is None else int(attributes.get(name, default))


def _outputs(function: Any, result: Expr) -> Sequence[Expr]:
    unpack = _attribute(function, "num_output", 0) != 1 and isinstance(result, Tuple)
    return result.operands if unpack else (result,)


def _by_name(params: Parameters | None, function: Any, variables: Sequence[Var]) -> dict[str, Any]:
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        first = _attribute(function, "num_input", len(variables) - len(params))
        names = [variable.name for variable in variables[first:]]
        if len(names) != len(params):
            raise UnsupportedError(f"{len(params)} arrays for {len(names)} parameters")
        params = dict(zip(names, params, strict=True))
    return {name: v.numpy() if hasattr(v, "numpy") else v for name, v in params.items()}


class _Reader:
    """The expressions that the variables of a Relax function stand for."""

    def __init__(self, module: Any, function: str) -> None:
        self._module = module
        self._function = function
        self._known: dict[Any, Expr] = {}
        self._constants: dict[Any, Const] = {}
        self._shapes: dict[Any, Any] = {}

    def read_parameters(self, parameters: Sequence[Any]) -> list[Var]:
        variables: list[Var] = []
        taken: set[str] = set()
        for parameter in parameters:
            name = _fresh(parameter.name, taken)
            try:
                variables.append(_variable(name, parameter.ty))
            except GslError as error:
                raise self._placed(f"parameter `{name}`", error) from error
            self._known[parameter] = variables[-1]
        return variables

    def _placed(self, place: str, error: GslError) -> GslError:
        """Return an error that names its place."""
        kind = TypeMismatchError if isinstance(error, TypeMismatchError) else UnsupportedError
        return kind(f"function `{self._function}`, {place}: {error}")

    def read_bindings(self, sequence: Any) -> None:
        for block_number, block in enumerate(sequence.blocks):
            for number, binding in enumerate(block.bindings):
                self._read_binding(binding, f"binding {number} of block {block_number}")

    def _read_binding(self, binding: Any, position: str) -> None:
        variable, value = binding.var, binding.value
        shape = _known_shape(variable, value)
        if shape is not None:
            self._shapes[variable] = shape
            return
        try:
            expr = self._expression(value)
            _check_type(variable, expr)
        except GslError as error:
            place = f"{position}, `{variable.name}` = {_head(value)}"
            raise self._placed(place, error) from error
        self._known[variable] = expr

    def read_result(self, value: Any) -> Expr:
        try:
            return self.read(value)
        except GslError as error:
            raise self._placed("its result", error) from error

    def _expression(self, value: Any) -> Expr:
        if isinstance(value, relax.TupleGetItem):
            return Proj(self.read(value.tuple_value), int(value.index))
        if not isinstance(value, relax.Call):
            return self.read(value)
        if isinstance(value.op, tvm.ir.Op):
            return self._operator_call(value)
        if isinstance(value.op, relax.GlobalVar):
            operands = [self.read(argument) for argument in value.args]
            composite = _composite(self._module[value.op], operands)
            if composite is not None:
                return composite
        raise UnsupportedError("only operators and composites written by GSL can be called")

    def _operator_call(self, value: Any) -> Expr:
        known = self._known_number(value)
        if known is not None:
            return known
        try:
            composed = read_composed(value, self.read)
            return composed or read_operator(value, self.read, self._argument)
        except GslError:
            # Unknown to GSL, or known but not in this form: it passes through untouched.
            return read_opaque(value, self.read, self._argument, self._module.__getitem__)

    def _known_number(self, value: Any) -> Const | None:
        """Return the constant that a call is when it asks for sizes that are known.

        TVM's importer of ONNX writes such calls for indices, which may count from the end.
        """
        if value.op.name == "relax.shape_to_tensor":
            shape = self._argument(value.args[0])
            is_known = isinstance(shape, relax.ShapeExpr) and _is_known(shape)
            return Const(np.array(plain(shape), "int64")) if is_known else None
        if value.op.name == "relax.take" and str(value.attrs.mode) == "wrap":
            data, index = (self._constant(argument) for argument in value.args)
            if data is not None and index is not None:
                axis = value.attrs.axis
                taken = np.take(data.value, index.value, axis and int(axis), mode="wrap")
                return Const(np.asarray(taken))
        return None

    def _constant(self, value: Any) -> Const | None:
        if isinstance(value, relax.Var):
            known = self._known.get(value)
        else:
            known = self.read(value) if isinstance(value, tvm.ir.GenericConst) else None
        return known if isinstance(known, Const) else None

    def read(self, value: Any) -> Expr:
        """Return the expression of a variable, a constant or a tuple of such."""
        if isinstance(value, relax.Tuple):
            return Tuple([self.read(field) for field in value.fields])
        if isinstance(value, tvm.ir.GenericConst):
            if value not in self._constants:
                self._constants[value] = Const(value.value.numpy())
            return self._constants[value]
        if isinstance(value, relax.Var) and value in self._known:
            return self._known[value]
        if isinstance(value, relax.Var) and not tvm.ir.is_prim_expr(value):
            unbound = f"nothing before it binds `{value.name}`"
            shape = f"GSL has no expression for the shape `{value.name}`"
            raise UnsupportedError(shape if value in self._shapes else unbound)
        raise UnsupportedError(f"GSL has no expression for {_head(value)}")

    def _argument(self, value: Any) -> Any:
        """Return what a variable in the place of an attribute is bound to."""
        if isinstance(value, relax.Var):
            known = self._known.get(value)
            return known.value.item() if _is_scalar(known) else self._shapes.get(value, value)
        return value


def _known_shape(variable: Any, value: Any) -> Any:
    """Return the shape that a variable is bound to, None unless its sizes are known."""
    if isinstance(value, relax.ShapeExpr):
        return value
    operator = value.op if isinstance(value, relax.Call) else None
    if not isinstance(operator, tvm.ir.Op) or operator.name != "relax.shape_of":
        return None
    sizes = getattr(variable.ty, "values", None)
    shape = None if sizes is None else relax.ShapeExpr(list(sizes))
    return shape if shape is not None and _is_known(shape) else None


def _is_known(shape: Any) -> bool:
    return all(isinstance(size, tvm.tirx.IntImm) for size in shape.values)


def _composite(function: Any, operands: list[Expr]) -> Call | None:
    """Return the GSL call that a function stands for, or None when it is an ordinary one."""
    marks = function.attrs
    if marks is None or OPERATOR not in marks:
        return None
    attributes = json.loads(marks[ATTRIBUTES])
    written = {name: _tuples(value) for name, value in attributes.items()}
    return Call(lookup(str(marks[OPERATOR])), operands, written)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _is_scalar(expr: Expr | None) -> TypeGuard[Const]:
    return isinstance(expr, Const) and expr.value.ndim == 0


def _fresh(name: str, taken: set[str]) -> str:
    candidate, count = name, 0
    while candidate in taken:
        count += 1
        candidate = f"{name}_{count}"
    taken.add(candidate)
    return candidate


def _variable(name: str, annotation: Any) -> Var:
    known = from_relax_type(annotation)
    if not isinstance(known, TensorType):
        raise UnsupportedError("GSL has no variables of tuple type")
    return Var(name, known.shape, known.dtype)


def _check_type(variable: Any, expr: Expr) -> None:
    try:
        written = from_relax_type(variable.ty)
    except UnsupportedError:  # the module knows less than we do
        return
    if written != expr.type:
        raise TypeMismatchError(
            f"`{variable.name}` has type {written} in Relax, {expr.type} in GSL"
        )


def _head(value: Any) -> str:
    if isinstance(value, relax.Call):
        operator = value.op
        return str(getattr(operator, "name", None) or getattr(operator, "name_hint", operator))
    return type(value).__name__ if not isinstance(value, relax.Var) else str(value.name)
