"""Optimisers of ONNX models as black boxes."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest

pytest.importorskip("onnxruntime")

from gslverify.adapters import onnx as adapter
from gslverify.adapters.foreign import Options
from gslverify.adapters.onnx_graphs.catalogue import OF_PASSES, SKETCHES
from gslverify.adapters.onnx_graphs.choosers import drawn
from gslverify.adapters.onnx_models import ModelExperiment, compared
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
    (result,) = adapter.reports([target], Options(graphs=40))

    assert "other values" in {one.ending for one in result.findings}
    with pytest.raises(ValueError, match="no pass `no_such`"):
        list(adapter.reports(["onnxoptimizer:no_such"], Options()))


def test_a_product_with_a_vector_is_found_in_onnxruntime() -> None:
    experiment = adapter.RuntimeExperiment(
        SKETCHES["Transpose_MatMul"], lambda model: model, call="all"
    )
    found = explore([experiment], 100, 0, 20.0)

    (finding,) = found.findings
    assert finding.verdict.ending is Ending.DIFFERS
    assert "onnxruntime" in finding.verdict.script
