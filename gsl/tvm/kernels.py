"""Kernels: single operators compiled once for many sizes, from which graphs are put together.

TVM compiles no kernel faster than in about 15 ms, and generated graphs hardly ever repeat. Their
operators do: a kernel takes any sizes but 0 and 1, which decide about broadcasting, and sizes
that the operator relates otherwise than by equality. The default pipeline of TVM fuses nothing,
so a graph computes with the same kernels when it is compiled as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import tvm
from tvm import relax

from gsl.attr.term import Constant, Operation, Symbol, Term, free_symbols, subterms
from gsl.errors import GraphError, GslError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.operators.declaration import Need, OpaqueOperator, tensors
from gsl.tvm.errors import BackendError, TypeMismatchError, reason
from gsl.tvm.lower import describe, lower
from gsl.tvm.run import aligned, machine_of
from gsl.types import TensorType, TupleType, Type

MOST_KERNELS = 4000
"""Kernels that are kept; more would only fill the memory."""


class Key(NamedTuple):
    """What decides about a kernel: operator, attributes as text, types of the operands.

    A size is a number, or a negative one that stands for any size, equal ones for equal sizes.
    """

    operator: str
    attributes: str
    types: tuple[Type, ...]

    @property
    def is_static(self) -> bool:
        """Whether all sizes are numbers."""
        return all(size >= 0 for tensor in tensors(self.types) for size in tensor.shape)


class Kernels:
    """The kernels of this process: `functions` by key, or why there is none."""

    def __init__(self) -> None:
        self.functions: dict[Key, Any] = {}
        self._keys: dict[Key, Key] = {}
        self._rigid: set[str] = set()
        """Operators that TVM did not compile for any sizes."""

    def prepare(self, graphs: Iterable[Sequence[Expr]]) -> None:
        """Compile what `graphs` need and this process does not have, all at once."""
        calls = [e for outputs in graphs for e in reverse_post_order(outputs) if type(e) is Call]
        if len(self.functions) > MOST_KERNELS:
            self.functions.clear()
        wanted: dict[Key, Call] = {}
        for call in calls:
            key = self.key(call)
            if key not in self.functions:
                wanted[key] = call
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
                return _checked(aligned(np.asarray(inputs[name])), expr.type, f"input `{name}`")
            case Const(value=value):
                return aligned(value)
            case Tuple():
                return tuple(operands)
            case Proj(index=index):
                return operands[0][index]
            case Call():
                function = self.functions[self.key(expr)]
                if isinstance(function, Exception):
                    raise function
                return _checked(function(*operands), expr.type, describe(expr))
        raise BackendError(f"not a computation expression: {expr!r}")

    def key(self, call: Call) -> Key:
        """Return the key of the kernel that computes a call."""
        types = tuple(operand.type for operand in call.operands)
        exact = Key(call.operator.name, repr(dict(call.attributes)), types)
        known = self._keys.get(exact)
        if known is None:
            known = exact if call.operator.name in self._rigid else _generalised(call, exact)
            self._keys[exact] = known
        return known

    def _compile(self, wanted: list[tuple[Key, Call]]) -> None:
        """Compile kernels as one module; when that fails, halves of them."""
        modules: dict[str, tuple[Key, Call]] = {}
        whole = tvm.IRModule({})
        for number, (key, call) in enumerate(wanted):
            try:
                whole.update(_module(f"k{number}", key, call))
                modules[f"k{number}"] = key, call
            except Exception as error:
                self._give_up(key, call, error)
        if not modules:
            return
        try:
            machine = machine_of(whole)
        except BackendError as error:
            rest = list(modules.values())
            if len(rest) == 1:
                self._give_up(*rest[0], error)
            else:
                self._compile(rest[: len(rest) // 2])
                self._compile(rest[len(rest) // 2 :])
            return
        for name, (key, _) in modules.items():
            self.functions[key] = machine[name]

    def _give_up(self, key: Key, call: Call, error: Exception) -> None:
        """Take a kernel for these very sizes instead of one for any, or note that there is none."""
        if key.is_static:
            self.functions[key] = error
            return
        self._rigid.add(key.operator)
        types = tuple(operand.type for operand in call.operands)
        exact = Key(key.operator, key.attributes, types)
        self._keys = {known: to for known, to in self._keys.items() if to != key}
        self._compile([(exact, call)])


def _module(name: str, key: Key, call: Call) -> Any:
    """Return a module with a function of that name that computes a call for operands of a key."""
    if isinstance(call.operator, OpaqueOperator):
        raise BackendError(f"{call.operator} is no operator of its own")
    sizes: dict[int, Any] = {}
    formals = [
        relax.Var(f"x{number}", _relax_type(given, sizes)) for number, given in enumerate(key.types)
    ]
    builder = relax.BlockBuilder()
    with builder.function(name, formals):
        with builder.dataflow():
            try:
                result = builder.emit(lower(builder, call.operator, formals, call.attributes))
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
    shape = [size if size >= 0 else _size_variable(size, sizes) for size in given.shape]
    return relax.TensorType(shape, given.dtype)


def _size_variable(number: int, sizes: dict[int, Any]) -> Any:
    if number not in sizes:
        sizes[number] = tvm.tirx.Var(f"n{-number}", "int64")
    return sizes[number]


def _result(value: Any, declared: Type) -> Any:
    if isinstance(declared, TupleType):
        pairs = zip(value, declared.fields, strict=True)
        return tuple(_result(part, its) for part, its in pairs)
    return np.array(value if isinstance(value, np.ndarray) else np.from_dlpack(value))


def _checked(value: Any, declared: Type, place: str) -> Any:
    """Return a value of TVM; raise TypeMismatchError unless it is of the declared type."""
    if isinstance(declared, TupleType):
        for part, its in zip(value, declared.fields, strict=True):
            _checked(part, its, place)
        return value
    actual = TensorType(tuple(map(int, value.shape)), str(value.dtype))
    if actual != declared:
        raise TypeMismatchError(f"{place} has type {declared}, TVM has {actual}")
    return value


def _generalised(call: Call, exact: Key) -> Key:
    """Return the key of the kernel for all sizes that the operator treats as it does these."""
    if isinstance(call.operator, OpaqueOperator):
        return exact
    sizes: dict[Symbol, int] = {}
    types = tuple(_with_symbols(given, sizes) for given in exact.types)
    try:
        claims = _claims(call, types)
        while same := _equality(claims, sizes):
            types = tuple(_replaced(given, dict([same])) for given in types)
            claims = _claims(call, types)
    except GslError:
        return exact
    numbers: dict[Any, int] = {symbol: sizes[symbol] for symbol in _computed_with(claims)}
    free = count(-1, -1)
    for tensor in tensors(types):
        for size in tensor.shape:
            if isinstance(size, Symbol) and size not in numbers:
                numbers[size] = next(free)
    return exact._replace(types=tuple(_replaced(given, numbers) for given in types))


def _claims(call: Call, types: tuple[Type, ...]) -> list[Term]:
    need = Need()
    call.operator.infer(types, call.attributes, need)
    return [claim for claim, _ in need.claims]


def _with_symbols(given: Type, symbols: dict[Symbol, int]) -> Type:
    if isinstance(given, TupleType):
        return TupleType(tuple(_with_symbols(field, symbols) for field in given.fields))
    shape: list[Any] = []
    for size in given.shape:
        if size < 2:
            shape.append(size)
            continue
        symbol = Symbol(f"n{len(symbols)}", "int", 2)
        symbols[symbol] = size
        shape.append(symbol)
    return given.with_shape(tuple(shape))


def _replaced(given: Type, by: Mapping[Any, Any]) -> Type:
    if isinstance(given, TupleType):
        return TupleType(tuple(_replaced(field, by) for field in given.fields))
    return given.with_shape(tuple(by.get(size, size) for size in given.shape))


def _equality(claims: Iterable[Term], sizes: Mapping[Symbol, int]) -> tuple[Symbol, Symbol] | None:
    """Return two symbols that a claim equates and that stand for the same number."""
    for left, right in _equations(claims):
        if isinstance(left, Symbol) and isinstance(right, Symbol) and sizes[left] == sizes[right]:
            return left, right
    return None


def _computed_with(claims: Iterable[Term]) -> Iterator[Symbol]:
    """Yield the symbols of equations that are not between two symbols."""
    for left, right in _equations(claims):
        small = isinstance(right, Constant) and right.value in (0, 1)
        if not (isinstance(left, Symbol) and (small or isinstance(right, Symbol))):
            yield from free_symbols(left)
            yield from free_symbols(right)


def _equations(claims: Iterable[Term]) -> Iterator[tuple[Term, Term]]:
    """Yield the sides of equations that are not trivial."""
    for claim in claims:
        for part in subterms(claim):
            if isinstance(part, Operation) and part.head == "==":
                left, right = map(_simple, part.operands)
                constant = isinstance(left, Constant) and isinstance(right, Constant)
                if left is not right and not constant:
                    yield left, right


def _simple(term: Term) -> Term:
    """Return a term without factors and divisors of 1."""
    match term:
        case Operation(head="*", operands=(whole, Constant(value=1))):
            return whole
        case Operation(head="%", operands=(_, Constant(value=1))):
            return Constant(0)
    return term
