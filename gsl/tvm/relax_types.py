"""GSL types as Relax types and back."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tvm import relax

from gsl.tvm.errors import UnsupportedError
from gsl.types import TensorType, TupleType, Type


@lru_cache(maxsize=4096)
def to_relax_type(type_: Type) -> Any:
    """Return the Relax type of a GSL type whose sizes are known."""
    if isinstance(type_, TupleType):
        return relax.TupleType([to_relax_type(field) for field in type_.fields])
    return relax.TensorType(type_.shape, type_.dtype)


def from_relax_type(type_: Any) -> Type:
    """Return the GSL type of a Relax type; raise UnsupportedError when a size is not known."""
    if isinstance(type_, relax.TupleType):
        return TupleType(tuple(map(from_relax_type, type_.fields)))
    if not isinstance(type_, relax.TensorType):
        raise UnsupportedError(f"{_text(type_)} is not the type of a tensor or of a tuple")
    if type_.shape is None or type_.dtype is None:
        raise UnsupportedError(f"{_text(type_)} does not tell all sizes and the dtype")
    try:
        sizes = tuple(int(size) for size in type_.shape)
    except TypeError as error:
        raise UnsupportedError(f"{_text(type_)} has a symbolic size; bind it first") from error
    return TensorType(sizes, str(type_.dtype))


def _text(type_: Any) -> str:
    return str(type_).replace("\n", " ")
