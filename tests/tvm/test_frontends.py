"""Models of other frameworks: what is read, and what is said when that fails."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from real_models import OnnxGraph, exported

from gsl import Workload
from gsl.errors import ModelError
from gsl.expr import Call, Const
from gsl.graph import reverse_post_order
from gsl.tvm.errors import UnsupportedError

pytestmark = [
    pytest.mark.tvm,
    pytest.mark.filterwarnings("ignore:Field 'shape':UserWarning", "ignore::FutureWarning"),
]


def dense_model(sizes: Any = (2, 4)) -> Any:
    graph = OnnxGraph()
    product = graph.add("MatMul", "x", graph.weight(4, 3))
    graph.weight(5)  # an initializer that nothing uses
    return graph.model({"x": list(sizes)}, graph.add("Relu", product))


def test_an_onnx_model_is_read_from_a_file(tmp_path: Path):
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "model.onnx"
    onnx.save(dense_model(), path)
    for given in (path, str(path)):
        workload = Workload.from_onnx(given)
        assert [(v.name, v.shape) for v in workload.inputs] == [("x", (2, 4))]


def test_initializers_become_parameters_unless_nothing_uses_them():
    model = dense_model()
    workload = Workload.from_onnx(model)
    (value,) = workload.parameters.values()
    onnx = pytest.importorskip("onnx")
    expected = onnx.numpy_helper.to_array(model.graph.initializer[0])
    np.testing.assert_array_equal(value, expected)


def test_open_sizes_are_given():
    workload = Workload.from_onnx(dense_model(["batch", 4]), shapes={"x": (7, 4)})
    assert workload.outputs[0].shape == (7, 3)


def test_unknown_onnx_operators_pass_through(tmp_path: Path):
    graph = OnnxGraph()
    workload = Workload.from_onnx(graph.model({"x": [3]}, graph.add("Acosh", "x")))
    (output,) = workload.outputs
    assert isinstance(output, Call)
    assert output.operator.name == "relax.acosh"
    values = np.array([1.5, 2.0, 3.0], np.float32)
    workload.save(tmp_path / "model.gsl")
    for one in (workload, Workload.load(tmp_path / "model.gsl")):
        np.testing.assert_allclose(one.run({"x": values})[0], np.arccosh(values), rtol=1e-5)


def test_an_onnx_operator_that_arrives_as_a_loop_nest_is_named():
    graph = OnnxGraph()
    padding = graph.array([1, 1], "int64")
    model = graph.model({"x": [3]}, graph.add("Pad", "x", padding))
    with pytest.raises(UnsupportedError, match=r"`lv\d*` = relax\.call_tir: it calls `pad`"):
        Workload.from_onnx(model)


def test_an_onnx_node_that_is_ill_typed_is_named():
    graph = OnnxGraph()
    product = graph.add("MatMul", graph.add("Relu", "x"), graph.weight(4, 5))
    with pytest.raises(ModelError, match=r"has it as node 1, MatMul of `MatMul_1_0`"):
        Workload.from_onnx(graph.model({"x": [2, 3]}, product))


ONNX_MISTAKES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "an open size": (lambda: dense_model(["batch", 4]), {}, r"open shape \(batch, 4\); give its"),
    "an unnamed size": (lambda: dense_model([None, 4]), {}, r"open shape \(\?, 4\)"),
    "an unknown input": (dense_model, {"y": (2, 4)}, "no input `y`; its inputs are x"),
    "a misspelt input": (lambda: dense_model(), {"xx": (2, 4)}, "did you mean `x`"),
    "no model": (lambda: 5, {}, "int is neither a path nor an onnx.ModelProto"),
}


@pytest.mark.parametrize("name", ONNX_MISTAKES)
def test_mistakes_with_onnx_models_are_explained(name: str):
    pytest.importorskip("onnx")
    make, shapes, message = ONNX_MISTAKES[name]
    with pytest.raises(ModelError, match=message):
        Workload.from_onnx(make(), shapes)


def test_a_missing_file_is_named(tmp_path: Path):
    pytest.importorskip("onnx")
    with pytest.raises(ModelError, match=r"there is no file `.*absent\.onnx`"):
        Workload.from_onnx(tmp_path / "absent.onnx")


@pytest.mark.parametrize("content", [b"", b"this is no model", b"\x08\x09"])
def test_a_corrupt_file_is_named(tmp_path: Path, content: bytes):
    pytest.importorskip("onnx")
    path = tmp_path / "corrupt.onnx"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"corrupt\.onnx` is no ONNX model"):
        Workload.from_onnx(path)


def test_an_operator_that_tvm_lacks_is_named():
    graph = OnnxGraph()
    model = graph.model({"x": [3]}, graph.add("StringNormalizer", "x"))
    with pytest.raises(
        ModelError, match=r"TVM cannot read the ONNX model: .*StringNormalizer"
    ) as e:
        Workload.from_onnx(model)
    assert re.search(r"\(the model has it as node 0, StringNormalizer of `\w+`\)", str(e.value))


def test_nodes_out_of_order_are_named():
    model = dense_model()
    first, second = model.graph.node
    first.input[0] = second.output[0]
    with pytest.raises(ModelError, match=r"node 0, MatMul of `\w+` needs `\w+`, which nothing be"):
        Workload.from_onnx(model)


def test_a_pytorch_module_is_read_with_parameters_and_buffers():
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
    values = torch.randn(2, 4)
    workload = Workload.from_torch(exported(module, values))
    (name,) = (variable.name for variable in workload.inputs)
    assert list(workload.parameters) == ["p_0_weight", "p_0_bias", "p_1_weight", "p_1_bias"]
    buffers = [e for e in reverse_post_order(workload.outputs) if isinstance(e, Const)]
    assert [buffer.shape for buffer in buffers] == [(3,), (3,)]
    (computed,) = workload.run({name: values.numpy()})
    np.testing.assert_allclose(computed, module(values).detach().numpy(), rtol=1e-5, atol=1e-6)


def test_a_module_that_was_not_exported_is_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(ModelError, match=r"Linear is not an exported program; export the model"):
        Workload.from_torch(torch.nn.Linear(2, 2))


def test_a_dynamic_size_is_refused_by_name():
    torch = pytest.importorskip("torch")
    sizes = {"input": {0: torch.export.Dim("batch")}}
    program = torch.export.export(torch.nn.Linear(4, 3), (torch.ones(2, 4),), dynamic_shapes=sizes)
    with pytest.raises(UnsupportedError, match=r"parameter `input`: .*symbolic size"):
        Workload.from_torch(program)


@pytest.mark.parametrize(
    ("package", "read"), [("onnx", Workload.from_onnx), ("torch", Workload.from_torch)]
)
def test_a_missing_package_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, package: str, read: Any
):
    monkeypatch.setitem(sys.modules, package, None)
    cure = rf"needs the package `{package}`: pip install 'gslverify\[models\]'"
    with pytest.raises(ModelError, match=cure):
        read("model")
