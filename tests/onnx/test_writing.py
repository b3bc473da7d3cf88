"""What a workload becomes as a model: names, biases, files, and what is refused."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gsl import Workload
from gsl.errors import GraphError, GslError, MisuseError
from gsl.evaluate import run
from gsl.expr import Call, Expr, Tuple, Var
from gsl.operators import lookup
from tests.onnx.graphs import inception, mobilenet, resnet, unet

onnx = pytest.importorskip("onnx", reason="ONNX needs the extra `models`")
pytest.importorskip("onnx_ir", reason="ONNX needs the extra `models`")


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), operands, attributes)


def kinds(model: Any) -> list[str]:
    return [node.op_type for node in model.graph.node]


@pytest.mark.parametrize("make", [resnet, inception, mobilenet, unet])
def test_a_model_comes_out_as_it_went_in(make: Callable[[], Any]):
    model = make()
    workload = Workload.from_onnx(model)
    written = workload.to_onnx()
    for part in ("input", "output"):
        named = [[one.name for one in getattr(one.graph, part)] for one in (model, written)]
        assert named[0] == named[1]
    assert {one.name for one in model.graph.initializer} >= set(workload.parameters)
    runtime = pytest.importorskip("gsl.onnx.run", reason="onnxruntime is not installed")
    random = np.random.default_rng(0)
    inputs = {one.name: random.standard_normal(one.shape).astype("f") for one in workload.inputs}
    (expected,) = onnx.reference.ReferenceEvaluator(model).run(None, inputs)
    for found in (run(workload, {**workload.parameters, **inputs}), runtime.run(workload, inputs)):
        np.testing.assert_allclose(found[0], expected, rtol=1e-4, atol=1e-5)


def test_biases_are_operands_of_convolutions_and_products():
    x, w, b = Var("x", (1, 3, 4, 4)), Var("w", (2, 3, 3, 3)), Var("b", (2,))
    convolved = call("BiasAdd", call("Conv2D", x, w), b, axis=1)
    flat = call("Reshape", convolved, shape=(1, 8))
    dense = call("BiasAdd", call("Dense", flat, Var("v", (5, 8))), Var("c", (5,)), axis=-1)
    assert kinds(Workload(dense).to_onnx()) == ["Conv", "Reshape", "Gemm"]


def test_a_product_with_other_users_keeps_its_sum():
    x, w, b = Var("x", (2, 3)), Var("w", (4, 3)), Var("b", (4,))
    product = call("Dense", x, w)
    model = Workload([call("BiasAdd", product, b, axis=1), product]).to_onnx()
    assert kinds(model) == ["Gemm", "Add"]


def test_a_bias_along_another_axis_is_added():
    x, w, b = Var("x", (1, 3, 4, 4)), Var("w", (2, 3, 1, 1)), Var("b", (4,))
    total = call("BiasAdd", call("Conv2D", x, w), b, axis=2)
    assert kinds(Workload(total).to_onnx()) == ["Conv", "Unsqueeze", "Add"]


def test_outputs_have_names():
    x = Var("x", (2,))
    both = [call("Relu", x), call("Exp", x)]
    names = [one.name for one in Workload(both, output_names=["a", "b"]).to_onnx().graph.output]
    assert names == ["a", "b"]
    assert [one.name for one in Workload(both).to_onnx().graph.output] == ["output_0", "output_1"]
    assert Workload(both, output_names=["a", "b"]).fold().output_names == ("a", "b")
    for wrong in (["a"], ["a", "a"]):
        with pytest.raises(GraphError, match="need as many different names"):
            Workload(both, output_names=wrong)


def test_inputs_and_repeated_values_can_be_outputs():
    x = Var("x", (2,))
    root = call("Sqrt", x)
    workload = Workload([x, root, root], output_names=["same", "first", "second"])
    model = workload.to_onnx()
    values = np.array([1, 4], np.float32)
    found = onnx.reference.ReferenceEvaluator(model).run(None, {"x": values})
    np.testing.assert_array_equal(found, [values, np.sqrt(values), np.sqrt(values)])


def test_a_large_model_has_its_weights_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("gsl.onnx.writer.MOST_BYTES", 1000)
    weights = np.arange(1000, dtype=np.float32)
    workload = Workload(call("Add", Var("x", (1000,)), Var("w", (1000,))), {"w": weights})
    with pytest.raises(GslError, match="give a path to write it to"):
        workload.to_onnx()
    path = tmp_path / "model.onnx"
    workload.to_onnx(path)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["model.onnx", "model.onnx.data"]
    assert path.stat().st_size < 1000
    np.testing.assert_array_equal(Workload.from_onnx(path).parameters["w"], weights)
    Workload.from_onnx(path).to_onnx(path)  # over the file that its weights are mapped from
    np.testing.assert_array_equal(Workload.from_onnx(path).parameters["w"], weights)


WIDE = ["float32", "float16", "bfloat16", "float64", "int8", "uint64", "bool", "int4", "uint4"]


@pytest.mark.parametrize("dtype", WIDE)
def test_large_weights_of_all_dtypes_are_what_they_were(dtype: str, tmp_path: Path):
    """They take another way than small ones; three axes, an odd number of elements of 4 bits."""
    values = np.arange(33 * 35 * 37).reshape(33, 35, 37) % 7
    weights = {"w": values.astype(np.dtype(dtype)), "v": (values > 3).astype(np.dtype(dtype))}
    outputs = [call("Reshape", Var(name, (33, 35, 37), dtype), shape=(-1,)) for name in weights]
    workload = Workload([*outputs, call("Abs", Var("x", (2,)))], weights)
    workload.to_onnx(tmp_path / "model.onnx")
    written = onnx.load(tmp_path / "model.onnx")
    assert written == workload.to_onnx()
    onnx.checker.check_model(written, full_check=True)
    found = Workload.from_onnx(tmp_path / "model.onnx")
    assert [one.name for one in found.inputs] == ["x"]
    for name, wanted in weights.items():
        assert found.parameters[name].dtype == wanted.dtype
        np.testing.assert_array_equal(found.parameters[name], wanted)


def test_a_model_is_written_without_copies_of_its_weights(tmp_path: Path):
    weights = {f"w{place}": np.ones((1024, 1024), np.float32) for place in range(8)}
    total: Expr = Var("x", (1024, 1024))
    for name in weights:
        total = call("Add", total, Var(name, (1024, 1024)))
    workload = Workload(total, weights)
    tracemalloc.start()
    workload.to_onnx(tmp_path / "model.onnx")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**22  # one of eight


X = Var("x", (2,), "int64")
REFUSED: dict[str, tuple[Expr, dict[str, Any], type[Exception], str]] = {
    "a dtype": (
        call("Conv1D", Var("x", (1, 1, 3), "int64"), Var("w", (1, 1, 1), "int64")),
        {},
        GslError,
        r"Conv1D of int64\[1,1,3\], .* cannot be written: Conv of ONNX opset 27 is not defined",
    ),
    "a tuple": (Tuple([X, X]), {}, GslError, "output `output` is a tuple"),
    "an old opset": (X, {"opset": 7}, GslError, "opset 7 is not one of 13 to"),
    "no opset": (X, {"opset": "x"}, MisuseError, "an opset is a whole number, not 'x'"),
    "an operator since": (call("BitwiseNot", X), {"opset": 13}, GslError, "BitwiseNot of int64"),
}


def test_the_usual_opset_is_the_newest_that_onnxruntime_has_all_of():
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    quantised = call("QuantizeLinear", Var("x", (2,)), Var("s", ()), Var("z", (), "uint8"), axis=0)
    workload = Workload(quantised, {"s": np.float32(2), "z": np.uint8(1)})
    runtime.InferenceSession(workload.to_onnx().SerializeToString())
    newer = workload.to_onnx(opset=workload.to_onnx().opset_import[0].version + 1)
    with pytest.raises(Exception, match="implementation for QuantizeLinear"):
        runtime.InferenceSession(newer.SerializeToString())


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_written_is_named(name: str):
    output, options, kind, message = REFUSED[name]
    with pytest.raises(kind, match=message):
        Workload(output).to_onnx(**options)


def test_a_parameter_without_axes_stays_without():
    scale = Var("scale", ())
    workload = Workload(
        call("Multiply", Var("x", (2,)), call("Exp", scale)), {"scale": np.float32(0.5)}
    )
    (written,) = workload.to_onnx().graph.initializer
    assert (written.name, list(written.dims)) == ("scale", [])
