"""Every operator written as ONNX: its references and onnxruntime compute what ours does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl.evaluate import run
from gsl.numpy_dtypes import is_floating
from gsl.workload import Workload
from tests.onnx.calls import OPERATORS, Case, cases

onnx = pytest.importorskip("onnx", reason="ONNX needs the extra `models`")
pytest.importorskip("onnx_ir", reason="ONNX needs the extra `models`")
reference = pytest.importorskip("onnx.reference")

OPSETS = (13, 18, 27)
"""One with axes as attributes, one with them as inputs, the usual one."""

WRONG = {
    "BatchNorm": (13,),
    "Conv2DTranspose": OPSETS,
    "DequantizeLinear": (13, 18),
    "LRN": OPSETS,
}
"""What the references of ONNX 1.23 get wrong or lack, by opset; there onnxruntime is asked."""

ONE_WAY = {"DynamicSlice"}
"""What is written as operators that come back opaque: where a slice begins is not known."""

TOLERANCE = {"bfloat16": 6e-2, "float16": 5e-3, "float32": 1e-5, "float64": 1e-12}

SINCE = {
    **dict.fromkeys(("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"), 18),
    **dict.fromkeys(("ScatterElements", "ScatterND"), 16),
}
"""The first opset of an operator that cannot be written before it."""

every_operator = pytest.mark.parametrize("name", OPERATORS)


def expected(case: Case) -> list[Any]:
    with np.errstate(all="ignore"):
        return run(case.workload, case.inputs)


@every_operator
@pytest.mark.parametrize("opset", OPSETS)
def test_the_references_of_onnx_agree(name: str, opset: int):
    if opset < SINCE.get(name, 0):
        pytest.skip(f"ONNX has it from opset {SINCE[name]} on")
    for case in cases(name):
        model = case.workload.to_onnx(opset=opset)
        if opset in WRONG.get(name, ()):
            if {one.dtype for one in case.workload.variables} & {"bfloat16", "float16", "float64"}:
                continue
            runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
            evaluator = runtime.InferenceSession(model.SerializeToString())
        else:
            evaluator = reference.ReferenceEvaluator(model)
        # They compute some functions in single precision, whatever the dtype.
        check(evaluator.run(None, case.inputs), expected(case), case, least=1e-7)


@every_operator
def test_onnxruntime_agrees(name: str):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    options = runtime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    ran = 0
    for case in cases(name):
        text = case.workload.to_onnx().SerializeToString()
        kinds = {one.dtype for one in case.workload.variables} or {"float32"}
        if "bfloat16" in kinds | {one.type.dtype for one in case.workload.outputs}:
            continue  # onnxruntime takes and gives no arrays of it
        try:
            session = runtime.InferenceSession(text, options, ["CPUExecutionProvider"])
        except runtime.capi.onnxruntime_pybind11_state.NotImplemented:
            if kinds == {"float32"}:
                raise
            continue
        used = {one.name: case.inputs[one.name] for one in session.get_inputs()}
        check(session.run(None, used), expected(case), case)
        ran += 1
    assert ran


@every_operator
def test_what_is_written_reads_back_as_operators_of_gsl(name: str):
    for case in cases(name):
        workload = case.workload
        again = Workload.from_onnx(workload.to_onnx())
        assert [one.type for one in again.outputs] == [one.type for one in workload.outputs]
        assert [one.name for one in again.inputs] == [one.name for one in workload.inputs]
        assert again.output_names == workload.output_names
        kinds = [str(one.operator) for one in again.order if hasattr(one, "operator")]
        assert name in ONE_WAY or not [kind for kind in kinds if "." in kind], case.call
        with np.errstate(all="ignore"):
            check(run(again, case.inputs), expected(case), case)


def check(found: Any, wanted: Any, case: Case, least: float = 0) -> None:
    for one, other in zip(found, wanted, strict=True):
        assert np.asarray(one).dtype == other.dtype, case.call
        assert np.shape(one) == other.shape, case.call
        tolerance = max(least, TOLERANCE[other.dtype.name]) if is_floating(other.dtype) else 0
        np.testing.assert_allclose(
            one, other, rtol=tolerance, atol=tolerance, err_msg=repr(case.call)
        )
