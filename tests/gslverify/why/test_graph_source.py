from __future__ import annotations

from pathlib import Path

import pytest

from gslverify.why.graph_source import graph_problem, read_graph

SECONDS = 20.0

FUNCTIONS = """
import os, sys
from gsl import Call, Var, Workload
from gsl.operators import REGISTRY

x = Var("x", (2, 3))
relu = Call(REGISTRY["Relu"], (x,), {})

def workload(): return Workload(relu)
def expression(): return relu
def several(): return [relu, x]
def talkative(): print("hello"); return relu
def number(): return 7
def nothing(): return []
def wrong(): return 1 / 0
def leaves(): sys.exit("no graph today")
def ends(): os._exit(4)
def aborts(): os.abort()
def endless():
    while True: pass
not_a_function = 3
"""


@pytest.fixture
def functions(folder: Path) -> str:
    (folder / "page_networks.py").write_text(FUNCTIONS, encoding="utf-8")
    return "page_networks.py"


@pytest.mark.parametrize(
    ("name", "count"), [("workload", 1), ("expression", 1), ("several", 2), ("talkative", 1)]
)
def test_functions_return_graphs(functions: str, name: str, count: int) -> None:
    assert len(read_graph(f"{functions}:{name}", {}).outputs) == count


def test_modules_are_found_in_the_working_directory(functions: str) -> None:
    module = functions.removesuffix(".py")

    assert len(read_graph(f"{module}:several", {}).outputs) == 2


def test_what_they_print_does_not_reach_standard_output(
    functions: str, capsys: pytest.CaptureFixture[str]
) -> None:
    read_graph(f"{functions}:talkative", {})

    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("number", "returns int 7; it should return a Workload"),
        ("nothing", "returns list []; it should return a Workload"),
        ("wrong", "cannot be read: ZeroDivisionError: division by zero"),
        ("leaves", "cannot be read: SystemExit: no graph today"),
        ("ends", "it ends the process with exit code 4"),
        ("aborts", "it ends the process with SIGABRT"),
        ("not_a_function", "`not_a_function` in `page_networks.py` is not a function"),
        ("missing", "there is no function `missing` in `page_networks.py`"),
        ("no-name", "names no graph; write MODULE:FUNCTION"),
    ],
)
def test_what_is_wrong_with_a_function_is_told(functions: str, name: str, message: str) -> None:
    assert message in graph_problem(f"{functions}:{name}", {}, SECONDS)


def test_an_endless_function_is_given_up(functions: str) -> None:
    told = graph_problem(f"{functions}:endless", {}, 0.5)
    assert "within 0.5 seconds; give it more time" in told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nowhere.py:graph", "there is no file `nowhere.py`"),
        ("no_such_module_at_all:graph", "No module named 'no_such_module_at_all'"),
        ("model.onnx", "there is no model `model.onnx`"),
        ("model", "there is no model `model`"),
        (":graph", "names no graph"),
    ],
)
def test_what_is_missing_is_told(folder: Path, text: str, message: str) -> None:
    assert message in graph_problem(text, {}, SECONDS)


@pytest.mark.parametrize("name", ["model.gsl", "notes.txt"])
def test_broken_files_are_told(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"\x00\x01 this is no model")

    assert name in graph_problem(name, {}, SECONDS)


@pytest.mark.tvm
@pytest.mark.parametrize("name", ["model.onnx", "model.json", "model.py"])
def test_files_that_tvm_cannot_read_are_told(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"\x00\x01 this is no model")

    assert name in graph_problem(name, {}, 60.0)


@pytest.mark.tvm
def test_relax_is_read_from_scripts_and_functions(folder: Path) -> None:
    text = """
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        R.func_attr({"num_input": 1})
        return R.nn.relu(x)


def graph():
    return Module
"""
    (folder / "relax_model.py").write_text(text, encoding="utf-8")

    for name in ("relax_model.py", "relax_model.py:graph"):
        (output,) = read_graph(name, {}).outputs
        assert "Relu" in repr(output)
