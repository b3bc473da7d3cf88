"""Optimisers of ONNX models as black boxes."""

from __future__ import annotations

import os
import sys
import time
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest

pytest.importorskip("onnxruntime")

from gslverify.adapters import onnx as adapter
from gslverify.adapters import onnx_models
from gslverify.adapters.foreign import Options
from gslverify.adapters.onnx_graphs.catalogue import OF_PASSES, SKETCHES
from gslverify.adapters.onnx_graphs.choosers import drawn
from gslverify.adapters.onnx_graphs.drawing import Drawing
from gslverify.adapters.onnx_graphs.leaves import dtype_of, integers
from gslverify.adapters.onnx_graphs.sketch import Step
from gslverify.adapters.onnx_graphs.styles import OPSETS, Constants, Style, Types, written
from gslverify.adapters.onnx_models import (
    ModelExperiment,
    compared,
    run_by_gsl,
    run_by_reference,
    run_in_onnxruntime,
)
from gslverify.networks.choices import NothingDrawnError, Tape
from gslverify.passes.exploring import explore
from gslverify.passes.verdicts import Ending

HEAD = '<ir_version: 9, opset_import: ["" : 18]>\n'
COPY = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"


def parsed(text: str) -> Any:
    return onnx.parser.parse_model(HEAD + text)


def test_every_sketch_can_be_drawn_and_the_same_choices_give_the_same_model() -> None:
    for sketch in SKETCHES.values():
        for start in range(60):
            try:
                model, inputs = drawn(sketch, Tape((), Random(start)))
            except NothingDrawnError:
                continue
            again, _ = drawn(sketch, Tape((), Random(start)))
            assert again == model
            assert len(inputs) > 1
            break
        else:
            raise AssertionError(sketch.name)


def test_sketches_of_passes_exist() -> None:
    assert {name for names in OF_PASSES.values() for name in names} <= SKETCHES.keys()


def test_models_are_compared() -> None:
    plus = parsed("g (float[2] x) => (float[2] y) { y = Add(x, x) }")
    minus = parsed("g (float[2] x) => (float[2] y) { y = Sub(x, x) }")
    wide = parsed("g (float[2] x) => (float[1,2] y) <int64[1] a = {0}> { y = Unsqueeze(x, a) }")
    broken = parsed("g (float[2] x) => (float[2] y) { y = NoSuch(x) }")
    inputs = [{"x": np.array([1.0, 2.0], np.float32)}]

    assert compared(plus, plus, inputs)[0] is Ending.AGREES
    assert compared(plus, minus, inputs)[0] is Ending.DIFFERS
    assert compared(plus, wide, inputs)[0] is Ending.OTHER_TYPES
    assert compared(plus, broken, inputs)[0] is Ending.ILL_FORMED


def test_an_optimiser_that_is_wrong_is_found_and_a_copy_is_not() -> None:
    def wrong(model: Any) -> Any:
        for node in model.graph.node:
            if node.op_type == "Sub":
                node.op_type = "Add"
        return model

    found = explore([ModelExperiment(SKETCHES["Sub"], wrong)], 10, 0, 10.0)
    silent = explore([ModelExperiment(SKETCHES["Sub"], lambda model: model)], 10, 0, 10.0)

    assert [one.verdict.ending for one in found.findings] == [Ending.DIFFERS]
    assert found.findings[0].verdict.script.count("\n") <= 40
    assert silent.findings == []


def test_a_command_that_is_none_is_refused_before_anything_is_drawn() -> None:
    with pytest.raises(ValueError, match="there is no command `no-such-tool`"):
        adapter.names(["no-such-tool {in} {out}"])


def test_any_command_is_an_optimiser(tmp_path: Path) -> None:
    script = tmp_path / "copy.py"
    script.write_text(COPY)
    model = parsed("g (float[2] x) => (float[2] y) { y = Add(x, x) }")

    assert adapter.by_command(f"{sys.executable} {script} {{in}} {{out}}", model) == model
    with pytest.raises(adapter.FailedCommandError, match="ended with 1"):
        adapter.by_command(f"{sys.executable} {script} {{in}}", model)


def test_targets_that_are_no_optimiser_are_refused() -> None:
    with pytest.raises(ValueError, match="`nothing` is no optimiser; there are onnxruntime"):
        list(adapter.reports(["nothing"], Options()))
    with pytest.raises(ValueError, match="no level `most`"):
        list(adapter.reports(["onnxruntime"], Options(level="most")))


def test_a_defect_of_a_release_is_found() -> None:
    pytest.importorskip("onnxoptimizer")
    target = "onnxoptimizer:eliminate_nop_monotone_argmax"
    *_, result = adapter.reports([target], Options(graphs=40))

    assert "other values" in {one.ending for one in result.findings}
    with pytest.raises(ValueError, match="no pass `no_such`"):
        list(adapter.reports(["onnxoptimizer:no_such"], Options()))


@pytest.mark.parametrize(
    ("sketch", "ending", "text"),
    [
        ("Transpose_MatMul", Ending.DIFFERS, "differ"),
        ("Relu_Clip", Ending.RAISES, "relu_clip_fusion"),
        ("Reshape", Ending.RAISES, "_new_reshape"),
    ],
)
def test_defects_of_onnxruntime_are_found(sketch: str, ending: Ending, text: str) -> None:
    experiment = adapter.RuntimeExperiment(SKETCHES[sketch], lambda model: model, call="all")
    found = explore([experiment], 100, 0, 20.0)

    alike = [one.verdict for one in found.findings if one.verdict.ending is ending]
    assert text in alike[0].message
    assert "onnxruntime" in alike[0].script


