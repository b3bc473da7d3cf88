"""Operators that PyTorch has no function for, as modules that compute their NumPy references."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.evaluate import value_of
from gsl.expr import Call
from gsl.numpy_dtypes import BFLOAT16


def reference_module(torch: Any, call: Call) -> Any:
    """Return a module of PyTorch that computes one call, for tensors in memory."""

    class Reference(torch.nn.Module):  # type: ignore[misc]
        """Computes a call by its reference."""

        def forward(self, *operands: Any) -> Any:
            with np.errstate(all="ignore"):
                found = value_of(call, [_array(torch, one) for one in operands], {})
            return _tensors(torch, found)

        def extra_repr(self) -> str:
            return str(call.operator)

    return Reference()


def _array(torch: Any, value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple(_array(torch, one) for one in value)
    if value.dtype == torch.bfloat16:
        return value.detach().view(torch.int16).numpy().view(BFLOAT16)
    return value.detach().numpy()


def _tensors(torch: Any, value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple(_tensors(torch, one) for one in value)
    array = np.asarray(value)
    if array.dtype == BFLOAT16:
        return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(array))
