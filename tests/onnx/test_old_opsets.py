"""Operators that meant something else in the opset of a model than in the one that is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Workload
from gsl.errors import GslError
from gsl.evaluate import run
from tests.onnx.graphs import OnnxGraph


def hardmax_looped(graph: OnnxGraph) -> str:
    helper = graph.onnx.helper
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["going"], ["still"]),
            helper.make_node("Hardmax", ["state"], ["next"]),
        ],
        "body",
        [info("number", 7, []), info("going", 9, []), info("state", 1, [2, 3, 4])],
        [info("still", 9, []), info("next", 1, [2, 3, 4])],
    )
    once, going = graph.array(1, "int64"), graph.array(True, "bool")
    made: str = graph.add("Loop", once, going, "x", body=body)
    return made


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -2])
def test_hardmax_of_old_opsets_has_one_maximum_in_all_axes_from_its_own_on(axis: int | None):
    graph = OnnxGraph()
    given = {} if axis is None else {"axis": axis}
    model = graph.model({"x": [2, 3, 4]}, graph.add("Hardmax", "x", **given), opset=11)
    values = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)
    rows = values.reshape(int(np.prod((2, 3, 4)[: 1 if axis is None else axis])), -1)
    expected = np.eye(rows.shape[1], dtype=np.float32)[rows.argmax(1)].reshape(values.shape)
    workload = Workload.from_onnx(model)
    np.testing.assert_array_equal(run(workload, {"x": values})[0], expected)
    runtime = pytest.importorskip("gsl.onnx.run", reason="onnxruntime is not installed")
    np.testing.assert_array_equal(runtime.run(workload, {"x": values})[0], expected)


def test_what_the_converter_of_onnx_overlooks_inside_of_a_loop_is_refused():
    graph = OnnxGraph()
    model = graph.model({"x": [2, 3, 4]}, hardmax_looped(graph), opset=12)
    typed = graph.onnx.helper.make_tensor_type_proto(1, [2, 3, 4])
    model.graph.output[0].type.CopyFrom(typed)
    workload = Workload.from_onnx(model)
    with pytest.raises(GslError, match=r"as is Hardmax; export it in opset 13 or later$"):
        workload.to_onnx()


def resized(mode: str, scale: float) -> Any:
    graph = OnnxGraph()
    scales = graph.array([1, 1, scale, scale])
    return graph.model({"x": [1, 1, 3, 4]}, graph.add("Resize", "x", scales, mode=mode), opset=10)


@pytest.mark.parametrize(("mode", "scale"), [("nearest", 1.5), ("nearest", 2), ("linear", 2)])
def test_images_grow_as_in_opset_10(mode: str, scale: float):
    model = resized(mode, scale)
    workload = Workload.from_onnx(model)
    values = np.random.default_rng(0).standard_normal((1, 1, 3, 4)).astype(np.float32)
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    expected = session.run(None, {"x": values})[0]
    np.testing.assert_allclose(run(workload, {"x": values})[0], expected, rtol=1e-5, atol=1e-6)


def test_no_opset_is_advised_that_is_not_written():
    with pytest.raises(GslError, match=r"export it in opset 13 or later$"):
        Workload.from_onnx(resized("nearest", 0.5)).to_onnx()
