"""The NumPy functions that only move elements: what is known of an element goes with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

MOVEMENTS = (
    np.reshape,
    np.transpose,
    np.concatenate,
    np.stack,
    np.take,
    np.take_along_axis,
    np.broadcast_to,
    np.expand_dims,
    np.squeeze,
    np.flip,
    np.repeat,
    np.tile,
    np.lib.stride_tricks.sliding_window_view,
)


def is_plain_padding(array: Any, args: Sequence[Any], options: Mapping[str, Any]) -> bool:
    """Tell whether `np.pad` is asked for one number around an array, a pair of widths per axis."""
    if len(args) != 1 or options.keys() - {"constant_values"}:
        return False
    (widths,) = args
    if not isinstance(widths, list) or len(widths) != array.ndim:
        return False
    pairs = all(isinstance(one, tuple) and len(one) == 2 and min(one) >= 0 for one in widths)
    return pairs and np.ndim(options.get("constant_values", 0)) == 0


def padded(array: Any, widths: Sequence[tuple[int, int]], constant_values: Any = 0) -> Any:
    """Return what `np.pad` does for plain padding, which takes it ten times as long.

    It would be most of what references of convolutions and pools cost on small tensors.
    """
    sides = list(zip(widths, array.shape, strict=True))
    shape = [low + size + high for (low, high), size in sides]
    whole = np.full(shape, constant_values, array.dtype)
    whole[tuple(slice(low, low + size) for (low, _), size in sides)] = array
    return whole
