"""For which other sizes the kernel of a call may be used.

A size is a number, or a negative one that stands for any size, equal ones for equal sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, groupby
from typing import Any

from gsl.attr.evaluate import evaluate
from gsl.attr.term import Constant, Operation, Symbol, Term, free_symbols, subterms
from gsl.errors import EvaluationError, GslError
from gsl.expr import Call
from gsl.operators.declaration import Need, tensors
from gsl.types import TensorType, TupleType, Type

Shape = tuple[int, ...]

ELEMENTWISE = "elementwise"
"""The trait of operators whose results depend on the elements at one place alone."""
FILLED = frozenset({"ZerosLike", "OnesLike", "FullLike"})
"""Operators that fill a tensor of the shape of another: elementwise, though they read nothing."""


def flattened(call: Call) -> list[Shape] | None:
    """Return shapes with as few axes as possible in which an elementwise call gets its operands.

    Neighbouring axes along which the same operands are repeated are one axis, so that a kernel
    serves all ranks. None where the operator is another one, or a tensor has no elements.
    """
    if not is_flat(call):
        return None
    given = [operand.type for operand in call.operands]
    (result,) = (one.shape for one in tensors((call.type,)))
    return grouped(result, [one.shape for one in tensors(tuple(given))])


def is_flat(call: Call) -> bool:
    """Tell whether a call is elementwise, and no tensor is without elements."""
    if ELEMENTWISE not in call.operator.traits and call.operator.name not in FILLED:
        return False
    given = [call.type, *(operand.type for operand in call.operands)]
    return all(isinstance(one, TensorType) and one.size for one in given)


def grouped(result: Shape, given: Sequence[Shape]) -> list[Shape]:
    """Return shapes that are repeated to `result`, with as few axes as possible."""
    shapes = [(1,) * (len(result) - len(shape)) + shape for shape in given]
    axes = [axis for axis in zip(result, *shapes, strict=True) if axis[0] != 1]
    groups = [list(axes) for _, axes in groupby(axes, key=_repeated)] or [[(1,) * (1 + len(given))]]
    sizes = [[math.prod(column) for column in zip(*axes, strict=True)] for axes in groups]
    return [tuple(size[number] for size in sizes) for number in range(1, 1 + len(given))]


def _repeated(axis: Sequence[int]) -> tuple[bool, ...]:
    return tuple(size != axis[0] for size in axis)


def any_sizes(shapes: Iterable[Shape]) -> list[Shape]:
    """Return flattened shapes for any sizes: those of one axis are 1 or the same."""
    columns = [
        tuple(-number if size == max(axis) else 1 for size in axis)
        for number, axis in enumerate(zip(*shapes, strict=True), 1)
    ]
    return list(zip(*columns, strict=True))


def generalised(call: Call) -> tuple[Type, ...]:
    """Return the types of operands of the kernel for all sizes that are treated as these are.

    A size of 1 is as good as any other where nothing is repeated along it.
    """
    exact = tuple(operand.type for operand in call.operands)
    for least in (1, 2):
        try:
            return _Generalisation(call, exact, least).types()
        except GslError:
            continue
    return exact


class _Generalisation:
    """What the shape rule says when it is run on symbols for all sizes from `least` on."""

    def __init__(self, call: Call, exact: tuple[Type, ...], least: int) -> None:
        self.call = call
        self.sizes: dict[Symbol, int] = {}
        self.symbolic = tuple(self._with_symbols(given, least) for given in exact)

    def types(self) -> tuple[Type, ...]:
        """Return the types; raise GslError where the rule does not hold for other sizes."""
        claims = self._claims()
        while replaced := _equality(claims, self.sizes) or _repetition(claims, self.sizes):
            self.symbolic = tuple(_replaced(given, replaced) for given in self.symbolic)
            claims = self._claims()
        numbers: dict[Any, int] = {one: self.sizes[one] for one in _computed_with(claims)}
        free = count(-1, -1)
        for tensor in tensors(self.symbolic):
            for size in tensor.shape:
                if isinstance(size, Symbol) and size not in numbers:
                    numbers[size] = next(free)
        return tuple(_replaced(given, numbers) for given in self.symbolic)

    def _claims(self) -> list[Term]:
        need = Need()
        result = self.call.operator.infer(self.symbolic, self.call.attributes, need)
        if self._valued(result) != self.call.type:
            raise EvaluationError("sizes of 1 make another result")
        return [claim for claim, _ in need.claims]

    def _valued(self, given: Type) -> Type:
        if isinstance(given, TupleType):
            return TupleType(tuple(map(self._valued, given.fields)))
        sizes = [evaluate(s, _Sizes(self.sizes)) if isinstance(s, Term) else s for s in given.shape]
        return given.with_shape(tuple(sizes))

    def _with_symbols(self, given: Type, least: int) -> Type:
        if isinstance(given, TupleType):
            return TupleType(tuple(self._with_symbols(field, least) for field in given.fields))
        shape: list[Any] = []
        for size in given.shape:
            if size < least:
                shape.append(size)
                continue
            # The rule must not think of 1, which would decide about broadcasting.
            symbol = Symbol(f"n{len(self.sizes)}", "int", 2)
            self.sizes[symbol] = size
            shape.append(symbol)
        return given.with_shape(tuple(shape))


class _Sizes:
    """The environment in which sizes are computed."""

    def __init__(self, sizes: Mapping[Symbol, int]) -> None:
        self._sizes = sizes

    def access(self, term: Any) -> Any:
        raise EvaluationError(f"{term!r} is no size")

    def symbol(self, symbol: Symbol) -> int:
        return self._sizes[symbol]

    def bind(self, symbol: Symbol, value: Any) -> _Sizes:
        return _Sizes({**self._sizes, symbol: value})


def _replaced(given: Type, by: Mapping[Any, Any]) -> Type:
    if isinstance(given, TupleType):
        return TupleType(tuple(_replaced(field, by) for field in given.fields))
    return given.with_shape(tuple(by.get(size, size) for size in given.shape))


def _equality(claims: Iterable[Term], sizes: Mapping[Symbol, int]) -> dict[Symbol, Any]:
    """Return a symbol and another that a claim equates and that stands for the same number."""
    for left, right in _equations(claims):
        if isinstance(left, Symbol) and isinstance(right, Symbol) and sizes[left] == sizes[right]:
            return {left: right}
    return {}


def _repetition(claims: Iterable[Term], sizes: Mapping[Symbol, int]) -> dict[Symbol, Any]:
    """Return a symbol that a claim equates with another and that stands for 1 instead."""
    for sides in _equations(claims):
        for side in sides:
            if isinstance(side, Symbol) and sizes[side] == 1:
                return {side: 1}
    return {}


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
