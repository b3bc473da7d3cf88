"""Gradients of a graph: the kernels of its operators, each derived in reverse.

Everything is computed in float64 whatever the dtypes are, so that the results are those of ideal
arithmetic but for rounding that no float32 has seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gsl.attr.term import Symbol
from gsl.errors import GraphError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.kernel.adjoint import adjoint_of
from gsl.kernel.derivative import is_zero
from gsl.kernel.evaluate import evaluate
from gsl.kernel.expression import Apply, Expression, Number, Read, parts, with_parts
from gsl.kernel.joints import clearances
from gsl.kernel.meaning import named
from gsl.numpy_dtypes import is_floating
from gsl.types import ANY_FLOAT, TensorType, TupleType

Place = tuple[Expr, int | None]
"""A tensor: the value of an expression, or a field of it if that is a tuple."""

ADJOINT = "adjoint"


def is_differentiable(given: Any) -> bool:
    """Tell whether a type is that of a tensor of floats."""
    return isinstance(given, TensorType) and given.dtype in ANY_FLOAT


def ideal_values(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> dict[Expr, Any]:
    """Return the value of every expression below `outputs` by its kernel, floats in float64.

    Raises GraphError for a missing input, OperatorError for an operator without a kernel, and
    KernelError where a kernel has no value.
    """
    values: dict[Expr, Any] = {}
    for expr in reverse_post_order(outputs):
        match expr:
            case Var(name=name) if name in inputs:
                values[expr] = _ideal(inputs[name])
            case Const(value=value):
                values[expr] = _ideal(value)
            case Tuple(operands=operands):
                values[expr] = tuple(values[operand] for operand in operands)
            case Proj(operands=(whole,), index=index):
                values[expr] = values[whole][index]
            case Call():
                values[expr] = _Step(expr, values).value()
            case _:
                raise GraphError(f"{expr!r} has no value")
    return values


def _ideal(value: Any) -> Any:
    array = np.asarray(value)
    return array.astype(np.float64) if is_floating(array.dtype) else array


def adjoints(
    outputs: Sequence[Expr], values: Mapping[Expr, Any], above: Mapping[Place, Any]
) -> dict[Place, Any]:
    """Return the adjoints of all tensors that some output depends on smoothly.

    Args:
        outputs: roots of the graph.
        values: what `ideal_values` returns for them.
        above: arrays for tensors among the outputs: the adjoints that come from outside.

    The sum of all outputs times `above` has these derivatives. Raises as `ideal_values` does.
    """
    found: dict[Place, Any] = dict(above)
    for expr in reversed(reverse_post_order(outputs)):
        for place, array in _passed_on(expr, values, found):
            found[place] = found[place] + array if place in found else array
    return found


def _passed_on(
    expr: Expr, values: Mapping[Expr, Any], found: Mapping[Place, Any]
) -> Iterator[tuple[Place, Any]]:
    match expr:
        case Tuple(operands=operands):
            for index, operand in enumerate(operands):
                if (expr, index) in found:
                    yield (operand, None), found[expr, index]
        case Proj(operands=(whole,), index=index):
            if (expr, None) in found:
                yield (whole, index), found[expr, None]
        case Call():
            step = _Step(expr, values)
            for part in places(expr):
                if part in found:
                    yield from step.adjoints(part[1], found[part])


def places(expr: Expr) -> list[Place]:
    """Return the tensors that an expression is; tuples of tuples have none."""
    if isinstance(expr.type, TupleType):
        return [(expr, n) for n, one in enumerate(expr.type.fields) if isinstance(one, TensorType)]
    return [(expr, None)]


def clearance(outputs: Sequence[Expr], values: Mapping[Expr, Any]) -> float:
    """Return how far the values of a graph are from the next joint of an operator."""
    calls = (expr for expr in reverse_post_order(outputs) if isinstance(expr, Call))
    return min((_Step(call, values).clearance() for call in calls), default=np.inf)


@dataclass(slots=True)
class _Step:
    """A call with the values of its operands, which its kernel reads as x0, x1 and so on."""

    call: Call
    known: Mapping[Expr, Any]
    tensors: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, Place] = field(default_factory=dict)
    operands: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        for operand in self.call.operands:
            parts = [self.read(place) for place in places(operand)]
            is_tuple = isinstance(operand.type, TupleType)
            self.operands.append(tuple(parts) if is_tuple else parts[0])

    def read(self, place: Place) -> Any:
        name = f"x{len(self.tensors)}"
        expr, index = place
        self.tensors[name] = self.known[expr] if index is None else self.known[expr][index]
        self.origins[name] = place
        return named(name, tensor_type(place))

    def element(self, index: int | None) -> tuple[list[tuple[Symbol, int]], Expression]:
        """Return the axes of the result, or of a field of it, and its element there."""
        shape = tensor_type((self.call, index)).shape
        axes = [(Symbol(f"i{axis}", low=0), int(size)) for axis, size in enumerate(shape)]
        symbols = tuple(symbol for symbol, _ in axes)
        call = self.call
        value = call.operator.element(symbols, self.operands, call.attributes, index)
        return axes, in_float64(value)

    def value(self) -> Any:
        found = []
        for place in places(self.call):
            axes, value = self.element(place[1])
            kind = tensor_type(place)
            dtype = "float64" if is_differentiable(kind) else kind.dtype
            found.append(evaluate(value, axes, self.tensors).astype(dtype))
        return tuple(found) if isinstance(self.call.type, TupleType) else found[0]

    def adjoints(self, index: int | None, above: Any) -> Iterator[tuple[Place, Any]]:
        """Yield what the adjoint of the result gives to each operand."""
        if not is_differentiable(tensor_type((self.call, index))):
            return
        axes, value = self.element(index)
        reading = Read(ADJOINT, tuple(symbol for symbol, _ in axes), guarded=True)
        tensors = {**self.tensors, ADJOINT: above}
        shapes = {name: np.shape(array) for name, array in tensors.items()}
        for name, origin in self.origins.items():
            if is_differentiable(tensor_type(origin)):
                place = [(Symbol(f"a{n}", low=0), size) for n, size in enumerate(shapes[name])]
                found = adjoint_of(value, axes, reading, name, place, shapes)
                if not is_zero(found):
                    yield origin, evaluate(found, place, tensors)

    def clearance(self) -> float:
        least = np.inf
        for _, index in places(self.call):
            axes, value = self.element(index)
            for distance in clearances(value):
                # Infinities, such as what a maximum is padded with, are equal to each other.
                found = np.nan_to_num(evaluate(distance, axes, self.tensors), nan=np.inf)
                least = min(least, float(np.min(found, initial=np.inf)))
        return least


def tensor_type(place: Place) -> TensorType:
    """Return the type of the tensor at a place; raise GraphError if there is none."""
    expr, index = place
    kind = expr.type if index is None else expr.type.fields[index]  # type: ignore[union-attr]
    if not isinstance(kind, TensorType):
        raise GraphError("a tuple of tuples has no gradient")
    return kind


def in_float64(expression: Expression) -> Expression:
    """Return an expression that converts to float64 where it converted to another float."""
    inner = tuple(map(in_float64, parts(expression)))
    match expression:
        case Apply(function="cast", arguments=(_, source, Number(value=target))) if (
            target in ANY_FLOAT
        ):
            return Apply("cast", (inner[0], source, Number("float64")))
        case _:
            return with_parts(expression, inner)
