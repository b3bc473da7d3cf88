"""Arrays of NumPy as tensors of TVM and back, without a copy, also where DLPack lacks the dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import tvm

from gsl.numpy_dtypes import BFLOAT16

BITS = np.dtype("uint16")
"""As what elements of BFLOAT16 pass: DLPack of NumPy does not know them."""


def passed(array: Any) -> Any:
    """Return an aligned array, or a tuple of such, as TVM takes it; anything else as it is."""
    if isinstance(array, tuple):
        return tuple(map(passed, array))
    if not isinstance(array, np.ndarray) or array.dtype != BFLOAT16:
        return array
    bits = tvm.runtime.from_dlpack(array.view(BITS))
    return bits._create_view(array.shape, BFLOAT16.name)


def received(tensor: Any) -> Any:
    """Return what TVM has computed as an array."""
    if str(tensor.dtype) != BFLOAT16.name:
        return np.from_dlpack(tensor)
    shape = tuple(map(int, tensor.shape))
    return np.from_dlpack(tensor._create_view(shape, BITS.name)).view(BFLOAT16)
