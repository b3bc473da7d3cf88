"""Kernels as tensor expressions of TVM: one stage for every statement and every reduction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

import numpy as np
import tvm
from tvm import te, tirx

from gsl.attr.term import Constant, Operation, Symbol, Term, bottom_up
from gsl.errors import KernelError
from gsl.kernel.domain import free_variables
from gsl.kernel.evaluate import index_value
from gsl.kernel.expression import (
    AnyExpression,
    Apply,
    Expression,
    Number,
    Read,
    Reduction,
    Select,
)
from gsl.kernel.run import sizes_of
from gsl.kernel.statement import DATA_TYPES, Kernel, Statement
from gsl.kernel.terms import lies_in
from gsl.tvm.aligned import aligned
from gsl.tvm.errors import BackendError, reason
from gsl.types import Int

BINARY: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "==": lambda a, b: tirx.EQ(a, b),
    "!=": lambda a, b: tirx.NE(a, b),
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "max": tirx.max,
    "min": tirx.min,
}

INDEX: Mapping[str, Callable[..., Any]] = {
    **BINARY,
    "//": te.floordiv,
    "%": te.floormod,
    "neg": lambda a: -a,
    "abs": te.abs,
    "and": tirx.all,
    "or": tirx.any,
    "not": tirx.Not,
    "cond": tirx.Select,
}

VALUE: Mapping[str, Callable[..., Any]] = {
    **BINARY,
    "/": lambda a, b: a / b,
    "//": lambda a, b: te.floor(a / b),
    "%": lambda a, b: a - b * te.floor(a / b),
    "neg": lambda a: -a,
    "pow": te.power,
    "round": te.nearbyint,
    "sigmoid": lambda a: 1.0 / (1.0 + te.exp(-a)),
    **{name: getattr(te, name) for name in ("abs", "floor", "ceil", "trunc", "exp", "log")},
    **{name: getattr(te, name) for name in ("sqrt", "erf", "sin", "cos", "tan")},
    **{name: getattr(te, name) for name in ("sinh", "cosh", "tanh", "asin", "acos", "atan")},
    **{name: getattr(te, name) for name in ("asinh", "acosh", "atanh")},
}

TRUTH: Mapping[str, Callable[..., Any]] = {"and": tirx.all, "or": tirx.any, "not": tirx.Not}
TRUE_OR_FALSE = frozenset(("==", "!=", "<", "<=", ">", ">=", *TRUTH))


_PRODUCT = te.comm_reducer(lambda a, b: a * b, lambda dtype: tirx.const(1, dtype), "product")

REDUCERS: Mapping[str, Callable[..., Any]] = {
    "sum": te.sum,
    "product": _PRODUCT,
    "max": te.max,
    "min": te.min,
}


def to_te(kernel: Kernel, sizes: Mapping[Symbol, int] | None = None) -> Any:
    """Return a function of TVM on buffers: the inputs of a kernel and then its outputs.

    `sizes` are values for all symbols of dimensions; a tensor without dimensions has one of size 1.
    Raises KernelError for a tensor without elements, which TVM does not have.
    """
    writer = _Writer(kernel, dict(sizes or {}))
    for name in kernel.inputs:
        shape = writer.shape(name)
        writer.tensors[name] = te.placeholder(shape, DATA_TYPES[kernel.data_type], name)
    for statement in kernel.statements:
        writer.statement(statement)
    arguments = [writer.tensors[name] for name in (*kernel.inputs, *kernel.outputs)]
    return te.create_prim_func(arguments).with_attr("global_symbol", "main")


def run_te(kernel: Kernel, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return an array for every output, computed on TVM in the data type of the kernel.

    The counterpart of `gsl.kernel.run.run`. Raises KernelError for inputs that do not fit and
    BackendError when TVM cannot compile or run it.
    """
    dtype = DATA_TYPES[kernel.data_type]
    arrays = {name: np.asarray(value, dtype) for name, value in inputs.items()}
    sizes = sizes_of(kernel, arrays)
    shapes = {
        name: tuple(int(index_value(dim, sizes)) for dim in kernel.shapes[name])
        for name in (*kernel.inputs, *kernel.outputs)
    }
    given = [aligned(arrays[name].reshape(shapes[name] or 1)) for name in kernel.inputs]
    results = [aligned(np.empty(shapes[name] or (1,), dtype)) for name in kernel.outputs]
    function = to_te(kernel, sizes)
    try:
        target = tvm.target.Target({"kind": "llvm", "opt-level": 0})
        compiled = tvm.compile(tvm.IRModule({"main": function}), target)
        compiled["main"](*map(tvm.runtime.from_dlpack, (*given, *results)))
    except Exception as error:
        raise BackendError(f"TVM cannot run `{kernel.name}`: {reason(error)}") from error
    pairs = zip(kernel.outputs, results, strict=True)
    return {name: result.reshape(shapes[name]) for name, result in pairs}


