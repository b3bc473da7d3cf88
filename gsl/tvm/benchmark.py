"""What a rewrite gains on TVM: two workloads of the same meaning, measured side by side."""

from __future__ import annotations

from statistics import median

from gsl.random_inputs import random_inputs
from gsl.speed import ROUNDS, Comparison, difference
from gsl.tvm.profile import leaves
from gsl.tvm.run import arguments, compile_workload
from gsl.workload import Workload


def compare(before: Workload, after: Workload, seed: int = 0) -> Comparison:
    """Return times and agreement of two workloads on the same random inputs.

    They take turns. Inputs are those of `random_inputs`.
    """
    inputs = random_inputs(before, seed)
    pairs = [(compile_workload(one), arguments(one, inputs)) for one in (before, after)]
    results = [list(leaves(executable.run("main", arrays))) for executable, arrays in pairs]
    seconds: list[list[float]] = [[], []]
    for _ in range(ROUNDS):
        for own, (executable, arrays) in zip(seconds, pairs, strict=True):
            own.extend(executable.measure("main", arrays, repeats=3))
    largest = max(map(difference, *results), default=0.0)
    return Comparison(1e3 * median(seconds[0]), 1e3 * median(seconds[1]), largest)
