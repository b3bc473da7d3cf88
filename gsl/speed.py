"""What a rewrite gains: times and agreement of two workloads on the same random inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gsl.numpy_dtypes import finfo, is_floating
from gsl.workload import Workload

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


def random_inputs(workload: Workload, seed: int = 0) -> dict[str, Any]:
    """Return an array for each input: normally distributed floats, zeros and random bools.

    Integers are 0 because they are mostly indices, for which TVM checks no bounds.
    """
    generator = np.random.default_rng(seed)
    return {variable.name: _draw(generator, variable) for variable in workload.inputs}


def _draw(generator: np.random.Generator, variable: Any) -> Any:
    if variable.dtype == "bool":
        return generator.integers(0, 2, variable.shape).astype(bool)
    if variable.dtype.startswith("float"):
        return generator.standard_normal(variable.shape).astype(variable.dtype)
    return np.zeros(variable.shape, variable.dtype)


def difference(left: Any, right: Any) -> float:
    """Return the largest difference of two arrays, relative to the largest element of the first."""
    if not left.size or np.array_equal(left, right, equal_nan=is_floating(left.dtype)):
        return 0.0
    wide = left.astype(np.float64), right.astype(np.float64)
    scale = max(float(np.abs(wide[0]).max()), float(finfo(np.float64).tiny))
    return float(np.abs(wide[0] - wide[1]).max()) / scale
