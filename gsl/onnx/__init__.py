"""The door to ONNX: models read as workloads, and workloads written as models.

The packages that it needs are an extra: ``pip install 'gslverify[models]'``. They are loaded when a
model is read or written, never by importing this package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from os import PathLike
from typing import Any

from gsl.errors import ModelError
from gsl.workload import Workload

PACKAGES = ("onnx", "onnx_ir", "onnxruntime", "ml_dtypes")
"""What the extra `models` brings for ONNX."""


def from_onnx(
    model: Any,
    shapes: Mapping[str, Sequence[int]] | None = None,
    record: list[Any] | None = None,
    *,
    literal: bool = False,
) -> Workload:
    """Return the workload of an ONNX model; see `gsl.onnx.reader.from_onnx`.

    Raises ModelError also when a package is missing.
    """
    reader = load("reader", "reading ONNX models")
    known = {} if shapes is None else shapes
    workload: Workload = reader.from_onnx(model, known, record, literal=literal)
    return workload


def to_onnx(
    workload: Workload, path: str | PathLike[str] | None = None, opset: int | None = None
) -> Any:
    """Return a workload as an `onnx.ModelProto`, or write it; see `gsl.onnx.writer.to_onnx`.

    Raises ModelError also when a package is missing.
    """
    return load("writer", "writing ONNX models").to_onnx(workload, path, opset)


def require_opset(opset: int) -> None:
    """Raise NotWritableError for an opset that is not written, ModelError without the package."""
    load("writer", "writing ONNX models").require_opset(opset)


def load(module: str, what: str) -> Any:
    """Return a module of this room; raise ModelError, saying the cure, if a package is missing."""
    try:
        return import_module(f"{__name__}.{module}")
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if package not in PACKAGES:
            raise
        cure = "pip install 'gslverify[models]'"
        raise ModelError(f"{what} needs the package `{package}`: {cure}") from error
