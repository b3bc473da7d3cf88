"""Models in files: scripts, JSON and pictures; what is wrong with a file is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from real_models import exported
from relax_graphs import WORKLOADS, assert_close, call, nested_tuple_as_one_output, values_for

from gsl import Workload
from gsl.command import main
from gsl.errors import GslError, ModelError
from gsl.expr import Const, Tuple, Var
from gsl.model_files import read_model, write_model
from gsl.tvm.files import script_names

pytestmark = pytest.mark.tvm

SCRIPT = """
from tvm.script import ir as I
from tvm.script import relax as R

{body}
"""

FUNCTION = """
@I.ir_module
class {name}:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        R.func_attr({{"num_input": 1}})
        return R.{operator}(x)
"""


WRITTEN = [
    (make, suffix)
    for make in WORKLOADS
    for suffix in (".py", ".json", ".gsl")
    if (make, suffix) != (nested_tuple_as_one_output, ".py")
]


@pytest.mark.parametrize(("make", "suffix"), WRITTEN)
def test_a_written_workload_reads_back(tmp_path: Path, make: Callable[[], Workload], suffix: str):
    workload = make()
    path = tmp_path / f"model{suffix}"
    write_model(workload, path)
    again = read_model(path, {})
    assert [(v.name, v.type) for v in again.inputs] == [(v.name, v.type) for v in workload.inputs]
    values = values_for(workload.inputs)
    for computed, expected in zip(again.run(values), workload.run(values), strict=True):
        assert_close(computed, expected)


def test_a_script_is_plain_relax_with_its_parameters_beside_it(tmp_path: Path):
    x, w = Var("x", (2, 3)), Var("w", (3, 4))
    total = call("Add", call("Matmul", x, w), Const(np.arange(4, dtype=np.float32)))
    values = {"w": np.ones((3, 4), np.float32)}
    write_model(Workload(total, values), tmp_path / "model.py")
    text = (tmp_path / "model.py").read_text(encoding="utf-8")
    assert text.startswith("from tvm.script import ir as I\n")
    assert "R.matmul(x, w" in text
    with np.load(tmp_path / "model.npz") as arrays:
        assert arrays.files == ["w", "constant_0"]
    (variable,) = read_model(tmp_path / "model.py", {}).inputs
    assert variable.name == "x"


@pytest.mark.parametrize("suffix", [".py", ".json", ".gsl"])
def test_parameters_stay_parameters(tmp_path: Path, suffix: str):
    w, s, flag = Var("w", (3, 4)), Var("s", ()), Var("flag", (4,), "bool")
    product = call("Multiply", call("Matmul", Var("x", (2, 3)), w), s)
    values = {"w": np.ones((3, 4), "f"), "s": np.array(0.5, "f"), "flag": np.eye(4)[0] > 0}
    path = tmp_path / f"model{suffix}"
    write_model(Workload([product, call("LogicalNot", flag)], values), path)
    again = read_model(path, {})
    assert [variable.name for variable in again.inputs] == ["x"]
    assert again.parameters.keys() == values.keys()
    for name, value in again.parameters.items():
        assert value.dtype == values[name].dtype
        np.testing.assert_array_equal(value, values[name])


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 1 / 3, -0.0])
def test_any_float_survives_a_script(tmp_path: Path, value: float):
    number = Const(np.float32(value))
    write_model(Workload(call("Add", Var("x", ()), number)), tmp_path / "model.py")
    again = read_model(tmp_path / "model.py", {})
    read = again.outputs[0].operands[1]
    stored = read.value if isinstance(read, Const) else again.parameters["constant_0"]
    assert stored.tobytes() == number.value.tobytes()


def test_names_of_lifted_constants_are_new(tmp_path: Path):
    taken = Var("constant_0", (2,))
    write_model(Workload(call("Add", taken, Const([1.0, 2.0]))), tmp_path / "model.py")
    again = read_model(tmp_path / "model.py", {})
    assert [v.name for v in again.inputs] == ["constant_0"]
    assert list(again.parameters) == ["constant_1"]


NAMES = {
    "x": "x",
    "1": "_1",
    "a_b": "a_b",
    "a.b": "a_b_1",
    "a b": "a_b_2",
    "class": "class_",
    "None": "None_",
    "match": "match",
    "é": "_",
    "": "__1",
}


def test_names_that_python_lacks_are_changed_in_a_script(tmp_path: Path):
    names = [*NAMES, "constant_0", "a/b"]
    variables = [Var(name, (2,)) for name in names]
    total = Const([1.0, 2.0])
    for variable in variables:
        total = call("Add", total, variable)
    value = np.ones(2, np.float32)
    write_model(Workload(total, {"a/b": value, "class": value}, variables), tmp_path / "model.py")
    again = read_model(tmp_path / "model.py", {})
    written = [name for given, name in NAMES.items() if given != "class"]
    assert [variable.name for variable in again.inputs] == [*written, "constant_0"]
    assert list(again.parameters) == ["class_", "a_b_3", "constant_1"]
    assert script_names(names) == [*NAMES.values(), "constant_0", "a_b_3"]


def test_a_script_without_parameters_leaves_no_archive_behind(tmp_path: Path):
    path, archive = tmp_path / "model.py", tmp_path / "model.npz"
    archive.write_text("of an earlier model", encoding="utf-8")
    write_model(Workload(call("Exp", Var("x", (2,)))), path)
    assert not archive.exists()


@pytest.mark.parametrize("name", ["file", "allow_pickle", "path", "arrays"])
def test_parameters_of_a_script_may_have_any_name(tmp_path: Path, name: str):
    workload = Workload(call("Add", Var("x", (2,)), Var(name, (2,))), {name: np.ones(2, "f")})
    write_model(workload, tmp_path / "model.py")
    (value,) = read_model(tmp_path / "model.py", {}).parameters.values()
    np.testing.assert_array_equal(value, np.ones(2))


def test_a_script_whose_archive_cannot_be_written_is_left_as_it_was(tmp_path: Path):
    path, archive = tmp_path / "model.py", tmp_path / "model.npz"
    path.write_text("of an earlier model", encoding="utf-8")
    archive.mkdir()
    parameter = {"w": np.ones(2, np.float32)}
    with pytest.raises(ModelError, match=r"cannot write .*model\.py"):
        write_model(Workload(call("Exp", Var("w", (2,))), parameter), path)
    assert path.read_text(encoding="utf-8") == "of an earlier model"
    assert sorted(tmp_path.iterdir()) == [archive, path]


def test_an_exported_module_survives_a_script(tmp_path: Path):
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.Conv2d(2, 3, 3), torch.nn.BatchNorm2d(3))
    data = torch.randn(1, 2, 6, 6)
    workload = Workload.from_torch(exported(module, data))
    write_model(workload, tmp_path / "model.py")
    again = read_model(tmp_path / "model.py", {})
    (computed,) = again.run({workload.inputs[0].name: data.numpy()})
    np.testing.assert_allclose(computed, module(data).detach().numpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("suffix", "beginning"),
    [(".mmd", "flowchart TD"), (".dot", "digraph"), (".svg", "<svg "), (".txt", "x ")],
)
def test_pictures_are_written(tmp_path: Path, suffix: str, beginning: str):
    path = tmp_path / f"model{suffix}"
    write_model(Workload(call("Exp", Tuple([Var("x", (2,))]).operands[0])), path)
    assert path.read_text(encoding="utf-8").startswith(beginning)


SCRIPTS = {
    "no module": ("x = 1", "should define one Relax module under @I.ir_module, not none"),
    "two modules": (
        FUNCTION.format(name="One", operator="exp") + FUNCTION.format(name="Two", operator="abs"),
        "not 2 of them: One, Two",
    ),
    "an exception": ("1 / 0", "cannot be executed: division by zero"),
    "an end of the process": ("import sys; sys.exit(0)", "cannot be executed: it ends the process"),
    "an unknown operator": (FUNCTION.format(name="M", operator="expp"), "cannot be executed: .*"),
    "no function main": (
        FUNCTION.format(name="M", operator="exp").replace("main", "other"),
        "no Relax function `main`",
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_mistakes_in_scripts_are_explained(tmp_path: Path, name: str):
    body, message = SCRIPTS[name]
    path = tmp_path / "model.py"
    path.write_text(SCRIPT.format(body=body), encoding="utf-8")
    with pytest.raises(GslError, match=message):
        read_model(path, {})


@pytest.mark.parametrize("content", ["", "{}", '{"root_index": 0, "nodes": [{"type": "None"}]}'])
def test_json_that_is_no_module_is_refused(tmp_path: Path, content: str):
    path = tmp_path / "model.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=r"model\.json` (is no JSON of TVM|has a NoneType)"):
        read_model(path, {})


def test_a_corrupt_archive_is_named(tmp_path: Path):
    path = tmp_path / "model.py"
    path.write_text(SCRIPT.format(body=FUNCTION.format(name="M", operator="exp")), encoding="utf-8")
    assert read_model(path, {}).outputs[0].shape == (2,)
    path.with_suffix(".npz").write_bytes(b"PK no archive")
    with pytest.raises(ModelError, match=r"model\.npz` is no archive of arrays"):
        read_model(path, {})


def test_a_script_that_tvm_could_not_read_is_not_written(tmp_path: Path):
    path = tmp_path / "model.py"
    with pytest.raises(ModelError, match=r"no script that TVM reads .*; write it as \.json"):
        write_model(nested_tuple_as_one_output(), path)
    assert not path.exists()


def test_only_onnx_models_take_sizes(tmp_path: Path):
    path = tmp_path / "model.json"
    path.write_text("", encoding="utf-8")
    with pytest.raises(ModelError, match="only ONNX models leave some open"):
        read_model(path, {"x": (2,)})


def test_what_cannot_be_written_is_refused(tmp_path: Path):
    workload = Workload(Var("x", (2,)))
    with pytest.raises(ModelError, match=r"its suffix should be \.onnx, \.py, \.json, .* or \.txt"):
        write_model(workload, tmp_path / "model.pt")
    with pytest.raises(ModelError, match="File name too long"):
        write_model(workload, tmp_path / f"{'x' * 300}.txt")


HARMFUL = {
    "endless.py": ("while True: pass", ["--load-timeout", "9"], "does not come to an end within 9"),
    "ends.py": ("import os; os._exit(0)", [], "cannot be read: it ends the process with exit cod"),
}


@pytest.mark.parametrize("name", HARMFUL)
def test_a_script_that_would_end_the_run_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
):
    text, options, message = HARMFUL[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    rules = Path(__file__).parents[2] / "rule_corpus" / "sound" / "values.py"
    assert main(["apply", str(rules), str(tmp_path / name), *options]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_a_module_that_ends_the_reader_of_tvm_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "model.json"
    write_model(Workload(call("Exp", call("Exp", Var("x", (2, 2))))), path)
    nodes = json.loads(path.read_text(encoding="utf-8"))
    number, node = next((i, n) for i, n in enumerate(nodes["nodes"]) if n["type"] == "ir.Call")
    nodes["nodes"][node["data"]["args"]]["data"] = [number]  # a call of itself
    path.write_text(json.dumps(nodes), encoding="utf-8")
    rules = Path(__file__).parents[2] / "rule_corpus" / "sound" / "values.py"
    assert main(["apply", str(rules), str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
