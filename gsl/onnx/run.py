"""Workloads run by onnxruntime, as the models that they are written as."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import onnxruntime

from gsl.errors import InputError
from gsl.numpy_dtypes import BFLOAT16
from gsl.onnx.errors import NotWritableError
from gsl.onnx.loading import reason
from gsl.onnx.widened import widened, widened_arrays
from gsl.onnx.writer import MOST_BYTES, size_of, to_onnx
from gsl.random_inputs import random_inputs
from gsl.speed import ROUNDS, Comparison, difference
from gsl.workload import Workload

QUIET = 4
"""The level of messages of onnxruntime at which only the end of the process is one."""


class Session:
    """A workload that onnxruntime has prepared; raises NotWritableError when it cannot.

    It has hardly any operator of bfloat16, nor arrays of it; these are computed in float32.
    """

    def __init__(self, workload: Workload) -> None:
        self._dtypes = [np.dtype(one.dtype) for one in workload.outputs]
        workload = widened(workload)
        with TemporaryDirectory() as folder:
            try:
                self._session = onnxruntime.InferenceSession(
                    _written(workload, Path(folder)), options(), ["CPUExecutionProvider"]
                )
            except NotWritableError:
                raise
            except Exception as error:
                message = f"onnxruntime cannot run the model: {reason(error)}"
                raise NotWritableError(message) from error

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """Return the outputs for arrays by the names of inputs; raises InputError."""
        try:
            outputs: list[Any] = self._session.run(None, widened_arrays(inputs))
        except Exception as error:
            raise InputError(f"onnxruntime fails: {reason(error)}") from error
        pairs = zip(outputs, self._dtypes, strict=True)
        return [one.astype(dtype) if dtype == BFLOAT16 else one for one, dtype in pairs]


def options() -> Any:
    """Return options with which onnxruntime prints nothing."""
    chosen = onnxruntime.SessionOptions()
    chosen.log_severity_level = QUIET
    return chosen


def run_model(model: Any, inputs: Mapping[str, Any], level: str = "") -> list[Any]:
    """Return the outputs of an `onnx.ModelProto` in onnxruntime.

    It rewrites nothing first, or as much as a `level` says: "basic", "extended" or "all". Raises
    whatever onnxruntime raises.
    """
    chosen, levels = options(), onnxruntime.GraphOptimizationLevel
    name = f"ORT_ENABLE_{level.upper()}" if level else "ORT_DISABLE_ALL"
    chosen.graph_optimization_level = getattr(levels, name)
    chosen.intra_op_num_threads = 1
    data, providers = model.SerializeToString(), ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(data, chosen, providers)
    outputs: list[Any] = session.run(None, dict(inputs))
    return outputs


def _written(workload: Workload, folder: Path) -> Any:
    if size_of(workload) <= MOST_BYTES // 2:
        return to_onnx(workload).SerializeToString()  # type: ignore[union-attr]
    to_onnx(workload, folder / "model.onnx")
    return folder / "model.onnx"


def run(workload: Workload, inputs: Mapping[str, Any]) -> list[Any]:
    """Return the outputs of a workload in onnxruntime for arrays by the names of its inputs."""
    arrays = {name: np.asarray(value) for name, value in inputs.items()}
    return Session(workload).run(arrays)


def compare(before: Workload, after: Workload, seed: int = 0) -> Comparison:
    """Return times and agreement in onnxruntime of two workloads on the same random inputs.

    They take turns. Inputs are those of `random_inputs`.
    """
    inputs = random_inputs(before, seed)
    sessions = [Session(one) for one in (before, after)]
    results = [one.run(inputs) for one in sessions]
    seconds: list[list[float]] = [[], []]
    for _ in range(3 * ROUNDS):
        for own, session in zip(seconds, sessions, strict=True):
            started = perf_counter()
            session.run(inputs)
            own.append(perf_counter() - started)
    largest = max(map(difference, *results), default=0.0)
    return Comparison(1e3 * median(seconds[0]), 1e3 * median(seconds[1]), largest)