def test_all_styles_of_a_model_compute_the_same() -> None:
    """One graph in every style, for every operator set that has its operators alike."""
    matrix, sizes = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([3, 2], np.int64)
    arrays: dict[str, Any] = {"x": matrix, "c": sizes}
    nodes = [
        onnx.helper.make_node("Reshape", ["x", "c"], ["t"]),
        onnx.helper.make_node("Relu", ["t"], ["y"]),
    ]
    computed = {**arrays, **dict.fromkeys("ty", arrays["x"].reshape(3, 2))}

    texts = set()
    for opset, constants, types in product(sorted(set(OPSETS)), Constants, Types):
        style = Style(opset, constants, types)
        model = written(style, nodes, ["x", "c"], {"c"}, ["y"], computed)
        onnx.checker.check_model(model, full_check=True)
        texts.add(model.SerializeToString())
        for running in (run_by_reference, run_in_onnxruntime):
            assert np.array_equal(running(model, {"x": arrays["x"]})[0], computed["y"])

    assert len(texts) == len(set(OPSETS)) * len(Constants) * len(Types)


def test_sizes_come_as_constants_as_inputs_and_computed() -> None:
    ways = set()
    for start in range(200):
        drawing = Drawing(Tape((), Random(start)))
        name = integers(drawing, "sizes", [2, 3])
        assert drawing.arrays[name].tolist() == [2, 3]
        inputs = [one for one in drawing.inputs if one not in drawing.constants]
        assert set(inputs) <= drawing.fixed  # other values would be other sizes
        ways.add((*(node.op_type for node in drawing.nodes), bool(inputs)))

    assert ways >= {(False,), ("Cast", True), ("Concat", True), ("Identity", False)}


def test_dtypes_are_those_that_all_operators_take() -> None:
    relu = Step("Relu", ("x",), ("y",))
    drawing = Drawing(Tape((), Random(0)), style=Style(13))
    dtypes = {dtype_of([relu], drawing) for _ in range(200)}
    new = {dtype_of([relu], Drawing(Tape((), Random(n)), style=Style(18))) for n in range(200)}

    assert dtypes == {"float32", "float64", "float16"}
    assert new == dtypes | {"int8", "int32", "int64"}


def test_one_reference_alone_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference that is wrong about one of two models must not be believed."""
    plus = parsed("g (float[2] x) => (float[2] y) { y = Add(x, x) }")
    minus = parsed("g (float[2] x) => (float[2] y) { y = Sub(x, x) }")
    inputs = [{"x": np.array([1.0, 2.0], np.float32)}]

    def equal(model: Any, arrays: Any) -> list[Any]:
        return run_by_reference(plus, arrays)

    def fails(model: Any, arrays: Any) -> list[Any]:
        raise NotImplementedError

    def told(*references: Any) -> Any:
        given = {f"reference {n}": one for n, one in enumerate(references)}
        monkeypatch.setattr(onnx_models, "REFERENCES", given)
        return compared(plus, minus, inputs)[0]

    def other(model: Any, arrays: Any) -> list[Any]:
        return [2 * one for one in run_by_reference(model, arrays)]

    assert told(run_by_reference, other) is Ending.UNDECIDED  # about the old model
    assert told(run_by_reference, run_in_onnxruntime) is Ending.DIFFERS
    assert told(run_by_reference, fails, run_by_gsl) is Ending.DIFFERS
    assert told(run_by_reference, fails, fails) is Ending.UNDECIDED
    assert told(run_by_reference, equal) is Ending.UNDECIDED
    assert told(run_by_reference, equal, equal) is Ending.AGREES
    assert told(run_by_reference, equal, run_by_gsl) is Ending.DIFFERS


def crashes(model: Any) -> Any:
    os.abort()


def hangs(model: Any) -> Any:
    time.sleep(60)


def raises(model: Any) -> Any:
    raise ValueError("no such operator")


def no_model(model: Any) -> Any:
    return "model.onnx"


def cyclic(model: Any) -> Any:
    del model.graph.node[:]
    model.graph.node.add(op_type="Relu", input=["loop"], output=["v0"])
    model.graph.node.add(op_type="Relu", input=["v0"], output=["loop"])
    return model


def other_inputs(model: Any) -> Any:
    for one in model.graph.input:
        one.type.tensor_type.elem_type = onnx.TensorProto.INT64
    return model


def without_outputs(model: Any) -> Any:
    del model.graph.output[:]
    return model


@pytest.mark.parametrize(
    ("function", "ending"),
    [
        (crashes, Ending.ENDS_PROCESS),
        (hangs, Ending.HANGS),
        (raises, Ending.RAISES),
        (no_model, Ending.ILL_FORMED),
        (cyclic, Ending.ILL_FORMED),
        (other_inputs, Ending.ILL_FORMED),
        (without_outputs, Ending.OTHER_TYPES),
    ],
)
def test_whatever_an_optimiser_does_is_a_finding(
    function: Any, ending: Ending, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_models, "SECONDS", 0.5)
    found = explore([ModelExperiment(SKETCHES["Relu_Relu"], function)], 3, 0, 2.0)

    assert {one.verdict.ending for one in found.findings} == {ending}
    assert found.findings[0].verdict.before
