"""Nodes of an ONNX graph under construction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from gsl.numpy_dtypes import kind_of
from gsl.onnx.errors import NotWritableError

Value = ir.Value

WIDER = {
    "int8": ("int32", "int64"),
    "uint8": ("int32", "int64"),
    "int16": ("int32", "int64"),
    "uint16": ("int32", "int64"),
    "int32": ("int64",),
    "bool": ("uint8", "int32"),
    "float16": ("float32", "float64"),
    "bfloat16": ("float32",),
    "float32": ("float64",),
}
"""Dtypes that hold all numbers of another, in which an operator without it may compute.

Integers wrap when they are converted back, so sums and products come out as in the narrow dtype.
"""


FIRST = {"f": "float32", "i": "int8", "u": "uint8"}
"""For each kind of number a dtype that every opset has and that holds those of newer dtypes."""


def type_of(dtype: str) -> ir.DataType:
    """Return what ONNX calls a dtype."""
    return ir.DataType.from_numpy(np.dtype(dtype))


def dtype_of(value: Value) -> str:
    """Return the dtype of a value that an `Emitter` has made."""
    assert value.dtype is not None
    return str(value.dtype.numpy().name)


@lru_cache(maxsize=4096)
def schema_of(name: str, opset: int, domain: str = "") -> Any:
    """Return what ONNX says about an operator; raise NotWritableError when it does not exist."""
    try:
        return onnx.defs.get_schema(name, opset, domain)
    except onnx.defs.SchemaError as error:
        raise NotWritableError(f"opset {opset} of ONNX has no {name}") from error


@lru_cache(maxsize=4096)
def _allowed(name: str, opset: int, variable: str) -> frozenset[str]:
    """Return the types, such as "tensor(float)", that a type variable of an operator stands for."""
    constraints = schema_of(name, opset).type_constraints
    found = [one.allowed_type_strs for one in constraints if one.type_param_str == variable]
    return frozenset(kind for allowed in found for kind in allowed)


@lru_cache(maxsize=64)
def _onnx_name(dtype: str) -> str:
    name = {"float32": "float", "float64": "double"}.get(dtype, dtype)
    return f"tensor({name.replace('float8_', 'float8')})"


class Emitter:
    """Collects the nodes and constants of one graph.

    Args:
        opset: the version of the operators of ONNX.
        taken: names that no value may get.
    """

    def __init__(self, opset: int, taken: Iterable[str] = ()) -> None:
        self.opset = opset
        self.nodes: list[ir.Node] = []
        self.constants: list[Value] = []
        self.domains: dict[str, int] = {}
        self.functions: dict[str, ir.Function] = {}
        self._known: dict[tuple[Any, ...], Value] = {}
        self._taken = set(taken)
        self._counts: Counter[str] = Counter()

    def name(self, stem: str) -> str:
        """Return a name that no value has."""
        name = f"{stem}_{self._counts[stem]}"
        while name in self._taken:
            self._counts[stem] += 1
            name = f"{stem}_{self._counts[stem]}"
        self._taken.add(name)
        return name

    def constant(self, array: Any, dtype: str | None = None) -> Value:
        """Return an initializer with the elements of an array, one for all that are alike."""
        given = np.ascontiguousarray(np.asarray(array, dtype)).reshape(np.shape(array))
        key = (given.dtype.name, given.shape, given.tobytes())
        if key not in self._known:
            self._known[key] = initializer(self.name("constant"), given)
            self.constants.append(self._known[key])
        return self._known[key]

    def integers(self, values: Iterable[Any]) -> Value:
        """Return an initializer with a list of sizes, axes or positions."""
        return self.constant(np.array(list(values), np.int64))

    def node(
        self,
        name: str,
        *inputs: Value | None,
        results: int = 1,
        dtype: str | None = None,
        **attributes: Any,
    ) -> Any:
        """Add a node of an operator of ONNX and return its result, a list of several.

        Where the operator is not defined for a dtype it computes in a wider one. `dtype` is that
        of the results where it does not follow from the inputs. Raises NotWritableError where
        there is no operator or no such dtype.
        """
        schema, bound, wide = schema_of(name, self.opset), {}, {}
        for variable, value in _typed(schema, inputs):
            bound[variable] = dtype_of(value)
            wide[variable] = self._computed_in(name, variable, bound[variable])
        widened = dict(_typed_pairs(schema, inputs))
        given = [
            None if value is None else self.cast(value, wide.get(widened[place], dtype_of(value)))
            for place, value in enumerate(inputs)
        ]
        made = self._made(name, given, results, attributes)
        for value, formal in zip(made, _formals(schema.outputs, len(made)), strict=True):
            kind = dtype or wide.get(formal.type_str) or self._concrete(name, formal.type_str)
            value.type = ir.TensorType(type_of(kind))
        final = [
            self.cast(value, dtype or bound.get(formal.type_str, dtype_of(value)))
            for value, formal in zip(made, _formals(schema.outputs, len(made)), strict=True)
        ]
        return final[0] if results == 1 else final

    def function(
        self,
        text: str,
        domain: str,
        inputs: Sequence[Value | None],
        dtypes: Sequence[str | None],
        **attributes: Any,
    ) -> list[Value]:
        """Add a call of a function and return its results; a dtype may be left open.

        The text is what `onnx.parser` reads, in ONNX's own operators of the opset; the model gets
        one function of it.
        """
        if text not in self.functions:
            self.functions[text] = _parsed(text, domain, self.opset)
            self.domains[domain] = 1
        name = self.functions[text].name
        outputs = [Value(name=self.name(name)) for _ in dtypes]
        for value, dtype in zip(outputs, dtypes, strict=True):
            value.type = None if dtype is None else ir.TensorType(type_of(dtype))
        self.nodes.append(ir.node(name, inputs, attributes, domain=domain, outputs=outputs))
        return outputs

    def _computed_in(self, name: str, variable: str, dtype: str) -> str:
        allowed = _allowed(name, self.opset, variable)
        if not allowed:
            return dtype
        for one in (dtype, *WIDER.get(dtype, ())):
            if _onnx_name(one) in allowed:
                return one
        raise NotWritableError(f"{name} of ONNX opset {self.opset} is not defined for {dtype}")

    def _concrete(self, name: str, type_string: str) -> str:
        """Return the dtype of a type that is always the same, such as "tensor(int64)"."""
        (kind,) = _allowed(name, self.opset, type_string) or (type_string,)
        plain = kind.removeprefix("tensor(").removesuffix(")")
        return {"float": "float32", "double": "float64"}.get(plain, plain)

    def _made(
        self, name: str, inputs: Sequence[Value | None], results: int, attributes: dict[str, Any]
    ) -> Sequence[Value]:
        outputs = [Value(name=self.name(name)) for _ in range(results)]
        node = ir.node(name, inputs, attributes, outputs=outputs)
        self.nodes.append(node)
        return node.outputs

    def cast(self, value: Value, dtype: str) -> Value:
        """Return a value as elements of a dtype."""
        if dtype_of(value) == dtype:
            return value
        (result,) = self._made("Cast", [value], 1, {"to": int(type_of(dtype))})
        result.type = ir.TensorType(type_of(dtype))
        return result

    def reshape(self, value: Value, shape: Sequence[int]) -> Value:
        """Return the elements of a value in another shape."""
        if 0 in shape:
            return self.filled(shape, 0, dtype_of(value))
        result: Value = self.node("Reshape", value, self.integers(shape))
        return result

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        """Return a value with its axes in another order."""
        if list(order) == sorted(order):
            return value
        result: Value = self.node("Transpose", value, perm=list(order))
        return result

    def unsqueeze(self, value: Value, axes: Sequence[int]) -> Value:
        """Return a value with new axes of size 1, counted in the result."""
        result: Value = self.node("Unsqueeze", value, self.integers(axes)) if axes else value
        return result

    def slice(self, value: Value, axis: int, begin: int, end: int, stride: int = 1) -> Value:
        """Return a part of a value along one axis, as a slice of Python takes it."""
        numbers = map(self.integers, ([begin], [end], [axis], [stride]))
        result: Value = self.node("Slice", value, *numbers)
        return result

    def filled(self, shape: Sequence[int], value: Any, dtype: str) -> Value:
        """Return a tensor of one repeated number."""
        with np.errstate(over="ignore"):
            element = np.asarray([value]).astype(dtype)
        if not shape:
            return self.constant(element[0])
        if _onnx_name(dtype) not in _allowed("ConstantOfShape", self.opset, "T2"):
            return self.cast(self.filled(shape, element[0], FIRST[kind_of(element.dtype)]), dtype)
        result: Value = self.node(
            "ConstantOfShape", self.integers(shape), dtype=dtype, value=ir.tensor(element)
        )
        return result

    def number(self, value: Any, like: Value | str) -> Value:
        """Return a constant of rank 0 in the dtype of a value."""
        with np.errstate(over="ignore"):
            dtype = like if isinstance(like, str) else dtype_of(like)
            return self.constant(np.asarray(value).astype(dtype))

    def reduce(self, name: str, value: Value, axes: Sequence[int], keepdims: bool) -> Value:
        """Return a reduction along axes, which are an input of newer operators."""
        if not axes:
            return value
        listed = list(axes)
        as_input = self.opset >= 18 or name == "ReduceSum"
        result: Value = (
            self.node(name, value, self.integers(listed), keepdims=int(keepdims))
            if as_input
            else self.node(name, value, axes=listed, keepdims=int(keepdims))
        )
        return result


def _parsed(text: str, domain: str, opset: int) -> ir.Function:
    header = f'<domain: "{domain}", opset_import: ["" : {opset}]>'
    return ir.serde.deserialize_function(onnx.parser.parse_function(f"{header} {text}"))


def initializer(name: str, array: Any) -> Value:
    """Return a value with known elements."""
    tensor = ir.tensor(array, name=name)
    return Value(
        name=name, type=ir.TensorType(tensor.dtype), shape=ir.Shape(array.shape), const_value=tensor
    )


def _formals(declared: Sequence[Any], count: int) -> list[Any]:
    """Return what an operator declares about each of its inputs or outputs; the last may repeat."""
    return [declared[min(place, len(declared) - 1)] for place in range(count)]


def _typed_pairs(schema: Any, inputs: Sequence[Value | None]) -> list[tuple[int, str]]:
    formals = _formals(schema.inputs, len(inputs))
    return [(place, formal.type_str) for place, formal in enumerate(formals)]


def _typed(schema: Any, inputs: Sequence[Value | None]) -> list[tuple[str, Value]]:
    """Return the type variables of the inputs with a value that each stands for, the last one."""
    formals = _formals(schema.inputs, len(inputs))
    pairs = zip(formals, inputs, strict=True)
    return [(formal.type_str, value) for formal, value in pairs if value is not None]