@dataclass(slots=True)
class _Writer:
    """The stages so far, extents of all symbols, and the variables of TVM for those in scope."""

    kernel: Kernel
    sizes: Mapping[Symbol, int]
    tensors: dict[str, Any] = field(default_factory=dict)
    extents: dict[Symbol, int] = field(default_factory=dict)
    variables: dict[Symbol, Any] = field(default_factory=dict)

    def extent(self, term: Int) -> int:
        return int(index_value(term, self.sizes))

    def shape(self, name: str) -> tuple[int, ...]:
        shape = tuple(self.extent(dim) for dim in self.kernel.shapes[name]) or (1,)
        if 0 in shape:
            raise KernelError(f"`{name}` has no elements, and TVM has no empty tensors")
        return shape

    def statement(self, statement: Statement) -> None:
        symbols = [symbol for symbol, _ in statement.indices]
        self.extents |= {symbol: self.extent(extent) for symbol, extent in statement.indices}
        self.tensors[statement.tensor] = self.stage(
            statement.tensor, symbols, lambda: self.value(statement.value)
        )

    def stage(self, name: str, symbols: list[Symbol], value: Callable[[], Any]) -> Any:
        """Return the tensor of a value for all values of some symbols."""

        def compute(*given: Any) -> Any:
            outer = self.variables
            self.variables = dict(zip(symbols, given, strict=bool(symbols)))
            found = value()
            self.variables = outer
            return found

        shape = tuple(self.extents[symbol] for symbol in symbols) or (1,)
        return te.compute(shape, lambda *given: compute(*given[: len(symbols)]), name=name)

    def value(self, expression: Expression) -> Any:
        whole: AnyExpression = expression  # type: ignore[assignment]
        match whole:
            case Number(value=float(number)):
                return self.constant(number)
            case Number(value=value):
                return self.index(value).astype(DATA_TYPES[self.kernel.data_type])
            case Read():
                return self.read(whole)
            case Apply():
                return self.apply(whole)
            case Select(condition=condition, then=then, otherwise=otherwise):
                sides = self.value(then), self.value(otherwise)
                return tirx.if_then_else(self.index(condition), *sides)
            case Reduction():
                return self.reduction(whole)
            case _:
                assert_never(whole)

    def constant(self, value: float) -> Any:
        return tirx.const(value, DATA_TYPES[self.kernel.data_type])

    def apply(self, call: Apply) -> Any:
        if call.function in TRUE_OR_FALSE:
            return tirx.Select(self.truth(call), self.constant(1), self.constant(0))
        if call.function == "select":
            then, otherwise = (self.value(one) for one in call.arguments[1:])
            return tirx.if_then_else(self.truth(call.arguments[0]), then, otherwise)
        if call.function == "sign":
            value, one = self.value(call.arguments[0]), self.constant(1)
            return tirx.Select(value > 0, one, tirx.Select(value < 0, -one, value))
        return VALUE[call.function](*(self.value(one) for one in call.arguments))

    def truth(self, expression: Expression) -> Any:
        """Return whether a value is not 0."""
        match expression:
            case Apply(function=function, arguments=arguments) if function in TRUTH:
                return TRUTH[function](*(self.truth(one) for one in arguments))
            case Apply(function=function, arguments=arguments) if function in TRUE_OR_FALSE:
                return VALUE[function](*(self.value(one) for one in arguments))
            case _:
                return tirx.NE(self.value(expression), self.constant(0))

    def read(self, read: Read) -> Any:
        tensor, checks = self.tensors[read.tensor], []
        places = [self.index(index) for index in read.indices]
        shape = self.shape(read.tensor)
        for place, index, size in zip(places, read.indices, shape, strict=False):
            if not lies_in(index, size, self.extents):
                checks += [place >= 0, place < size]
        element = tensor(*(places or [0]))
        return (
            tirx.if_then_else(tirx.all(*checks), element, self.constant(0)) if checks else element
        )

    def reduction(self, whole: Reduction) -> Any:
        """Return an element of the stage of a reduction, whose axes are the symbols it uses."""
        used = [symbol for symbol in free_variables(whole) if symbol in self.variables]
        bound = {symbol: self.extent(extent) for symbol, extent in whole.variables}
        if 0 in bound.values():
            raise KernelError("TVM has no reductions over nothing")
        self.extents |= bound

        def value() -> Any:
            axes = [te.reduce_axis((0, n), symbol.name) for symbol, n in bound.items()]
            self.variables |= {s: axis.var for s, axis in zip(bound, axes, strict=True)}
            return REDUCERS[whole.function](self.value(whole.body), axis=axes)

        places = [self.variables[symbol] for symbol in used]
        return self.stage(whole.function, used, value)(*(places or [0]))

    def index(self, term: Int) -> Any:
        """Return an index, a size or a condition for TVM."""
        if not isinstance(term, Term):
            return (
                tirx.const(bool(term), "bool")
                if isinstance(term, bool)
                else tirx.const(term, "int32")
            )
        known: dict[Term, Any] = {}
        for part in bottom_up(term):
            match part:
                case Constant(value=value):
                    known[part] = self.index(value)
                case Symbol() if part in self.sizes:
                    known[part] = self.index(self.sizes[part])
                case Symbol():
                    known[part] = self.variables[part]
                case Operation(head=head, operands=operands) if head in INDEX:
                    known[part] = INDEX[head](*(known[operand] for operand in operands))
                case _:
                    raise KernelError(f"{part!r} is no index arithmetic")
        return known[term]
