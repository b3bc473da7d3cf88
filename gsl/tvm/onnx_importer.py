"""ONNX models as Relax modules: TVM's importer, where it writes operators of Relax.

For limits that are constants TVM writes two loop nests, behind questions whether they are NaN; such
nests say nothing to rules. Here they are `relax.clip`, as TVM's importer of PyTorch has it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import Any, NamedTuple

import numpy as np
import tvm
from tvm import relax
from tvm.relax.frontend.onnx.onnx_frontend import ONNXGraphImporter

from gsl.errors import GslError
from gsl.tvm.relax_types import from_relax_type
from gsl.types import FLOATING, INTEGER

OLDEST_IR = 3
"""Versions of ONNX before this one have other rules about initializers."""

FIRST_WITH_LIMITS = 11
"""The first opset whose Clip has its limits as inputs; they are attributes before it."""


@dataclass(frozen=True, slots=True)
class Read:
    """A Relax module, and what the results of the nodes have become in it."""

    module: Any
    results: Mapping[str, Any]

    def is_beyond_gsl(self, node: Any) -> bool:
        """Tell whether GSL has no expression for an ONNX node or no type for its results."""
        made = [self.results[name] for name in node.output if name in self.results]
        return node.op_type == "If" or any(map(_is_of_unknown_size, made))


def _is_of_unknown_size(result: Any) -> bool:
    given = getattr(result, "ty", None)
    try:
        if isinstance(given, relax.TensorType | relax.TupleType):
            from_relax_type(given)
    except GslError:
        return True
    return False


def read_onnx(onnx: Any, model: Any, shapes: dict[str, list[int]]) -> Read:
    """Return the Relax module of an `onnx.ModelProto`, its initializers as parameters.

    Args:
        onnx: the package.
        model: an `onnx.ModelProto`; warns about what the checker of ONNX finds in it.
        shapes: sizes of the inputs by name.

    Raises what TVM raises, and ValueError for versions of ONNX that are too old.
    """
    if model.ir_version < OLDEST_IR:
        raise ValueError(f"version {model.ir_version} of ONNX IR is older than {OLDEST_IR}")
    try:
        onnx.checker.check_model(model)
    except Exception as error:
        warnings.warn(str(error), stacklevel=2)
    opsets = [one.version for one in model.opset_import if one.domain in ("", "ai.onnx")]
    importer = _Importer(shapes, "float32", keep_params_in_input=True)
    module = importer.from_onnx(model.graph, opsets[0] if opsets else 1)
    return Read(module, importer._nodes)


class _Importer(ONNXGraphImporter):  # type: ignore[misc]
    def _convert_operator(
        self, op_name: str, inputs: Any, attrs: dict[str, Any], opset: int
    ) -> Any:
        limits = _limits(inputs, attrs, opset) if op_name == "Clip" else None
        if limits is None:
            return super()._convert_operator(op_name, inputs, attrs, opset)
        return self.bb.emit(_clipped(inputs[0], limits))


class _Limits(NamedTuple):
    low: int | float | None
    high: int | float | None


def _limits(inputs: Any, attributes: dict[str, Any], opset: int) -> _Limits | None:
    """Return the limits of a Clip if they are numbers of its dtype, None if they are not."""
    dtype = str(inputs[0].ty.dtype)
    if opset < FIRST_WITH_LIMITS:
        given = _Limits(attributes.get("min"), attributes.get("max"))
        return given if dtype in FLOATING and not any(map(_is_nan, given)) else None
    given = _Limits(*(_number(one, dtype) for one in (inputs[1], inputs[2])))
    return given if dtype in FLOATING + INTEGER and not any(map(_is_nan, given)) else None


def _is_nan(number: float | None) -> bool:
    return number is not None and isnan(number)


def _number(limit: Any, dtype: str) -> int | float | None:
    """Return a limit that is a constant, None for one that is left out, NaN for all others."""
    if limit is None:
        return None
    if not isinstance(limit, tvm.ir.GenericConst) or str(limit.ty.dtype) != dtype:
        return nan
    value = limit.value.numpy()
    return value.item() if value.ndim == 0 else nan


def _clipped(data: Any, limits: _Limits) -> Any:
    """Return the smaller of high and the larger of low and data, one after the other.

    That is `relax.clip`, except where the limits are in the wrong order and where Clip of GSL,
    whose limits are floats, has no such integer.
    """
    if limits == (None, None):
        return data
    dtype = str(data.ty.dtype)
    least, most = _ends(dtype)
    low = least if limits.low is None else limits.low
    high = most if limits.high is None else limits.high
    if low <= high and float(low) == low and float(high) == high:
        return relax.op.clip(data, low, high)
    # Constants of the dtype itself hold every one of its numbers.
    if limits.low is not None:
        data = relax.op.maximum(data, relax.const(limits.low, dtype))
    if limits.high is not None:
        data = relax.op.minimum(data, relax.const(limits.high, dtype))
    return data


def _ends(dtype: str) -> tuple[int | float, int | float]:
    if dtype in FLOATING:
        return -inf, inf
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
