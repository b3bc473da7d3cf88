"""Computation expressions: what a network computes (thesis, section 2.2).

Expressions are immutable and equal only when they are the same object. Each knows its type, so an
expression that exists is well typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import index
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gsl.attr.evaluate import is_symbolic
from gsl.attr.term import Term
from gsl.errors import GraphError, MisuseError, ShapeError
from gsl.numpy_dtypes import is_floating
from gsl.operators.declaration import Need, Operator
from gsl.types import ALL_DTYPES, FLOATING, Int, TensorType, TupleType, Type, share, shared


class Expr:
    """Base of the five kinds of expressions: a closed union."""

    __slots__ = ("operands", "type")

    operands: tuple[Expr, ...]
    type: Type

    def __init__(self, operands: tuple[Expr, ...], result: Type) -> None:
        self.operands = operands
        self.type = shared(result)

    def with_operands(self, operands: tuple[Expr, ...]) -> Expr:
        """Return this expression over other operands of the same types."""
        copy = object.__new__(type(self))
        for kind in type(self).__mro__:
            for name in getattr(kind, "__slots__", ()):
                setattr(copy, name, getattr(self, name))
        copy.operands = operands
        return copy

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of a tensor; raises GraphError for a tuple."""
        return self.tensor_type.shape

    @property
    def dtype(self) -> str:
        """The element type of a tensor; raises GraphError for a tuple."""
        return str(self.tensor_type.dtype)

    @property
    def tensor_type(self) -> TensorType:
        """The type of a tensor; raises GraphError for a tuple."""
        if isinstance(self.type, TensorType):
            return self.type
        raise GraphError("a tuple has neither shape nor dtype")


class Const(Expr):
    """A tensor known when the network is written; raises MisuseError for what is none.

    A term as value or dtype makes a constant that is only known symbolically; then `value` is what
    was given instead of an array: a term or number of rank 0, or nested tuples of these. Numbers
    beyond the range of a float dtype become infinite. `asked` is the Python float that was given,
    or the integer that the dtype does not hold, before it was rounded; None when there was none.
    """

    __slots__ = ("asked", "value")

    def __init__(self, value: ArrayLike | Term, dtype: str | Term | None = None) -> None:
        self.asked: float | None = None
        if isinstance(dtype, Term) or is_symbolic(value):
            self.value: Any = value
            super().__init__((), TensorType(_nested_shape(value), dtype))
            return
        with np.errstate(over="ignore"):
            array = _array(value, dtype)
            if dtype is None and array.dtype == np.float64 and not isinstance(value, np.ndarray):
                array = array.astype(np.float32)
        array.setflags(write=False)
        self.value = array
        if array.dtype.name in FLOATING and _is_asked_for(value, array):
            self.asked = float(value)  # type: ignore[arg-type]
        super().__init__((), TensorType(array.shape, _known_dtype(array.dtype.name)))

    def __repr__(self) -> str:
        value = self.value.tolist() if isinstance(self.value, np.ndarray) else self.value
        return f"Const({value!r}, {self.dtype})"


def _is_asked_for(value: object, array: Any) -> bool:
    """Tell whether a Python number was given that a float dtype may have rounded."""
    return isinstance(value, float) or (type(value) is int and float(array) != value)


class Var(Expr):
    """A formal parameter of the network: an input or a model parameter."""

    __slots__ = ("name",)

    def __init__(self, name: str, shape: Sequence[Int] = (), dtype: Any = "float32") -> None:
        if not isinstance(name, str) or not isinstance(shape, Iterable):
            raise MisuseError(f"a variable has a name and sizes, not {name!r} and {shape!r}")
        sizes = tuple([size if isinstance(size, Term) else _size(name, size) for size in shape])
        if any(not isinstance(size, Term) and size < 0 for size in sizes):
            raise ShapeError(f"variable `{name}` has a negative size: {sizes}")
        self.name = name
        super().__init__((), TensorType(sizes, _known_dtype(dtype)))

    def __repr__(self) -> str:
        return f"Var({self.name!r}, {self.shape}, {self.dtype})"


class Call(Expr):
    """An operator applied to operands; attributes are kept in canonical form, defaults included.

    With symbolic sizes, preconditions that they leave open are collected in `need`. Raises
    OperatorError for unknown attributes and ShapeError for a violated precondition.
    """

    __slots__ = ("attributes", "operator")

    operator: Operator
    attributes: Mapping[str, Any]

    def __init__(
        self,
        operator: Operator,
        operands: Sequence[Expr],
        attributes: Mapping[str, Any] = MappingProxyType({}),
        need: Need | None = None,
    ) -> None:
        if not isinstance(operator, Operator):
            raise MisuseError(f"{operator!r} is no operator; see gsl.operators.lookup")
        if type(attributes) is not dict and not isinstance(attributes, Mapping):
            raise MisuseError(f"attributes of {operator} are given by name, not as {attributes!r}")
        operands, types = _with_types(operator, operands)
        self.operator = operator
        self.attributes = _shared_attributes(operator, operator.normalise(attributes, types))
        try:
            result = operator.infer(types, self.attributes, need)
        except ShapeError as error:
            if need is not None:
                raise
            given = ", ".join(map(str, types))
            raise ShapeError(f"{error}: this is {operator} of {given}") from error
        super().__init__(operands, result)

    def with_operands(self, operands: tuple[Expr, ...]) -> Expr:
        """Return this call of other operands of the same types."""
        if type(self) is not Call:
            return super().with_operands(operands)
        call = object.__new__(Call)
        call.operator = self.operator
        call.operands = operands
        call.attributes = self.attributes
        call.type = self.type
        return call

    def __repr__(self) -> str:
        count = len(self.operator.operands or self.operands)  # new nodes get theirs at the end
        return f"Call({self.operator}, {count} operands, {dict(self.attributes)})"


