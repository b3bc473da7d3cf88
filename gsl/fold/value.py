"""What is known of an expression while parameters are folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gsl.errors import GraphError
from gsl.expr import Expr, Tuple
from gsl.types import TensorType, TupleType, Type


class Value:
    """What is known of one expression: an array, or what is known of the fields of a tuple.

    `stem` is the name of the first parameter that it was computed from, None for constants alone;
    `operator` tells by which operator, and which field of its result. `origin` is the tuple that
    was written; a field that is not known is None, and then the tuple is not complete.
    `expr` is the expression with this value in the folded network, once it is needed there.
    """

    __slots__ = ("array", "expr", "is_complete", "operands", "operator", "origin", "stem")

    def __init__(self, stem: str | None, *, array: Any = None, expr: Expr | None = None) -> None:
        self.stem = stem
        self.array = array
        self.expr = expr
        self.operator = ""
        self.operands: tuple[Value | None, ...] = ()
        self.origin: Tuple | None = None
        self.is_complete = True

    @property
    def unbuilt(self) -> list[Value]:
        """The fields that have no expression yet."""
        return [value for value in self.operands if value is not None and value.expr is None]

    def for_reference(self) -> Any:
        """Return the array, or a tuple of arrays as deep as the operand of a call may be."""
        if self.array is not None:
            return self.array
        return tuple(value.for_reference() for value in self.operands if value is not None)


def tuple_of(fields: Sequence[Value | None], origin: Tuple | None = None) -> Value:
    """Return what is known of a tuple, made by `origin` or else by a call."""
    known = [value for value in fields if value is not None]
    whole = Value(first_stem(known))
    whole.operands = tuple(fields)
    whole.origin = origin
    whole.is_complete = len(known) == len(fields) and all(value.is_complete for value in known)
    return whole


def first_stem(values: Iterable[Value]) -> str | None:
    """Return the first stem that one of `values` has."""
    return next((value.stem for value in values if value.stem is not None), None)


def computed(value: Any, declared: Type, stem: str | None, operator: str) -> Value:
    """Return what a reference has computed.

    Raises GraphError unless it is of the declared type, MemoryError when it cannot be stored.
    """
    if isinstance(declared, TupleType):
        count = len(declared.fields)
        if not isinstance(value, tuple | list) or len(value) != count:
            raise GraphError(f"its reference returned no tuple of {count} fields")
        pairs = enumerate(zip(value, declared.fields, strict=True))
        return tuple_of([computed(v, t, stem, f"{operator}_{i}") for i, (v, t) in pairs])
    array = np.asarray(value)
    actual = TensorType(array.shape, array.dtype.name)
    if actual != declared:
        raise GraphError(f"its reference returned {actual} instead of {declared}")
    if array.base is not None:
        np.empty(array.shape, array.dtype)  # a view is stored whole in the end: is there room?
    result = Value(stem, array=array)
    result.operator = operator
    return result
