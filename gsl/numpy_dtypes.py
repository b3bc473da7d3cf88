"""The element types in NumPy, which has those of its own and gets the others from `ml_dtypes`.

NumPy tells nothing about the others: their kind is "V", and `np.finfo` does not know them. So what
is asked about the dtype of an array is asked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
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


@cache
def keeps(source: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Tell whether a conversion between two element types keeps all numbers."""
    return DTYPES[wanted.name].holds_all_of(DTYPES[source.name])


def converted(array: Any, dtype: str) -> Any:
    """Return an array as one of any element type: to integers towards zero, to floats nearest.

    A conversion rounds once, also those of `ml_dtypes`, which go by way of WIDE.
    """
    if array.dtype in _NIBBLES:
        array = array.astype(np.int8)
    return (_rounded_to_odd(array) if _goes_by_wide(array, np.dtype(dtype)) else array).astype(
        dtype
    )


def _goes_by_wide(array: Any, wanted: np.dtype[Any]) -> bool:
    """Tell whether numbers may be rounded on the way to a float type that NumPy does not have."""
    is_plain = isinstance(array, np.ndarray | np.generic)
    is_foreign = wanted.isbuiltin == FOREIGN and is_floating(wanted)
    return is_plain and is_foreign and not keeps(array.dtype, WIDE)


def _rounded_to_odd(array: Any) -> Any:
    """Return numbers as WIDE, what it does not hold as the neighbour with an odd significand.

    So no tie of fewer digits is made on the way, nor left.
    """
    exact = np.asarray(array)
    if not is_floating(exact.dtype):
        exact = _without_lowest_bits(exact).astype(np.float64)
    with np.errstate(over="ignore"):
        near = exact.astype(WIDE)
    is_even = near.view(np.uint32) % 2 == 0
    beyond = np.where(exact > near, np.inf, -np.inf).astype(WIDE)
    is_moved = is_even & (exact != near) & ~np.isnan(exact)
    return np.where(is_moved, np.nextafter(near, beyond), near)


def _without_lowest_bits(whole: Any) -> Any:
    """Return integers of which float64 holds all: between two multiples lies the middle of them."""
    step = np.array(2**12, whole.dtype)
    floor = whole - whole % step
    is_large = (whole > 2**53) | (whole < -(2**53)) if whole.dtype.itemsize == 8 else False
    return np.where(is_large & (whole != floor), floor + step // 2, whole)


def promoted(operands: Iterable[Any]) -> np.dtype[Any]:
    """Return the dtype that NumPy promotes operands to; Python numbers do not widen BFLOAT16."""
    dtypes = [getattr(operand, "dtype", operand) for operand in operands]
    first = dtypes[0]
    if isinstance(first, np.dtype) and all(one is first for one in dtypes):
        return first
    if BFLOAT16 in dtypes and all(one == BFLOAT16 or type(one) in (int, float) for one in dtypes):
        return BFLOAT16
    return np.result_type(*dtypes)


def rounds_itself(reference: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a reference that rounds to BFLOAT16 once, which by way of WIDE would be twice."""
    reference.rounds_itself = True  # type: ignore[attr-defined]
    return reference


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
    is_rounded = getattr(reference, "rounds_itself", False)
    given = attributes if is_rounded else {n: _wide_name(one) for n, one in attributes.items()}
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
