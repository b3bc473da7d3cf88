"""Fused operators are functions of com.microsoft, which onnxruntime has kernels for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gsl import Workload
from gsl.evaluate import run
from gsl.expr import Call, Expr, Proj, Tuple, Var
from gsl.operators import lookup

onnx = pytest.importorskip("onnx", reason="ONNX needs the extra `models`")
pytest.importorskip("onnx_ir", reason="ONNX needs the extra `models`")

DATA = Var("x", (1, 3, 4))
VECTORS = [Var(name, (4,)) for name in ("g", "b", "c")]
SKIPPED = (DATA, Var("y", (1, 3, 4)))
PROJECTION = Var("w", (4, 12)), Var("v", (12,))


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), operands, attributes)


FUSED = {
    "SkipLayerNormalization": call("SkipLayerNorm", *SKIPPED, *VECTORS),
    "SkipSimplifiedLayerNormalization": call("SkipRmsNorm", *SKIPPED, *VECTORS[:2]),
    "BiasGelu": call("BiasGelu", DATA, VECTORS[0]),
    "Attention": call("SelfAttention", DATA, *PROJECTION, Tuple([]), num_heads=2, scale=0.25),
}


def workload(name: str) -> Workload:
    made = FUSED[name]
    fields = [Proj(made, place) for place in range(2)] if name.startswith("Skip") else [made]
    return Workload(fields)


def values(given: Workload) -> dict[str, Any]:
    random = np.random.default_rng(0)
    return {one.name: random.standard_normal(one.shape).astype("f") for one in given.inputs}


def close(found: Any, wanted: Any) -> None:
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", FUSED)
def test_onnxruntime_runs_its_own_kernel(name: str, tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    given, options = workload(name), runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.optimized_model_filepath = str(tmp_path / "run.onnx")
    session = runtime.InferenceSession(given.to_onnx().SerializeToString(), options)
    close(session.run(None, values(given)), run(given, values(given)))
    nodes = onnx.load(tmp_path / "run.onnx").graph.node
    assert [(node.domain, node.op_type) for node in nodes] == [("com.microsoft", name)]


@pytest.mark.parametrize("name", FUSED)
def test_nodes_without_a_function_are_read(name: str) -> None:
    given = workload(name)
    model = given.to_onnx()
    del model.functions[:]
    again = Workload.from_onnx(model)
    assert FUSED[name].operator in {one.operator for one in again.order if isinstance(one, Call)}
    close(run(again, values(given)), run(given, values(given)))


@pytest.mark.parametrize("name", FUSED)
def test_functions_of_the_same_name_are_what_they_say(name: str) -> None:
    again = Workload.from_onnx(workload(name).to_onnx())
    assert FUSED[name].operator not in {o.operator for o in again.order if isinstance(o, Call)}
    close(run(again, values(workload(name))), run(workload(name), values(workload(name))))


def test_statistics_of_a_function_are_those_of_the_sum() -> None:
    for name in ("SkipLayerNormalization", "SkipSimplifiedLayerNormalization"):
        given = workload(name)
        model = given.to_onnx()
        (node,) = [one for one in model.graph.node if one.op_type == name]
        for place in (1, 2):
            model.graph.output.append(onnx.ValueInfoProto(name=node.output[place]))
        found = onnx.reference.ReferenceEvaluator(model).run(None, values(given))
        mean = np.mean(found[1], -1, keepdims=True)
        centre = mean if name == "SkipLayerNormalization" else 0
        spread = np.mean(np.square(found[1] - centre), -1, keepdims=True)
        close(found[2:], [mean, 1 / np.sqrt(spread + 1e-5)])


def test_a_node_whose_statistics_are_wanted_stays_what_it_is() -> None:
    model = workload("SkipLayerNormalization").to_onnx()
    del model.functions[:]
    (node,) = [one for one in model.graph.node if one.op_type.startswith("Skip")]
    for name in node.output[1:3]:
        info = onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 3, 1])
        model.graph.output.append(info)
    again = Workload.from_onnx(model)
    kinds = [str(one.operator) for one in again.order if isinstance(one, Call)]
    assert kinds == ["onnx.com.microsoft.SkipLayerNormalization"]
