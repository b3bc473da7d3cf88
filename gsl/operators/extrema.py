"""The larger and the smaller of two numbers, the same on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.numpy_dtypes import is_floating


def larger(left: Any, right: Any) -> Any:
    """Return the larger elements, NaN where one is NaN, and of two zeros the one on the right."""
    return _settled(left, right, np.maximum(left, right))


def smaller(left: Any, right: Any) -> Any:
    """Return the smaller elements, NaN where one is NaN, and of two zeros the one on the right."""
    return _settled(left, right, np.minimum(left, right))


def _settled(left: Any, right: Any, found: Any) -> Any:
    """Take zeros from the right; which zero NumPy takes depends on dtype and machine.

    TVM's code takes the right one where it compares and selects.
    """
    is_plain = isinstance(found, np.ndarray | np.generic) and is_floating(found.dtype)
    return np.where(left == right, right, found) if is_plain else found
