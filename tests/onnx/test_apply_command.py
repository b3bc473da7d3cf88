"""`python -m gsl apply` on real models."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gsl import Call, Workload
from gsl.command import main
from gsl.graph import reverse_post_order
from gsl.model_files import read_model, write_model
from tests.onnx.graphs import OnnxGraph, inception, resnet

RULES = '''
from gsl import Subst, op, pat, rule

@rule()
def relu_relu() -> Subst:
    """relu(relu(x)) => relu(x)"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))

@rule()
def loses_the_shape() -> Subst:
    """exp(x) => x[None], which has another type"""
    x = pat.Wildcard()
    return Subst(op.Exp(x), op.ExpandDims(x, axis=(0,)))

@rule()
def never() -> Subst:
    """abs(abs(x)) => abs(x)"""
    x = pat.Wildcard()
    return Subst(op.Abs(op.Abs(x)), op.Abs(x))
'''

ENDLESS = '''
from gsl import Subst, op, pat, rule

@rule()
def swap() -> Subst:
    """relu(x) => relu(relu(x))"""
    x = pat.Wildcard()
    return Subst(op.Relu(x), op.Relu(op.Relu(x)))
'''

CORPUS = Path(__file__).parents[2] / "rule_corpus" / "sound"


CHAIN = '''
from gsl import Subst, op, pat, rule

@rule()
def first() -> Subst:
    """exp(x) => tanh(x), on purpose"""
    x = pat.Wildcard()
    return Subst(op.Exp(x), op.Tanh(x))

@rule()
def second() -> Subst:
    """tanh(x) => sigmoid(x), on purpose"""
    x = pat.Wildcard()
    return Subst(op.Tanh(x), op.Sigmoid(x))
'''


GROWING = '''
from gsl import Subst, op, pat, rule

@rule()
def grow() -> Subst:
    """x * w => x * -w for a weight, on purpose"""
    x, w = pat.Wildcard(), pat.Variable()
    return Subst(x * w, x * op.Negative(w))
