"""Memory of NumPy arrays as TVM wants it."""

from __future__ import annotations

from typing import Any

import numpy as np

ALIGNMENT = 64
"""Bytes; kernels of vectorising targets read whole cache lines (tvm-facts, section 2)."""


def aligned(array: Any) -> Any:
    """Return `array` if TVM can use its memory as it is, else an aligned contiguous copy."""
    flags = array.flags
    if flags.c_contiguous and flags.writeable and _address(array) % ALIGNMENT == 0:
        return array
    copy = empty(array.shape, array.dtype)
    copy[...] = array
    return copy


def empty(shape: tuple[int, ...], dtype: Any) -> Any:
    """Return an aligned array of any elements."""
    plain = np.dtype(dtype)
    size = plain.itemsize
    for one in shape:
        size *= one
    memory = np.empty(size + ALIGNMENT, np.uint8)
    return np.ndarray(shape, plain, memory, -_address(memory) % ALIGNMENT)


def _address(array: Any) -> int:
    """Return where the elements begin, without the objects that `array.ctypes` makes."""
    place: int = array.__array_interface__["data"][0]
    return place
