"""Products and convolutions of quantised tensors are read as sums in int32, quantised again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Workload
from gsl.evaluate import run
from gsl.expr import Call
from tests.onnx.graphs import OnnxGraph

pytest.importorskip("onnx", reason="ONNX needs the extra `models`")
pytest.importorskip("onnx_ir", reason="ONNX needs the extra `models`")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def bytes_of(seed: int, *shape: int, dtype: str = "uint8") -> Any:
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max + 1, shape).astype(dtype)


def product(scale: Any, zero: Any) -> Any:
    """Return a product with a scale and a zero point of its right side."""
    graph = OnnxGraph()
    own = graph.array(0.03), graph.array(100, "uint8")
    weight = graph.array(bytes_of(1, 4, 3, dtype="int8"), "int8")
    others = graph.array(scale), graph.array(zero, "int8")
    result = graph.array(0.25), graph.array(130, "uint8")
    root = graph.add("QLinearMatMul", "x", *own, weight, *others, *result)
    return graph.model({"x": [2, 4]}, root, kind=2)


def convolution(channels: bool, bias: bool) -> Any:
    """Return a convolution of pixels, whose kernels have scales of their own, or one for all."""
    graph = OnnxGraph()
    own = graph.array(0.03), graph.array(100, "uint8")
    # Where a processor lacks VNNI, onnxruntime adds products in 16 bits.
    weight = graph.array(bytes_of(1, 4, 2, 3, 3, dtype="int8") // 2, "int8")
    scales = [0.02, 0.01, 0.03, 0.05] if channels else 0.02
    others = graph.array(scales), graph.array([0] * 4 if channels else 0, "int8")
    result = graph.array(0.5), graph.array(130, "uint8")
    more = [graph.array([100, -2000, 3, 0], "int32")] if bias else []
    root = graph.add(
        "QLinearConv", "x", *own, weight, *others, *result, *more, pads=[1, 1, 0, 0], group=2
    )
    return graph.model({"x": [2, 4, 5, 6]}, root, kind=2)


MODELS = {
    "one scale": (product(0.02, -3), (2, 4)),
    "scales of columns": (product([0.02, 0.01, 0.05], [-3, 0, 9]), (2, 4)),
    "a convolution": (convolution(False, False), (2, 4, 5, 6)),
    "with a bias": (convolution(False, True), (2, 4, 5, 6)),
    "scales of channels": (convolution(True, True), (2, 4, 5, 6)),
}


@pytest.mark.parametrize("name", MODELS)
def test_quantised_nodes_are_composed(name: str):
    model, shape = MODELS[name]
    workload = Workload.from_onnx(model)
    names = [one.operator.name for one in workload.order if isinstance(one, Call)]
    assert names[0] in ("MatMulInteger", "ConvInteger2D")
    assert "QuantizeLinear" in names
    inputs = {"x": bytes_of(2, *shape)}
    wanted = runtime.InferenceSession(model.SerializeToString()).run(None, inputs)
    assert len(np.unique(wanted[0])) > 4  # they do not lie on the ends of the range
    np.testing.assert_array_equal(run(workload, inputs), wanted)
    written = runtime.InferenceSession(workload.fold().to_onnx().SerializeToString())
    np.testing.assert_array_equal(written.run(None, inputs), wanted)
