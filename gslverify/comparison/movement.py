"""The NumPy functions that only move elements: what is known of an element goes with it."""

from __future__ import annotations

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
