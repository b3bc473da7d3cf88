"""What a rewrite gains: times and agreement of two workloads on the same random inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gsl.numpy_dtypes import finfo, is_floating

ROUNDS = 5
"""How often two workloads take turns, so that a busy machine slows both."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Median milliseconds of two workloads, and the largest difference of their outputs.

    The difference is relative to the largest element of the output in which it occurs.
    """

    before: float
    after: float
    difference: float


def difference(left: Any, right: Any) -> float:
    """Return the largest difference of two arrays, relative to the largest element of the first.

    NaN in the same places is none.
    """
    if not left.size or np.array_equal(left, right, equal_nan=is_floating(left.dtype)):
        return 0.0
    wide = left.astype(np.float64), right.astype(np.float64)
    compared = ~(np.isnan(wide[0]) & np.isnan(wide[1]))
    first, second = (array[compared] for array in wide)
    scale = max(float(np.abs(first).max()), float(finfo(np.float64).tiny))
    return float(np.abs(first - second).max()) / scale