class Tuple(Expr):
    """Several expressions as one."""

    __slots__ = ()

    type: TupleType

    def __init__(self, fields: Sequence[Expr]) -> None:
        operands, types = _with_types("a tuple", fields)
        super().__init__(operands, TupleType(types))

    def with_operands(self, operands: tuple[Expr, ...]) -> Expr:
        """Return the tuple of other fields of the same types."""
        if type(self) is not Tuple:
            return super().with_operands(operands)
        copy = object.__new__(Tuple)
        copy.operands = operands
        copy.type = self.type
        return copy

    def __repr__(self) -> str:
        return f"Tuple({len(self.type.fields)} fields)"


class Proj(Expr):
    """One field of a tuple, counted from 0; raises GraphError when there is none."""

    __slots__ = ("index",)

    def __init__(self, whole: Expr, index: int) -> None:
        if not isinstance(whole.type, TupleType):
            raise GraphError("only a tuple has fields to project")
        if not (isinstance(index, int) and 0 <= index < len(whole.type.fields)):
            raise GraphError(f"field {index} of a tuple of {len(whole.type.fields)} fields")
        self.index = index
        self.operands = (whole,)
        self.type = whole.type.fields[index]

    def with_operands(self, operands: tuple[Expr, ...]) -> Expr:
        """Return the same field of another tuple of the same type."""
        if type(self) is not Proj:
            return super().with_operands(operands)
        copy = object.__new__(Proj)
        copy.operands = operands
        copy.type = self.type
        copy.index = self.index
        return copy

    def __repr__(self) -> str:
        return f"Proj({self.index})"


def _with_types(
    what: object, operands: Iterable[Expr]
) -> tuple[tuple[Expr, ...], tuple[Type, ...]]:
    """Return operands with their types; raise MisuseError unless they are expressions."""
    try:
        listed = tuple(operands)
    except TypeError as error:
        message = f"{what} takes a list of expressions, not {operands!r}"
        raise MisuseError(message) from error
    try:
        return listed, tuple([operand.type for operand in listed])
    except AttributeError as error:
        wrong = next(one for one in listed if not hasattr(one, "type"))
        cure = "write Const(...) for a number"
        raise MisuseError(f"{what} takes expressions, not {wrong!r}; {cure}") from error


def _array(value: Any, dtype: Any) -> np.ndarray:
    try:
        array = np.array(value, dtype=dtype)
        if dtype is None or is_floating(array.dtype) or np.array_equal(array, value):
            return array
        raise ValueError(f"{value!r} is not a value of {dtype}")
    except (OverflowError, TypeError, ValueError) as error:
        raise MisuseError(f"a constant is a number or an array of numbers: {error}") from error


def _size(name: str, size: Any) -> int:
    try:
        return index(size)
    except TypeError as error:
        raise MisuseError(
            f"variable `{name}` has the size {size!r}; write a whole number"
        ) from error


def _known_dtype(name: Any) -> Any:
    if not isinstance(name, Term) and name not in ALL_DTYPES:
        raise GraphError(f"dtype {name} is not one of {', '.join(ALL_DTYPES)}")
    return name


def _shared_attributes(operator: Operator, canonical: dict[str, Any]) -> Mapping[str, Any]:
    """Return canonical attributes as the one mapping for all calls with the same, unless a value
    may equal another one that is not interchangeable.
    """
    values = tuple(canonical.values())
    if all(map(is_exact, values)):
        key = (operator, *values, *map(type, values))
        known: Mapping[str, Any] = share(key, MappingProxyType(canonical))
        return known
    return MappingProxyType(canonical)


def is_exact(value: Any) -> bool:
    """Tell whether values of its type that equal `value` are interchangeable with it."""
    kind = type(value)
    if kind is float:
        return bool(value) and value == value  # -0.0 equals 0.0, and NaN nothing
    return kind in _EXACT or (kind is tuple and {*map(type, value)} <= {int})


_EXACT = frozenset((int, str, bool))


def attribute_of(expr: Expr, name: str) -> Any:
    """Return attribute `name` of an expression; raise AttributeError when it has none.

    Every tensor has `shape`, `dtype` and `ndim`; calls have `operator` and their own attributes;
    projections have `index`, constants `value`, tuples `length`.
    """
    if isinstance(expr, Call) and name in expr.attributes:
        return expr.attributes[name]
    match expr, name:
        case Expr(type=TensorType() as known), "shape" | "dtype" | "ndim":
            return getattr(known, name)
        case Expr(type=TupleType(fields=fields)), "length":
            return len(fields)
        case Call(), "operator":
            return expr.operator
        case Proj(), "index":
            return expr.index
        case Const(), "value":
            value = expr.value
            return _nested(value.tolist()) if isinstance(value, np.ndarray) else value
        case _:
            raise AttributeError(name)


def _nested_shape(value: Any) -> tuple[int, ...]:
    """Return the sizes of nested tuples, which all are as long as the first beside them."""
    sizes = []
    while isinstance(value, tuple):
        sizes.append(len(value))
        value = value[0] if value else None
    return tuple(sizes)


def _nested(values: Any) -> Any:
    return tuple(map(_nested, values)) if isinstance(values, list) else values
