"""GSL types as Relax types and back."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tvm import relax

from gsl.tvm.errors import UnsupportedError
from gsl.types import TensorType, TupleType, Type


@lru_cache(maxsize=4096)
def to_relax_type(given: Type) -> Any:
    """Return the Relax type of a GSL type whose sizes are known."""
    if isinstance(given, TupleType):
        return relax.TupleType([to_relax_type(field) for field in given.fields])
    return relax.TensorType(given.shape, given.dtype)


def from_relax_type(given: Any) -> Type:
    """Return the GSL type of a Relax type; raise UnsupportedError when a size is not known."""
    if isinstance(given, relax.TupleType):
        return TupleType(tuple(map(from_relax_type, given.fields)))
    if not isinstance(given, relax.TensorType):
        raise UnsupportedError(f"{_text(given)} is not the type of a tensor or of a tuple")
    if given.shape is None or given.dtype is None:
        raise UnsupportedError(f"{_text(given)} does not tell all sizes and the dtype")
    try:
        sizes = tuple(int(size) for size in given.shape)
    except TypeError as error:
        raise UnsupportedError(f"{_text(given)} has a symbolic size; bind it first") from error
    return TensorType(sizes, str(given.dtype))


def _text(given: Any) -> str:
    return str(given).replace("\n", " ")
