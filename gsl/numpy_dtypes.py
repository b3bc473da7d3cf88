"""The element types in NumPy, which has those of its own and gets the others from `ml_dtypes`.

NumPy tells nothing about the others: their kind is "V", and `np.finfo` does not know them. So what
is asked about the dtype of an array is asked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from gsl.dtypes import DTYPES
from gsl.types import TensorType, TupleType, Type

finfo: Callable[[Any], Any] = ml_dtypes.finfo
iinfo: Callable[[Any], Any] = ml_dtypes.iinfo
"""What `np.finfo` and `np.iinfo` say, of all element types."""

BFLOAT16 = np.dtype("bfloat16")
FOREIGN = 2
"""What `isbuiltin` of a dtype is that NumPy has from elsewhere."""

WIDE = np.dtype("float32")
"""In what is computed on BFLOAT16: once at the end of an operator is rounded, as machines do."""

_NIBBLES = {np.dtype("int4"), np.dtype("uint4")}
"""What NumPy converts to no other dtype that it has from elsewhere."""

_KINDS = {np.dtype(name): one.kind.value for name, one in DTYPES.items()}


def kind_of(dtype: np.dtype[Any]) -> str:
    """Return "f", "i", "u" or "b" for an element type, whatever NumPy says for any other dtype."""
    return _KINDS.get(dtype) or dtype.kind


def is_floating(dtype: np.dtype[Any]) -> bool:
    """Tell whether a dtype is a float type."""
    return kind_of(dtype) == "f"


def keeps(source: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Tell whether a conversion between two element types keeps all numbers."""
    return DTYPES[wanted.name].holds_all_of(DTYPES[source.name])


def converted(array: Any, dtype: str) -> Any:
    """Return an array as one of any element type: floats rounded towards zero, integers wrapped."""
    return (array.astype(np.int8) if array.dtype in _NIBBLES else array).astype(dtype)


def promoted(operands: Iterable[Any]) -> np.dtype[Any]:
    """Return the dtype that NumPy promotes operands to; Python numbers do not widen BFLOAT16."""
    dtypes = [getattr(operand, "dtype", operand) for operand in operands]
    if BFLOAT16 in dtypes and all(one == BFLOAT16 or type(one) in (int, float) for one in dtypes):
        return BFLOAT16
    return np.result_type(*dtypes)


def computed(
    reference: Callable[..., Any],
    operands: Sequence[Any],
    attributes: Mapping[str, Any],
    declared: Type,
) -> Any:
    """Return what a reference computes, of BFLOAT16 in WIDE, which is rounded once at the end.

    Arrays that are not those of NumPy are left to it.
    """
    wide = [_widened(one) for one in operands]
    makes = isinstance(declared, TensorType) and declared.dtype == BFLOAT16.name
    if not makes and all(one is other for one, other in zip(wide, operands, strict=True)):
        return reference(*operands, **attributes)
    if not all(map(_is_plain, operands)):
        return reference(*operands, **attributes)
    given = {name: _wide_name(value) for name, value in attributes.items()}
    return _narrowed(reference(*wide, **given), declared)


def _wide_name(value: Any) -> Any:
    return WIDE.name if isinstance(value, str) and value == BFLOAT16.name else value


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    return isinstance(value, np.ndarray | np.generic)


def _widened(value: Any) -> Any:
    if isinstance(value, tuple | list):
        fields = [_widened(one) for one in value]
        same = all(one is other for one, other in zip(fields, value, strict=True))
        return value if same else tuple(fields)
    if isinstance(value, np.ndarray | np.generic) and value.dtype == BFLOAT16:
        return value.astype(WIDE)
    return value


def _narrowed(value: Any, declared: Type) -> Any:
    if isinstance(declared, TupleType):
        return tuple([_narrowed(*pair) for pair in zip(value, declared.fields, strict=True)])
    if declared.dtype == BFLOAT16.name and getattr(value, "dtype", None) == WIDE:
        with np.errstate(over="ignore"):
            return np.asarray(value).astype(BFLOAT16)
    return value


def for_file(array: Any) -> Any:
    """Return an array as `.npy` can say it: bits in a field that has the name of the dtype."""
    if array.dtype.isbuiltin != FOREIGN:
        return array
    bits = np.dtype([(array.dtype.name, f"<u{array.dtype.itemsize}")])
    return np.ascontiguousarray(array).view(bits).reshape(array.shape)


def from_file(array: Any) -> Any:
    """Return the array that `for_file` was given."""
    name = "".join(array.dtype.names or ())
    return array.view(np.dtype(name)) if name in DTYPES else array
