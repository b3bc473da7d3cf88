"""Models that are hostile, damaged or beyond any machine: one line says what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gsl.command import main
from tests.onnx.graphs import OnnxGraph

RULES = '''
from gsl import Subst, op, pat, rule

@rule()
def relu_relu() -> Subst:
    """relu(relu(x)) => relu(x)"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))
'''

DEPTH = 20_000


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnx_ir", reason="ONNX needs the extra `models`")
    (tmp_path / "models").mkdir()
    (tmp_path / "secret.bin").write_bytes(b"12345678")
    monkeypatch.chdir(tmp_path / "models")
    Path("rules.py").write_text(RULES, encoding="utf-8")
    Path("out.onnx").write_bytes(b"as it was")


def apply(*more: str) -> int:
    return main(["apply", "rules.py", "model.onnx", "-o", "out.onnx", *more])


def save(model: Any) -> None:
    pytest.importorskip("onnx").save(model, "model.onnx")


def external(location: str, offset: int = 0, length: int = 8) -> Any:
    """Return a model with a weight of two floats in another file."""
    graph = OnnxGraph()
    weight = graph.weight(2)
    model = graph.model({"x": [2]}, graph.add("Add", "x", weight))
    (tensor,) = model.graph.initializer
    tensor.ClearField("raw_data")
    tensor.data_location = graph.onnx.TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        tensor.external_data.add(key=key, value=str(value))
    return model


def external_in_function(location: str) -> Any:
    """Return a model that calls a function with such a weight."""
    model = external(location)
    helper = OnnxGraph().onnx.helper
    constant = helper.make_node("Constant", [], ["w"], value=model.graph.initializer[0])
    add = helper.make_node("Add", ["a", "w"], ["b"])
    opsets = list(model.opset_import)
    del model.graph.initializer[:]
    (call,) = model.graph.node
    call.op_type, call.domain, call.input[:] = "Shifted", "own", ["x"]
    shifted = helper.make_function("own", "Shifted", ["a"], ["b"], [constant, add], opsets)
    model.functions.append(shifted)
    model.opset_import.append(helper.make_opsetid("own", 1))
    return model


def with_sizes(size: int) -> Any:
    graph = OnnxGraph()
    model = graph.model({"x": [2]}, graph.add("Add", "x", graph.weight(1)))
    model.graph.initializer[0].dims[:] = [size]
    return model


def with_one_input_twice() -> Any:
    graph = OnnxGraph()
    model = graph.model({"x": [2]}, graph.add("Relu", "x"))
    model.graph.input.append(model.graph.input[0])
    return model


def cyclic() -> Any:
    graph = OnnxGraph()
    first = graph.add("Relu", "Relu_1_0")
    return graph.model({"x": [2]}, graph.add("Relu", first))


def of_opset(version: int) -> Any:
    graph = OnnxGraph()
    return graph.model({"x": [2]}, graph.add("Relu", "x"), opset=version)


REFUSED: dict[str, tuple[Any, str]] = {
    "a weight outside": (lambda: external("../secret.bin"), "in `../secret.bin`, outside of the f"),
    "a weight anywhere": (
        lambda: external("/etc/hostname"),
        "`/etc/hostname`, outside of the f",
    ),
    "a weight nowhere": (lambda: external("no.bin"), "there is no such file beside the model"),
    "a weight too short": (
        lambda: external("w.bin", 4),
        "ends before byte 12; the file is inc",
    ),
    "a weight at a negative place": (lambda: external("w.bin", -4), "`w.bin` at a negative place"),
    "a weight of fewer bytes": (
        lambda: external("w.bin", length=4),
        "in `w.bin` with 4 bytes, but its elements have 8",
    ),
    "a weight in no file": (lambda: external("w\0.bin"), "which is no name of a file"),
    "a weight of a function outside": (
        lambda: external_in_function("../secret.bin"),
        "in `../secret.bin`, outside of the f",
    ),
    "a weight of negative size": (lambda: with_sizes(-1), "is damaged: it has the sizes [-1]"),
    "two inputs of one name": (with_one_input_twice, "2 inputs of the model are called `x`"),
    "a cycle": (cyclic, "node 0, Relu of `Relu_0_0` needs `Relu_1_0`, which nothing before it mak"),
    "opset 6": (lambda: of_opset(6), "opset 6 is older than 7"),
    "a future opset": (lambda: of_opset(1000), "opset 1000 is newer than"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_model_is_one_line_and_nothing_is_lost(capsys: pytest.CaptureFixture[str], name: str):
    make, message = REFUSED[name]
    Path("w.bin").write_bytes(b"12345678")
    save(make())
    assert apply() == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("gsl: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err
    assert Path("out.onnx").read_bytes() == b"as it was"


def test_a_link_out_of_the_folder_is_outside(capsys: pytest.CaptureFixture[str]):
    Path("link.bin").symlink_to("../secret.bin")
    save(external("link.bin"))
    assert apply() == 2
    assert "outside of the folder" in capsys.readouterr().err


def test_a_weight_beside_the_model_is_read():
    Path("w.bin").write_bytes(np.array([1, 2], np.float32).tobytes())
    save(external("w.bin"))
    assert apply() == 0
    onnx = pytest.importorskip("onnx")
    (tensor,) = onnx.load("out.onnx").graph.initializer
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(tensor), [1, 2])


def test_a_weight_of_a_function_is_beside_the_model(monkeypatch: pytest.MonkeyPatch):
    Path("w.bin").write_bytes(np.array([1, 2], np.float32).tobytes())
    save(external_in_function("w.bin"))
    folder = Path.cwd()
    monkeypatch.chdir("..")
    written = str(folder / "out.onnx")
    arguments = [str(folder / "rules.py"), str(folder / "model.onnx"), "-o", written]
    assert main(["apply", *arguments]) == 0
    onnx = pytest.importorskip("onnx")
    (tensor,) = onnx.load(written).graph.initializer
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(tensor), [1, 2])


def test_a_deep_graph_is_rewritten(capsys: pytest.CaptureFixture[str]):
    graph = OnnxGraph()
    data = "x"
    for _ in range(DEPTH):
        data = graph.add("Relu", data)
    save(graph.model({"x": [2]}, data))
    assert apply() == 0
    assert f"{DEPTH} operators before, 1 after" in capsys.readouterr().out


def test_a_model_of_2_to_the_62_elements_is_rewritten(capsys: pytest.CaptureFixture[str]):
    graph = OnnxGraph()
    shape = graph.array([2**31, 2**31], "int64")
    data = graph.add("Add", graph.add("ConstantOfShape", shape), graph.add("Relu", "x"))
    save(graph.model({"x": [2**31, 1]}, graph.add("Relu", graph.add("Relu", data))))
    assert apply() == 0
    assert "5 operators before, 4 after" in capsys.readouterr().out


def test_an_empty_batch_is_rewritten():
    graph = OnnxGraph()
    save(graph.model({"x": [0, 3]}, graph.add("Relu", graph.add("Relu", "x"))))
    assert apply("--time") == 0
