"""Every element of a computation as a scalar, at sizes that are known, by the operators' kernels.

Attributes and constants may stay unknown as long as no size, index or loop depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Any

import numpy as np

from gsl.attr.evaluate import evaluate
from gsl.attr.term import Access, Constant, Operation, Symbol, Term, bottom_up
from gsl.errors import EvaluationError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.kernel.expression import (
    AnyExpression,
    Apply,
    Expression,
    Number,
    Read,
    Reduction,
    Select,
)
from gsl.kernel.meaning import Elements, named
from gsl.operators.defined import Values
from gsl.types import TensorType, TupleType, Type
from gslverify.semantics.arithmetic import Arithmetic
from gslverify.semantics.scalars import REAL, TRUTH, WHOLE, Scalar, Scalars, UnsupportedError

FOLDS = {"sum": ("+", 0), "product": ("*", 1), "max": ("max", -np.inf), "min": ("min", np.inf)}
"""The function that combines what a reduction runs over, and what there is before the first."""

Place = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Partial:
    """What symbols stand for: numbers and texts, and themselves where they stay unknown."""

    values: Mapping[Symbol, Any]
    loops: Mapping[Symbol, int] = field(default_factory=dict)

    def access(self, term: Access) -> Any:
        """Refuse: the terms of an instance refer to symbols, no longer to patterns."""
        raise EvaluationError(f"attribute `{term.name}` is not part of an instance")

    def symbol(self, symbol: Symbol) -> Any:
        """Return what is known about a symbol."""
        found = self.loops.get(symbol)
        return self.values.get(symbol, symbol) if found is None else found

    def bind(self, symbol: Symbol, value: Any) -> Partial:
        """Return what is known with one more value."""
        return Partial({**self.values, symbol: value})

    def of(self, value: Any) -> Any:
        """Return a value with all that is known put into its terms."""
        if isinstance(value, Term):
            return evaluate(value, self)
        if isinstance(value, tuple):
            return tuple(map(self.of, value))
        return value


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of known type whose elements are read one by one."""

    type: TensorType
    read: Callable[[Place], Scalar]

    def elements(self) -> Iterator[Scalar]:
        """Yield all elements, row by row."""
        return map(self.read, np.ndindex(*self.type.shape))


Value = Tensor | tuple["Value", ...]
"""What an expression is: a tensor, or the fields of a tuple."""


def tensors_of(value: Value) -> Iterator[Tensor]:
    """Yield a tensor, or those of a tuple in order."""
    if isinstance(value, Tensor):
        yield value
    else:
        for field in value:
            yield from tensors_of(field)


