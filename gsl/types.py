"""Types of tensors and tuples; sizes are ints, or terms when a shape rule runs symbolically."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from gsl.dtypes import DTYPES, Kind, names_of

Int = Any
"""An int, or a term that stands for one."""

Bool = Any
"""A bool, or a term that stands for one."""

FLOATING = names_of(Kind.FLOAT, stored=False)
INTEGER = names_of(Kind.SIGNED, Kind.UNSIGNED, stored=False)
NUMERIC = FLOATING + INTEGER
"""The dtypes that arithmetic is defined for."""

ANY_FLOAT = names_of(Kind.FLOAT)
ANY_INTEGER = names_of(Kind.SIGNED, Kind.UNSIGNED)
UNSIGNED = names_of(Kind.UNSIGNED)
BOOLEAN = names_of(Kind.BOOL)
STORED = tuple(name for name, one in DTYPES.items() if one.is_stored)
"""The dtypes that tensors are only kept in."""

SATURATING = tuple(name for name in STORED if name in ANY_FLOAT)
"""The float types without a number for what is too large: a conversion gives their last one."""

ALL_DTYPES = NUMERIC + BOOLEAN + STORED


@dataclass(frozen=True, slots=True)
class TensorType:
    """Sizes and element type of a tensor; `dtype` is a NumPy name such as "float32"."""

    shape: tuple[Int, ...]
    dtype: Any

    @property
    def ndim(self) -> int:
        """The rank, always a known int."""
        return len(self.shape)

    @property
    def size(self) -> Int:
        """The number of elements."""
        return prod(self.shape)

    def with_shape(self, shape: tuple[Int, ...]) -> TensorType:
        """Return the type with another shape and the same dtype."""
        return TensorType(tuple(shape), self.dtype)

    def with_dtype(self, dtype: Any) -> TensorType:
        """Return the type with another dtype and the same shape."""
        return TensorType(self.shape, dtype)

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True)
class TupleType:
    """The types of the fields of a tuple."""

    fields: tuple[TensorType | TupleType, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.fields))})"


Type = TensorType | TupleType

_SHARED: dict[Any, Any] = {}
MOST_SHARED = 1 << 16


def share(key: Any, value: Any) -> Any:
    """Return the value that was first given with an equal `key`, so that equal ones are one object.

    What is equal is then mostly told by `is`. After MOST_SHARED values all are forgotten.
    """
    found = _SHARED.get(key)
    if found is None:
        if len(_SHARED) >= MOST_SHARED:
            _SHARED.clear()
        found = _SHARED[key] = value
    return found


def shared(given: Type) -> Type:
    """Return the object that all types equal to `given` share, if its sizes are known.

    Tuples among the fields are taken to be shared already, since tuples may be nested deeply.
    """
    found: Type = given
    if isinstance(given, TensorType):
        if type(given.dtype) is str and {*map(type, given.shape)} <= {int}:
            found = share((given.shape, given.dtype), given)
    else:
        # The shared type keeps its fields, so their identities stay theirs.
        fields = tuple([f if isinstance(f, TupleType) else shared(f) for f in given.fields])
        found = share(("fields", *map(id, fields)), TupleType(fields))
    return found


def type_to_plain(given: Type) -> tuple[Any, ...]:
    """Return a type as plain values: ``("float32", (2, 3))``, a tuple type as a tuple of such."""
    if isinstance(given, TupleType):
        return tuple(map(type_to_plain, given.fields))
    return given.dtype, given.shape


def type_from_plain(written: Any) -> Type:
    """Return the type that `type_to_plain` wrote; raise TypeError or ValueError for anything else.

    Lists are taken for tuples, as JSON makes them.
    """
    fields = tuple(written)
    if not fields or not isinstance(fields[0], str):
        return TupleType(tuple(map(type_from_plain, fields)))
    dtype, shape = fields
    if not all(isinstance(size, int) for size in shape):
        raise TypeError(f"{shape!r} are no sizes")
    return TensorType(tuple(shape), dtype)