'''


UNKNOWN = {"domain": "com.microsoft"}


def with_unknown(model: Any, shape: list[int]) -> Any:
    """Return a model that declares the types of its operators of another domain."""
    helper = pytest.importorskip("onnx").helper
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    for node in model.graph.node:
        if node.domain:
            model.graph.value_info.append(helper.make_tensor_value_info(node.output[0], 1, shape))
    return model


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    onnx = pytest.importorskip("onnx")
    monkeypatch.chdir(tmp_path)
    Path("rules.py").write_text(RULES, encoding="utf-8")
    Path("chain.py").write_text(CHAIN, encoding="utf-8")
    Path("growing.py").write_text(GROWING, encoding="utf-8")
    Path("endless.py").write_text(ENDLESS, encoding="utf-8")
    graph = OnnxGraph()
    data = "x"
    for kind in ("Relu", "Relu", "Relu", "QuickGelu", "Relu", "Relu", "Exp"):
        data = graph.add(kind, data, **UNKNOWN if kind == "QuickGelu" else {})
    onnx.save(with_unknown(graph.model({"x": [2, 3]}, data), [2, 3]), "model.onnx")
    onnx.save(OnnxGraph().model({"x": ["batch", 3]}, "x"), "open.onnx")


def output_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(arguments) == 0
    return capsys.readouterr().out.splitlines()


def test_the_table_says_what_was_rewritten_where(capsys: pytest.CaptureFixture[str]):
    lines = output_of(capsys, "apply", "rules.py", "model.onnx")
    assert lines[0] == "rule       rewrites  roots"
    assert lines[1].startswith("relu_relu         3  Relu %")
    assert lines[1].endswith("Relu %6")
    assert lines[2] == "3 rewrites by 1 of 3 rules; 7 operators before, 4 after"
    left = "left alone, loses_the_shape (1) at Exp %7: the target cannot be built"
    assert lines[3].startswith(left)
    assert [line.split() for line in lines[4:8]] == [
        ["operator", "before", "after"],
        ["Relu", "5", "2"],
        ["Exp", "1", "1"],
        ["onnx.com.microsoft.QuickGelu", "1", "1"],
    ]
    assert lines[8] == "passed through, QuickGelu (1): GSL has no operator for it"
    assert len(lines) == 9


def test_matches_left_alone_are_counted_once(capsys: pytest.CaptureFixture[str]):
    onnx = pytest.importorskip("onnx")
    graph = OnnxGraph()
    outputs = [graph.add("Exp", "x") for _ in range(7)]
    scaled = graph.add("Mul", outputs[0], graph.add("Abs", graph.weight(3)))  # to be folded
    onnx.save(graph.model({"x": [2, 3]}, scaled, *outputs[1:]), "exps.onnx")
    lines = output_of(capsys, "apply", "rules.py", "exps.onnx")
    (left,) = [line for line in lines if line.startswith("left alone")]
    assert left.startswith("left alone, loses_the_shape (7) at Exp %1, Exp %")
    assert ", 2 more: the target cannot be built" in left


def test_what_a_rule_has_made_is_called_so(capsys: pytest.CaptureFixture[str]):
    lines = output_of(capsys, "apply", "chain.py", "model.onnx")
    assert lines[1:3] == ["first          1  Exp %7", "second         1  Tanh made by a rule"]


def test_times_and_agreement_are_measured(capsys: pytest.CaptureFixture[str]):
    lines = output_of(capsys, "apply", "rules.py::relu_relu", "model.onnx", "--time")
    times = [line for line in lines if line.startswith("time in onnxruntime: ")]
    assert len(times) == 1
    before, after = (float(word) for word in times[0].split() if word[0].isdigit())
    assert min(before, after) > 0
    assert lines[-1] == "largest relative difference of the outputs: 0.0e+00"


def test_without_a_rewrite_there_is_no_table(capsys: pytest.CaptureFixture[str]):
    lines = output_of(capsys, "apply", "rules.py::never", "model.onnx")
    assert lines[0] == "0 rewrites by 0 of 1 rules; 7 operators before, 7 after"


@pytest.mark.parametrize("name", ["out.onnx", "out.gsl"])
def test_the_result_can_be_read_and_rewritten_again(capsys: pytest.CaptureFixture[str], name: str):
    first = output_of(capsys, "apply", "rules.py", "model.onnx", "-o", name)
    assert first[-1] == f"written to {name}"
    again = output_of(capsys, "apply", "rules.py", name)
    assert again[0] == "0 rewrites by 0 of 3 rules; 4 operators before, 4 after"
    values = {"x": np.array([[1.5, 2, 3], [4, 5, 6]], np.float32)}
    before, after = Workload.from_onnx("model.onnx"), read_model(Path(name), {})
    runtime = pytest.importorskip("gsl.onnx.run", reason="onnxruntime is not installed")
    found, expected = (runtime.run(one, values)[0] for one in (after, before))
    np.testing.assert_array_equal(found, expected)


def test_many_roots_are_counted(capsys: pytest.CaptureFixture[str]):
    onnx = pytest.importorskip("onnx")
    graph = OnnxGraph()
    outputs = [graph.add("Relu", graph.add("Relu", graph.add("Exp", "x"))) for _ in range(7)]
    onnx.save(graph.model({"x": [2]}, *outputs), "wide.onnx")
    lines = output_of(capsys, "apply", "rules.py::relu_relu", "wide.onnx")
    assert lines[1].startswith("relu_relu         7  Relu %3, Relu %6")
    assert lines[1].endswith(", 2 more")


def test_rules_of_the_corpus_apply_to_a_real_model(capsys: pytest.CaptureFixture[str]):
    onnx = pytest.importorskip("onnx")
    onnx.save(inception(), "inception.onnx")
    rules = str(CORPUS / "parallel.py")
    lines = output_of(capsys, "apply", rules, "inception.onnx", "-o", "picture.svg")
    assert any(line.startswith("parallel_two_conv") for line in lines)
    assert Path("picture.svg").read_text(encoding="utf-8").startswith("<svg ")


@pytest.mark.parametrize(("option", "is_folded"), [((), True), (("--no-fold",), False)])
def test_batch_norms_fold_into_convolutions(
    capsys: pytest.CaptureFixture[str], option: tuple[str, ...], is_folded: bool
):
    onnx = pytest.importorskip("onnx")
    onnx.save(resnet(), "resnet.onnx")
    rules = str(CORPUS / "normalisation.py")
    output_of(capsys, "apply", rules, "resnet.onnx", "-o", "out.gsl", *option)
    order = reverse_post_order(Workload.load("out.gsl").outputs)
    left = {expr.operator.name for expr in order if isinstance(expr, Call)}
    assert "BatchNorm" not in left
    assert ("Sqrt" not in left) is is_folded


def test_what_cannot_be_folded_is_reported(capsys: pytest.CaptureFixture[str]):
    onnx = pytest.importorskip("onnx")
    graph = OnnxGraph()
    weights = [graph.add("QuickGelu", graph.weight(3), **UNKNOWN) for _ in range(2)]
    data = graph.add("Add", graph.add("Add", "x", weights[0]), weights[1])
    onnx.save(with_unknown(graph.model({"x": [2, 3]}, data), [3]), "left.onnx")
    given = ("apply", "rules.py", "left.onnx")
    left = "not folded, onnx.com.microsoft.QuickGelu (2): "
    assert output_of(capsys, *given)[-1].startswith(left)
    assert "not folded" not in "".join(output_of(capsys, *given, "--no-fold"))


def test_rewriting_and_folding_without_end(capsys: pytest.CaptureFixture[str]):
    onnx = pytest.importorskip("onnx")
    graph = OnnxGraph()
    onnx.save(graph.model({"x": [2, 3]}, graph.add("Mul", "x", graph.weight(3))), "grow.onnx")
    given = ("apply", "growing.py", "grow.onnx")
    assert main(given) == 2
    message = "no end after rewriting and folding 50 times; what is folded is rewritten by grow"
    assert message in capsys.readouterr().err
    assert output_of(capsys, *given, "--no-fold")[1].startswith("grow ")


def test_open_sizes_can_be_given(capsys: pytest.CaptureFixture[str]):
    given = ("apply", "rules.py", "open.onnx")
    assert output_of(capsys, *given, "--shape", "x=4,3")[0].endswith("0 operators before, 0 after")


MISTAKES = {
    "rules without end": (["apply", "endless.py", "model.onnx"], "the rules feed each other"),
    "a small limit": (["apply", "rules.py", "model.onnx", "--max-rewrites", "2"], "after 2 rew"),
    "an open size": (["apply", "rules.py", "open.onnx"], "input `x` has the open shape (batch, 3)"),
    "an unknown input": (["apply", "rules.py", "open.onnx", "--shape", "y=1"], "no input `y`"),
    "not an ONNX model": (["apply", "rules.py", "corrupt.onnx"], "`corrupt.onnx` is no ONNX model"),
}


WRITTEN = ["apply", "rules.py", "model.onnx", "-o"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["out.onnx", "--opset", "99"], "opset 99 is not one of 13 to"),
        (["out.onnx", "--opset", "12"], "opset 12 is not one of 13 to"),
        (["out.gsl", "--opset", "21"], "cannot write `out.gsl` in opset 21; only ONNX models"),
    ],
)
def test_a_wrong_opset_is_refused_before_anything_is_rewritten(
    capsys: pytest.CaptureFixture[str], more: list[str], message: str
):
    assert main([*WRITTEN, *more]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert not captured.out


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line_and_exit_code_2(capfd: pytest.CaptureFixture[str], name: str):
    Path("corrupt.onnx").write_text("corrupt", encoding="utf-8")
    arguments, message = MISTAKES[name]
    assert main(arguments) == 2
    captured = capfd.readouterr()
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("gsl: ")
    assert message in captured.err


def test_the_input_file_stays_as_it_is(capsys: pytest.CaptureFixture[str]):
    before = Path("model.onnx").read_bytes()
    output_of(capsys, "apply", "rules.py", "model.onnx", "-o", "out.gsl")
    assert Path("model.onnx").read_bytes() == before


def test_a_rewritten_model_without_inputs_is_timed(capsys: pytest.CaptureFixture[str]):
    from_script = Workload(Workload.from_onnx("model.onnx").outputs, {"x": np.ones((2, 3), "f")})
    write_model(from_script, Path("bound.gsl"))
    lines = output_of(capsys, "apply", "rules.py", "bound.gsl", "--time")
    assert lines[-1].startswith("largest")


def test_names_stay_in_a_written_model(capsys: pytest.CaptureFixture[str]):
    onnx = pytest.importorskip("onnx")
    output_of(capsys, "apply", "rules.py", "model.onnx", "-o", "out.onnx")
    before, after = onnx.load("model.onnx"), onnx.load("out.onnx")
    for name in ("input", "output", "initializer"):
        named = [[one.name for one in getattr(model.graph, name)] for model in (before, after)]
        assert named[0] == named[1]


def test_the_opset_of_a_written_model_can_be_chosen(capsys: pytest.CaptureFixture[str]):
    onnx = pytest.importorskip("onnx")
    output_of(capsys, "apply", "rules.py", "model.onnx", "-o", "out.onnx", "--opset", "17")
    versions = {one.domain: one.version for one in onnx.load("out.onnx").opset_import}
    assert versions == {"": 17, "com.microsoft": 1}


def test_a_model_is_not_run_unless_asked(capsys: pytest.CaptureFixture[str]):
    lines = output_of(capsys, "apply", "rules.py", "model.onnx")
    assert not [line for line in lines if line.startswith("time")]


def test_neither_tvm_nor_a_runtime_is_needed():
    code = (
        "import sys; sys.modules.update(tvm=None, onnxruntime=None, torch=None)\n"
        "from gsl.command import main\n"
        "sys.exit(main(['apply', 'rules.py', 'model.onnx', '-o', 'out.onnx']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
