"""Clip of ONNX: what it is read as, and that it computes what it should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Subst, Workload, apply, op, pat
from gsl.attr import Max, Min
from gsl.evaluate import run as run_references
from gsl.expr import Call, Const
from gsl.graph import reverse_post_order
from gsl.operators.declaration import OpaqueOperator
from tests.onnx.graphs import OnnxGraph

Limit = float | int | None
KINDS = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "float16": 10, "float64": 11}
"""The numbers that ONNX has for element types."""


def clip_model(dtype: str, low: Limit, high: Limit, opset: int = 13) -> Any:
    graph = OnnxGraph()
    if opset < 11:
        given = {"min": low, "max": high}
        numbers = {name: float(one) for name, one in given.items() if one is not None}
        result = graph.add("Clip", "x", **numbers)
    else:
        limits = ["" if one is None else graph.array(one, dtype) for one in (low, high)]
        result = graph.add("Clip", "x", *limits)
    return graph.model({"x": [2, 4]}, result, kind=KINDS[dtype], opset=opset)


def values_of(dtype: str) -> Any:
    ends = [-np.inf, np.inf] if dtype.startswith("float") else np.iinfo(dtype)
    low, high = ends if isinstance(ends, list) else (ends.min, ends.max)
    return np.array([[low, 0, 1, 2], [3, 5, 7, high]], dtype)


def clipped(data: Any, low: Limit, high: Limit) -> Any:
    """Return the smaller of the upper limit and the larger of the lower one and the data."""
    if low is not None:
        data = np.maximum(data, np.asarray(low, data.dtype))
    return data if high is None else np.minimum(data, np.asarray(high, data.dtype))


def calls(workload: Workload) -> list[Call]:
    return [e for e in reverse_post_order(workload.outputs) if isinstance(e, Call)]


def names(workload: Workload) -> list[str]:
    return [one.operator.name for one in calls(workload)]


def check(workload: Workload, dtype: str, low: Limit, high: Limit) -> None:
    values = values_of(dtype)
    (computed,) = run_references(workload, {"x": values})
    assert computed.dtype == dtype
    np.testing.assert_array_equal(computed, clipped(values, low, high))


LIMITS: list[tuple[Limit, Limit]] = [(0, 6), (None, 2), (1, None), (2, 2)]


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("opset", [7, 10, 11, 12, 13, 21])
def test_constant_limits_of_every_opset_are_attributes(opset: int, limits: tuple[Limit, Limit]):
    workload = Workload.from_onnx(clip_model("float32", *limits, opset=opset))
    (one,) = calls(workload)
    low, high = (-np.inf if limits[0] is None else limits[0]), limits[1]
    assert one.operator.name == "Clip"
    assert one.attributes == {"min": low, "max": np.inf if high is None else high}
    assert not any(isinstance(e, Const) for e in reverse_post_order(workload.outputs))
    check(workload, "float32", *limits)


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("dtype", KINDS)
def test_limits_of_every_dtype_compute_what_they_should(dtype: str, limits: tuple[Limit, Limit]):
    workload = Workload.from_onnx(clip_model(dtype, *limits))
    # A float64 has no largest int64.
    assert names(workload) == (["Maximum"] if (dtype, limits) == ("int64", (1, None)) else ["Clip"])
    check(workload, dtype, *limits)


NO_CLIP: dict[str, tuple[str, Limit, Limit]] = {
    "exchanged": ("float32", 3, 1),
    "exchanged integers": ("int32", 3, 1),
    "integers that no float is": ("int64", 2**53 + 1, 2**62 + 1),
    "all integers": ("int64", -(2**63), 2**63 - 1),
}


@pytest.mark.parametrize("name", NO_CLIP)
def test_limits_that_clip_cannot_have_are_applied_one_after_the_other(name: str):
    workload = Workload.from_onnx(clip_model(*NO_CLIP[name]))
    assert names(workload) == ["Maximum", "Minimum"]
    check(workload, *NO_CLIP[name])


@pytest.mark.parametrize("opset", [7, 13])
def test_no_limits_change_nothing(opset: int):
    workload = Workload.from_onnx(clip_model("float32", None, None, opset))
    assert workload.outputs == tuple(workload.inputs)
    assert [one.name for one in workload.to_onnx().graph.output] == list(workload.output_names)


def test_limits_that_are_nodes_of_constants_are_attributes():
    graph = OnnxGraph()
    tensors = [graph.onnx.numpy_helper.from_array(np.float32(one)) for one in (1, 5)]
    limits = [graph.add("Constant", value=tensor) for tensor in tensors]
    workload = Workload.from_onnx(graph.model({"x": [2, 4]}, graph.add("Clip", "x", *limits)))
    assert names(workload) == ["Clip"]
    check(workload, "float32", 1, 5)


def test_limits_that_are_computed_leave_it_opaque():
    graph = OnnxGraph()
    low = graph.add("ReduceMin", "x", keepdims=0)
    model = graph.model({"x": [2, 4]}, graph.add("Clip", "x", low, graph.array(3.0)))
    workload = Workload.from_onnx(model)
    assert any(isinstance(one.operator, OpaqueOperator) for one in calls(workload))
    values = values_of("float32")
    np.testing.assert_array_equal(run_references(workload, {"x": values})[0], np.minimum(values, 3))


def clip_clip() -> Subst:
    x = pat.Wildcard()
    inner = op.Clip(x)
    outer = op.Clip(inner)
    limits = {"min": Max(inner.min, outer.min), "max": Min(inner.max, outer.max)}
    return Subst(outer, op.Clip(x, **limits), where=[limits["min"] <= limits["max"]])


@pytest.mark.parametrize("opset", [7, 13])
def test_rules_about_clip_apply(opset: int):
    graph = OnnxGraph()
    data = "x"
    for low, high in ((0, 6), (2, None), (None, 5)):
        given = {"min": low, "max": high}
        numbers = {key: float(one) for key, one in given.items() if one is not None}
        limits = ["" if one is None else graph.array(one) for one in (low, high)]
        how: Any = ((), numbers) if opset < 11 else (limits, {})
        data = graph.add("Clip", data, *how[0], **how[1])
    before = Workload.from_onnx(graph.model({"x": [2, 4]}, data, opset=opset))
    after = apply(before, [clip_clip()])
    assert names(before) == ["Clip"] * 3
    (one,) = calls(after)
    assert one.attributes == {"min": 2.0, "max": 5.0}
    check(after, "float32", 2, 5)


def test_one_clip_of_several_users_stays_one():
    graph = OnnxGraph()
    limited = graph.add("Clip", "x", graph.array(0.0), graph.array(6.0))
    total = graph.add("Add", graph.add("Exp", limited), limited)
    assert names(Workload.from_onnx(graph.model({"x": [2, 4]}, total))) == ["Clip", "Exp", "Add"]