class Unrolled:
    """The computations of one graph of known sizes as scalars.

    Args:
        scalars: where they are made.
        known: what symbols stand for. A symbol that stays unknown needs an entry in `unknown`.
        most: how many steps the kernels may take before UnsupportedError is raised.
    """

    def __init__(
        self, scalars: Scalars, known: Partial, unknown: Mapping[Symbol, Scalar], most: int
    ) -> None:
        self.scalars = scalars
        self.apply = Arithmetic(scalars)
        self.known = known
        self.unknown = unknown
        self.left = most
        self.inputs: dict[str, tuple[TensorType, dict[Place, Scalar]]] = {}
        self._values: dict[Expr, Value] = {}

    def values(self, outputs: Sequence[Expr]) -> list[Value]:
        """Return what expressions compute; their elements are made when they are read."""
        for expr in reverse_post_order(outputs):
            if expr not in self._values:
                self._values[expr] = self._value(expr)
        return [self._values[output] for output in outputs]

    def demands(self, exprs: Sequence[Expr]) -> Iterator[Scalar]:
        """Yield what must hold of all elements that operators get for these to be defined.

        Only operators on integers, or that make integers, are not defined beyond what they declare
        (see `gslverify.trials.domains`).
        """
        for call in exprs:
            if not isinstance(call, Call):
                continue
            types = tuple(self.type_of(operand.type) for operand in call.operands)
            attributes = {name: self.known.of(v) for name, v in call.attributes.items()}
            for declared, operand in zip(call.operator.operands, call.operands, strict=False):
                rule = call.operator.values.get(declared.name)
                if rule is not None and self._is_binding(operand, call):
                    limits = rule if isinstance(rule, Values) else rule(types, attributes)
                    for tensor in tensors_of(self._values[operand]):
                        yield from self._within(tensor, limits)

    def whole_results(self, exprs: Sequence[Expr]) -> Iterator[Scalar]:
        """Yield all elements that operators make which are undefined where two operands meet."""
        for call in exprs:
            if isinstance(call, Call) and call.operator.undefined is not None:
                for tensor in tensors_of(self._values[call]):
                    yield from tensor.elements()

    def _is_binding(self, operand: Expr, call: Call) -> bool:
        results = tensors_of(self._values[call])
        given = tensors_of(self._values[operand])
        is_real = [self._kind(tensor) == REAL for tensor in (*given, *results)]
        return not all(is_real)

    def _kind(self, tensor: Tensor) -> Any:
        return self.apply.as_dtype(self.scalars.literal(0), tensor.type.dtype).kind

    def _within(self, tensor: Tensor, limits: Values) -> Iterator[Scalar]:
        if self._kind(tensor) == TRUTH:
            return
        for place, one in enumerate(tensor.elements()):
            for function, limit in zip((">=", "<="), limits.at(place), strict=True):
                if limit is not None:
                    yield self.apply(function, self._compared(one), self.scalar(limit))
            if limits.nonzero:
                yield self.apply("!=", one, self.scalars.literal(0))

    def _compared(self, one: Scalar) -> Scalar:
        """Limits may lie outside of a dtype."""
        return self.scalars.converted(one, REAL if one.kind == REAL else WHOLE)

    def type_of(self, declared: Type) -> Any:
        """Return a type with its sizes and dtypes known; raise UnsupportedError otherwise."""
        if isinstance(declared, TupleType):
            return TupleType(tuple(map(self.type_of, declared.fields)))
        shape, dtype = self.known.of(declared.shape), self.known.of(declared.dtype)
        if not all(type(size) is int for size in shape) or not isinstance(dtype, str):
            raise UnsupportedError("a size or dtype depends on what is unknown")
        return TensorType(shape, dtype)

    def scalar(self, value: Any) -> Scalar:
        """Return a number or a term of attributes as a scalar."""
        if not isinstance(value, Term):
            return self.scalars.literal(value)
        made: dict[Term, Scalar] = {}
        for part in bottom_up(value):
            made[part] = self._part(part, made)
        return made[value]

    def _part(self, part: Term, made: Mapping[Term, Scalar]) -> Scalar:
        match part:
            case Constant(value=value):
                return self._options(value)
            case Symbol() if part in self.unknown:
                return self.unknown[part]
            case Operation(head="in", operands=(item, Constant(value=options))):
                same = (self.apply("==", made[item], self.scalar(one)) for one in options)
                return self.apply("or", *same, self.scalars.literal(False))
            case Operation(head=head, operands=operands):
                found = self.apply(head, *(made[operand] for operand in operands))
                is_whole = head in ("floor", "ceil")
                return self.scalars.converted(found, WHOLE) if is_whole else found
        raise UnsupportedError(f"{part!r} has no formula")

    def _options(self, value: Any) -> Scalar:
        """The options of a choice are looked at where it is made."""
        return self.scalars.literal(False if isinstance(value, tuple) else value)

    def _value(self, expr: Expr) -> Value:
        match expr:
            case Var(name=name):
                return self.input(name, self.type_of(expr.type))
            case Const():
                return self._constant(expr)
            case Tuple(operands=operands):
                return tuple(self._values[operand] for operand in operands)
            case Proj(index=index):
                whole = self._values[expr.operands[0]]
                assert isinstance(whole, tuple)
                return whole[index]
            case Call():
                return self._called(expr)
        raise UnsupportedError(f"not a computation: {expr!r}")

    def input(self, name: str, declared: TensorType) -> Tensor:
        """Return an unknown tensor; its elements are unknowns with its name and their places."""
        found = self.inputs.setdefault(name, (declared, {}))[1]

        def read(place: Place) -> Scalar:
            if place not in found:
                kind = self.apply.as_dtype(self.scalars.literal(0), declared.dtype).kind
                found[place] = self.scalars.unknown(kind, (name, place))
            return found[place]

        return Tensor(declared, read)

    def _constant(self, expr: Const) -> Tensor:
        declared = self.type_of(expr.type)
        written = expr.value if expr.asked is None else expr.asked

        def read(place: Place) -> Scalar:
            value = written[place] if isinstance(written, np.ndarray) else self.known.of(written)
            return self.apply.as_dtype(self.scalar(value), declared.dtype)

        return Tensor(declared, read)

    def _called(self, call: Call) -> Value:
        if call.operator.meaning is None:
            raise UnsupportedError(f"{call.operator} has no kernel")
        readers: dict[str, Tensor] = {}
        operands = [
            _named(f"{number}", self._values[operand], readers)
            for number, operand in enumerate(call.operands)
        ]
        declared = self.type_of(call.type)
        attributes = {name: self.known.of(value) for name, value in call.attributes.items()}
        if isinstance(declared, TensorType):
            kernel = partial(call.operator.element, operands=operands, attributes=attributes)
            return self._computed(declared, partial(kernel, field=None), readers)
        return tuple(
            self._computed(
                field,
                partial(
                    call.operator.element, operands=operands, attributes=attributes, field=number
                ),
                readers,
            )
            for number, field in enumerate(declared.fields)
        )

    def _computed(
        self,
        declared: TensorType,
        kernel: Callable[[Place], Expression],
        readers: Mapping[str, Tensor],
    ) -> Tensor:
        made: dict[Place, Scalar] = {}

        def read(place: Place) -> Scalar:
            if place not in made:
                element = _Element(self, readers)
                made[place] = self.apply.as_dtype(element.value(kernel(place), {}), declared.dtype)
            return made[place]

        return Tensor(declared, read)


