"""onnxruntime computes bfloat16 in float32, and rounds where the references round."""

from __future__ import annotations

import numpy as np
import pytest

from gsl.evaluate import run
from gsl.expr import Call, Expr, Proj, Tuple, Var
from gsl.operators import lookup
from gsl.workload import Workload

pytest.importorskip("onnx_ir", reason="ONNX needs the extra `models`")
runtime = pytest.importorskip("gsl.onnx.run", reason="onnxruntime is not installed")


def call(name: str, *operands: Expr, **attributes: object) -> Call:
    return Call(lookup(name), operands, attributes)


def test_a_model_of_bfloat16_runs() -> None:
    random = np.random.default_rng(0)
    x, w = Var("x", (4, 6), "bfloat16"), Var("w", (6, 8), "bfloat16")
    product = call("Matmul", x, w)
    halves = call("Split", product, indices_or_sections=2, axis=1)
    joined = call("Concatenate", Tuple([Proj(halves, 1), Proj(halves, 0)]), axis=1)
    wide = call("Cast", call("Silu", joined), dtype="float32")
    parameters = {"w": random.standard_normal((6, 8)).astype("bfloat16")}
    given = Workload([joined, wide, x], parameters, output_names=["joined", "wide", "same"])
    inputs = {"x": random.standard_normal((4, 6)).astype("bfloat16")}
    found = runtime.run(given, inputs)
    wanted = run(given, {**parameters, **inputs})
    assert [one.dtype.name for one in found] == ["bfloat16", "float32", "bfloat16"]
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one.astype("f"), other.astype("f"), rtol=2**-7)
    np.testing.assert_array_equal(found[2], inputs["x"])


def test_every_result_is_rounded() -> None:
    x = Var("x", (1,), "bfloat16")
    large = call("Add", x, call("FullLike", x, fill_value=256.0))
    given = Workload(call("Subtract", large, call("FullLike", x, fill_value=256.0)))
    one = np.array([1.0], "bfloat16")
    assert runtime.run(given, {"x": one})[0] == run(given, {"x": one})[0] == 0


def test_other_workloads_stay_what_they_are() -> None:
    widened = pytest.importorskip("gsl.onnx.widened").widened
    given = Workload(call("Relu", Var("x", (2,))))
    assert widened(given).outputs[0] is given.outputs[0]
