"""Functions of a Relax module called without TVM's virtual machine.

What operators become (`LegalizeOps`) are calls of functions of loops that write their results into
tensors they are given. Where a Relax function consists of such calls only, they can be made from
here. That spares most of the passes of Relax, and the functions with which the virtual machine
computes shapes, each of which LLVM would have to compile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tvm
from tvm import relax, tirx

from gsl.tvm import quick
from gsl.tvm.aligned import aligned, empty
from gsl.tvm.extents import with_known_extents
from gsl.tvm.tensors import passed

Number = Callable[[Mapping[str, int]], int]
"""A size or another number, of the numbers that have names."""
Reader = Callable[[list[Any]], Any]
"""A value, of those of the parameters and steps before."""

BINARY: Mapping[Any, Callable[[int, int], int]] = {
    tirx.Add: lambda a, b: a + b,
    tirx.Sub: lambda a, b: a - b,
    tirx.Mul: lambda a, b: a * b,
    tirx.FloorDiv: lambda a, b: a // b,
    tirx.FloorMod: lambda a, b: a % b,
    tirx.Max: max,
    tirx.Min: min,
    tirx.LE: lambda a, b: a <= b,
    tirx.LT: lambda a, b: a < b,
}


class NotDirectError(Exception):
    """A function does more than call functions of loops."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call of a function of loops: what it reads, and the tensors that it writes."""

    name: str
    operands: tuple[Reader | Number, ...]
    are_values: tuple[bool, ...]
    results: tuple[tuple[tuple[Number, ...], str], ...]
    is_tuple: bool


@dataclass(frozen=True, slots=True)
class Program:
    """A Relax function; call it with arrays, tuples of them and tuples of numbers.

    `sizes` says where the numbers with names come from.
    """

    sizes: Mapping[str, Reader]
    steps: tuple[Step, ...]
    result: Reader
    functions: dict[str, Any]

    def __call__(self, *given: Any) -> Any:
        """Return an array, or a tuple of arrays."""
        values = list(given)
        numbers = {name: read(values) for name, read in self.sizes.items()}
        for step in self.steps:
            operands = [
                read(values if is_value else numbers)  # type: ignore[arg-type]
                for read, is_value in zip(step.operands, step.are_values, strict=True)
            ]
            results = [
                empty(tuple(size(numbers) for size in shape), dtype)
                for shape, dtype in step.results
            ]
            self.functions[step.name](*map(passed, (*operands, *results)))
            values.append(tuple(results) if step.is_tuple else results[0])
        return self.result(values)


def programs_of(module: Any) -> tuple[dict[str, Program], Any]:
    """Compile the functions of a Relax module that can be called directly.

    Returns them by name, and a module of those that cannot; raises what TVM raises.
    """
    target = tvm.target.Target({"kind": "llvm", "opt-level": 0, "cl-opt": list(quick.CODE)})
    with target:
        legal = relax.transform.LegalizeOps()(module)
    functions: dict[str, Any] = {}
    programs: dict[str, Program] = {}
    rest: dict[Any, Any] = {}
    loose = {name: f for name, f in module.functions.items() if not isinstance(f, relax.Function)}
    for variable, function in module.functions.items():
        if variable in loose:
            continue
        try:
            name = variable.name_hint
            programs[name] = _Writer().program(legal[name], functions)
        except NotDirectError:
            rest[variable] = function
    loops = {step.name for program in programs.values() for step in program.steps}
    if loops:
        bodies = {
            name: with_known_extents(legal[name]).with_attr("global_symbol", name) for name in loops
        }
        with tvm.transform.PassContext(config={"tirx.disable_assert": True}):
            library = tirx.build(tvm.IRModule(bodies), target, pipeline=quick.PIPELINE)
        functions.update({name: library[name] for name in loops})
    return programs, tvm.IRModule({**rest, **loose} if rest else {})


class _Writer:
    """Writes one Relax function as a program."""

    def __init__(self) -> None:
        self.sizes: dict[str, Reader] = {}
        self.readers: dict[Any, Reader] = {}
        self.steps: list[Step] = []

    def program(self, function: Any, functions: dict[str, Any]) -> Program:
        for number, formal in enumerate(function.params):
            self.readers[formal] = _value(number)
            self._bind_sizes(formal.ty, _value(number))
        count = len(function.params)
        for block in function.body.blocks:
            for binding in block.bindings:
                if not isinstance(binding, relax.VarBinding):
                    raise NotDirectError
                if _is_call(binding.value):
                    self.steps.append(self._step(binding.value))
                    self.readers[binding.var] = _value(count)
                    count += 1
                else:
                    self.readers[binding.var] = self._reader(binding.value)
        result = self._reader(function.body.body)
        return Program(self.sizes, tuple(self.steps), result, functions)

    def _bind_sizes(self, given: Any, read: Reader) -> None:
        if isinstance(given, relax.TupleType):
            for number, field in enumerate(given.fields):
                self._bind_sizes(field, _field(read, number))
            return
        is_shape = isinstance(given, relax.ShapeType)
        for axis, size in enumerate(given.values if is_shape else given.shape.values):
            if isinstance(size, tirx.Var):
                self.sizes.setdefault(size.name, _field(read if is_shape else _shape(read), axis))

    def _reader(self, value: Any) -> Reader:
        match value:
            case relax.Var() if value in self.readers:
                return self.readers[value]
            case relax.Tuple():
                fields = [self._reader(field) for field in value.fields]
                return lambda values: tuple(read(values) for read in fields)
            case relax.TupleGetItem():
                return _field(self._reader(value.tuple_value), value.index)
            case tvm.ir.GenericConst():
                constant = aligned(value.value.numpy())
                return lambda values: constant
        raise NotDirectError

    def _step(self, call: Any) -> Step:
        callee, operands, *more = call.args
        (made,) = call.ty_args
        is_tuple = isinstance(made, relax.TupleType)
        if more or not isinstance(operands, relax.Tuple):
            raise NotDirectError
        are_values = tuple(not tvm.ir.is_prim_expr(one) for one in operands.fields)
        readers = tuple(
            self._reader(one) if is_value else self._number(one)
            for one, is_value in zip(operands.fields, are_values, strict=True)
        )
        results = tuple(
            (tuple(map(self._number, one.shape.values)), str(one.dtype))
            for one in (made.fields if is_tuple else [made])
        )
        return Step(callee.name_hint, readers, are_values, results, is_tuple)

    def _number(self, expression: Any) -> Number:
        if isinstance(expression, tirx.IntImm):
            value = int(expression.value)
            return lambda numbers: value
        if isinstance(expression, tirx.Var) and expression.name in self.sizes:
            name = expression.name
            return lambda numbers: numbers[name]
        if type(expression) in BINARY:
            compute = BINARY[type(expression)]
            left, right = self._number(expression.a), self._number(expression.b)
            return lambda numbers: compute(left(numbers), right(numbers))
        if isinstance(expression, tvm.ir.Call) and expression.op.name == "prim.if_then_else":
            condition, then, otherwise = map(self._number, expression.args)
            return lambda numbers: then(numbers) if condition(numbers) else otherwise(numbers)
        raise NotDirectError


def _is_call(value: Any) -> bool:
    operator = getattr(value, "op", None)
    if operator is None:
        return False
    if getattr(operator, "name", "") != "relax.call_tir":
        raise NotDirectError
    return True


def _value(number: int) -> Reader:
    return lambda values: values[number]


def _field(read: Reader, number: int) -> Reader:
    return lambda values: read(values)[number]


def _shape(read: Reader) -> Reader:
    return lambda values: read(values).shape