def _named(name: str, value: Value, readers: dict[str, Tensor]) -> Any:
    """Return the operand of a kernel that reads a value by its name."""
    if isinstance(value, Tensor):
        readers[name] = value
        found: Elements = named(name, value.type)
        return found
    return tuple(_named(f"{name}.{n}", field, readers) for n, field in enumerate(value))


class _Element:
    """The kernel of one element, read with the elements of operands."""

    def __init__(self, unrolled: Unrolled, readers: Mapping[str, Tensor]) -> None:
        self.unrolled = unrolled
        self.readers = readers
        self.apply = unrolled.apply

    def _index(self, value: Any, loops: dict[Symbol, int]) -> Any:
        if not isinstance(value, Term):
            return value
        known = self.unrolled.known
        return evaluate(value, Partial(known.values, loops) if loops else known)

    def value(self, expression: Expression, loops: dict[Symbol, int]) -> Scalar:
        """Return the value of an expression for indices of the loops around it."""
        self.unrolled.left -= 1
        if self.unrolled.left < 0:
            raise UnsupportedError("the kernels take too many steps")
        whole: AnyExpression = expression  # type: ignore[assignment]
        match whole:
            case Number(value=number):
                return self.unrolled.scalar(self._index(number, loops))
            case Read():
                return self._read(whole, loops)
            case Apply(function="cast", arguments=(inner, Number(value=old), Number(value=new))):
                source, target = self._index(old, loops), self._index(new, loops)
                if not isinstance(source, str) or not isinstance(target, str):
                    raise UnsupportedError("a dtype depends on what is unknown")
                return self.apply.cast(self.value(inner, loops), source, target)
            case Apply(function=function, arguments=arguments):
                return self.apply(function, *[self.value(one, loops) for one in arguments])
            case Select(condition=condition, then=then, otherwise=otherwise):
                chosen = self._index(condition, loops)
                if not isinstance(chosen, Term):
                    return self.value(then if chosen else otherwise, loops)
                both = self.value(then, loops), self.value(otherwise, loops)
                return self.apply.chosen(self.unrolled.scalar(chosen), *both)
            case Reduction():
                return self._reduction(whole, loops)
        raise UnsupportedError(f"not an expression of a kernel: {whole!r}")

    def _read(self, read: Read, loops: dict[Symbol, int]) -> Scalar:
        place = tuple(self._index(index, loops) for index in read.indices)
        if any(isinstance(index, Term) for index in place):
            raise UnsupportedError("an index depends on what is unknown")
        tensor = self.readers[read.tensor]
        if all(0 <= i < size for i, size in zip(place, tensor.type.shape, strict=True)):
            return tensor.read(tuple(map(int, place)))
        if read.guarded:
            return self.unrolled.scalars.literal(0)
        raise UnsupportedError("an element outside of a tensor is read")

    def _reduction(self, whole: Reduction, loops: dict[Symbol, int]) -> Scalar:
        extents = [self._index(extent, loops) for _, extent in whole.variables]
        if not all(isinstance(extent, int | np.integer) for extent in extents):
            raise UnsupportedError("the length of a loop depends on what is unknown")
        if prod(extents) > self.unrolled.left:
            raise UnsupportedError("the kernels take too many steps")
        function, start = FOLDS[whole.function]
        total = self.unrolled.scalars.literal(start)
        symbols = [symbol for symbol, _ in whole.variables]
        for place in np.ndindex(*extents):
            inner = {**loops, **dict(zip(symbols, place, strict=True))}
            total = self.apply(function, total, self.value(whole.body, inner))
        return total
