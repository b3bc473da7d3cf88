"""What a rewrite gains: two workloads of the same meaning, measured side by side."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from gsl.tvm.profile import leaves
from gsl.tvm.run import arguments, compile_workload
from gsl.workload import Workload

ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Comparison:
    """Median milliseconds of two workloads, and the largest difference of their outputs.

    The difference is relative to the largest element of the output in which it occurs.
    """

    before: float
    after: float
    difference: float


def compare(before: Workload, after: Workload, seed: int = 0) -> Comparison:
    """Return times and agreement of two workloads on the same random inputs.

    They take turns, so that a busy machine slows both. Inputs are those of `random_inputs`.
    """
    inputs = random_inputs(before, seed)
    pairs = [(compile_workload(one), arguments(one, inputs)) for one in (before, after)]
    results = [list(leaves(executable.run("main", arrays))) for executable, arrays in pairs]
    seconds: list[list[float]] = [[], []]
    for _ in range(ROUNDS):
        for own, (executable, arrays) in zip(seconds, pairs, strict=True):
            own.extend(executable.measure("main", arrays, repeats=3))
    difference = max(map(_difference, *results), default=0.0)
    return Comparison(1e3 * median(seconds[0]), 1e3 * median(seconds[1]), difference)


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


def _difference(left: Any, right: Any) -> float:
    if not left.size or np.array_equal(left, right, equal_nan=left.dtype.kind == "f"):
        return 0.0
    wide = left.astype(np.float64), right.astype(np.float64)
    scale = max(float(np.abs(wide[0]).max()), float(np.finfo(np.float64).tiny))
    return float(np.abs(wide[0] - wide[1]).max()) / scale
