"""A network computed on many inputs at once.

Every array has one more axis in front, that of the inputs. References of element-wise operators do
not mind it, kernels of others are evaluated with one more index. Kernels are about ideal numbers
and may have other special values than references; what is found here is computed again by these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, islice
from math import prod
from typing import Any

import numpy as np

from gsl.attr.term import Symbol
from gsl.evaluate import value_or_error
from gsl.expr import Call, Const, Expr
from gsl.kernel.evaluate import evaluate
from gsl.kernel.expression import Apply, Expression, Read, Reduction, walk
from gsl.kernel.functions import COMPARISONS
from gsl.kernel.meaning import Elements
from gsl.numpy_dtypes import is_floating
from gsl.operators import Operator
from gsl.operators.declaration import tensors
from gsl.types import TensorType, TupleType, Type
from gslverify.comparison.calmer import flat
from gslverify.comparison.special import flushed
from gslverify.evaluation_order import evaluation_order

MOST_PARTS = 60
"""So many parts a kernel may have that is evaluated; others repeat themselves."""
INPUT = Symbol("input", low=0)
"""The index of the axis in front."""

ONE_BY_ONE = 1_500
"""What computing an operator for one input costs, in elements that are computed for many."""
FIELD_FUNCTIONS = COMPARISONS | {"+", "-", "*", "/", "neg", "abs", "max", "min", "select", "cast"}
"""What kernels compute like references that are stable, such as that of softmax."""


def work(outputs: Sequence[Expr]) -> int:
    """Return how many elements are computed for one input, those of loops counted each time.

    Raises GslError for an operator whose kernel depends on what is unknown.
    """
    calls = (expr for expr in evaluation_order(tuple(outputs)) if isinstance(expr, Call))
    return sum(map(_work, calls))


def _works_on_any_shape(call: Call) -> bool:
    """Tell whether a reference computes many inputs at once; that of a user may count axes."""
    return "elementwise" in call.operator.traits and call.operator.is_built_in


def _work(call: Call) -> int:
    if _works_on_any_shape(call):
        return sum(one.size for one in tensors((call.type,)))
    elements = _elements_of(call)
    return ONE_BY_ONE if elements is None else sum(one.work for one in elements)


def trace_many(outputs: Sequence[Expr], inputs: Mapping[str, Any], count: int) -> dict[Expr, Any]:
    """Return the value of every expression below `outputs` for all of `count` inputs.

    Each of the `inputs` has their axis in front. Subnormal numbers become 0 wherever they are
    computed, as on many machines, but for constants. Raises GslError as `work` does, and as
    references do.
    """
    values: dict[Expr, Any] = {}
    with np.errstate(all="ignore"):
        for expr in evaluation_order(tuple(outputs)):
            operands = [values[operand] for operand in expr.operands]
            value = _value(expr, operands, inputs, count)
            values[expr] = value if isinstance(expr, Const) else flushed(value)
    return values


def _value(expr: Expr, operands: list[Any], inputs: Mapping[str, Any], count: int) -> Any:
    match expr:
        case Const(value=value):
            return np.broadcast_to(value, (count, *value.shape))
        case Call(type=TensorType() as declared) if _works_on_any_shape(expr):
            return value_or_error(expr, _aligned(operands, declared), inputs)
        case Call():
            elements = _elements_of(expr)
            if elements is None:
                return _one_by_one(expr, operands, count)
            return _by_kernel(expr, elements, operands, count)
    return value_or_error(expr, operands, inputs)


def _aligned(operands: Sequence[Any], declared: TensorType) -> list[Any]:
    """Return operands whose own axes are those at the end of a result."""
    missing = [(1,) * (declared.ndim + 1 - one.ndim) for one in operands]
    pairs = zip(operands, missing, strict=True)
    return [one.reshape(len(one), *ones, *one.shape[1:]) for one, ones in pairs]


def _one_by_one(call: Call, operands: Sequence[Any], count: int) -> Any:
    return _stacked(
        [value_or_error(call, [_at(one, n) for one in operands], {}) for n in range(count)]
    )


def _at(value: Any, number: int) -> Any:
    return tuple(_at(one, number) for one in value) if isinstance(value, tuple) else value[number]


def _stacked(found: Sequence[Any]) -> Any:
    if isinstance(found[0], tuple):
        return tuple(map(_stacked, zip(*found, strict=True)))
    return np.stack(found)


@dataclass(frozen=True, slots=True)
class _Element:
    """What a tensor of a `dtype` has at indices with extents, and what all of it costs."""

    dtype: str
    extents: tuple[tuple[Symbol, int], ...]
    value: Expression
    work: int


def _by_kernel(
    call: Call, elements: Sequence[_Element], operands: Sequence[Any], count: int
) -> Any:
    arrays = {f"x{number}": _widened(array) for number, array in enumerate(flat(operands))}
    found = tuple(
        evaluate(one.value, [(INPUT, count), *one.extents], arrays).astype(one.dtype)
        for one in elements
    )
    return found if isinstance(call.type, TupleType) else found[0]


def _widened(array: Any) -> Any:
    """Return floats with more range: a reference rounds the result of an operator only."""
    return array.astype(np.float64) if is_floating(array.dtype) else array


def _elements_of(call: Call) -> tuple[_Element, ...] | None:
    types = tuple(operand.type for operand in call.operands)
    return _elements(call.operator, types, tuple(call.attributes.items()), call.type)


@lru_cache(maxsize=512)
def _elements(
    operator: Operator, types: tuple[Type, ...], attributes: tuple[Any, ...], result: Type
) -> tuple[_Element, ...] | None:
    """Return the elements of a result; None if their kernel is unknown or long."""
    if operator.meaning is None:
        return None
    names = (f"x{number}" for number in count())
    operands = [_read(one, names) for one in types]
    found: list[_Element] = []
    for number, declared in enumerate(tensors((result,))):
        index = tuple(Symbol(f"i{axis}", low=0) for axis in range(declared.ndim))
        field = number if isinstance(result, TupleType) else None
        value = operator.element(index, operands, dict(attributes), field)
        loops = _loops(value)
        if loops is None:
            return None
        extents = tuple(zip(index, declared.shape, strict=True))
        found.append(_Element(declared.dtype, extents, value, declared.size * loops))
    return tuple(found)


def _loops(value: Expression) -> int | None:
    """Return how often the loop of a kernel runs; None if references are asked rather than it.

    These know better what becomes of functions in loops, of loops in loops and of long kernels.
    """
    parts = list(islice(walk(value), MOST_PARTS))
    loops = [part for part in parts if isinstance(part, Reduction)]
    functions = {part.function for part in parts if isinstance(part, Apply)}
    is_stable = not loops or functions <= FIELD_FUNCTIONS
    if len(parts) == MOST_PARTS or len(loops) > 1 or not is_stable:
        return None
    extents = [extent for loop in loops for _, extent in loop.variables]
    return prod(extents) if all(isinstance(one, int) for one in extents) else None


def _read(declared: Type, names: Iterator[str]) -> Any:
    """Return the operand of a kernel whose elements are read for each of the inputs."""
    if isinstance(declared, TupleType):
        return tuple(_read(one, names) for one in declared.fields)
    assert isinstance(declared, TensorType)
    name = next(names)
    return Elements(declared, lambda index, guarded: Read(name, (INPUT, *index), guarded))
