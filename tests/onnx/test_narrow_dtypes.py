"""Dtypes that only few operators of ONNX have: written, run by onnxruntime, and read back."""

from __future__ import annotations

import numpy as np
import pytest

from gsl.evaluate import run
from gsl.expr import Call, Var
from gsl.operators import lookup
from gsl.types import STORED
from gsl.workload import Workload

onnx = pytest.importorskip("onnx", reason="ONNX needs the extra `models`")
onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
errors = pytest.importorskip("gsl.onnx.errors")

NUMBERS = np.array([[0.0, 1.3, 3.49], [-2.0, 7.0, -5.5]], np.float32)


def there_and_back(dtype: str) -> Workload:
    x = Var("x", NUMBERS.shape, "float32")
    narrow = Call(lookup("Cast"), [x], {"dtype": dtype})
    return Workload([Call(lookup("Cast"), [narrow], {"dtype": "float32"})])


@pytest.mark.parametrize("dtype", ["bfloat16", *STORED])
def test_conversions_are_those_of_onnxruntime(dtype: str) -> None:
    numbers = NUMBERS
    if dtype in ("int4", "uint4"):  # onnxruntime rounds other numbers where ONNX truncates them
        numbers = np.trunc(np.abs(NUMBERS) if dtype == "uint4" else NUMBERS)
    workload = there_and_back(dtype)
    ours = run(workload, {"x": numbers})[0]
    session = onnxruntime.InferenceSession(
        workload.to_onnx().SerializeToString(), providers=["CPUExecutionProvider"]
    )
    np.testing.assert_array_equal(session.run(None, {"x": numbers})[0], ours)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_what_is_too_large_becomes_the_last_number(dtype: str) -> None:
    workload, large = there_and_back(dtype), np.full(NUMBERS.shape, 1e6, np.float32)
    session = onnxruntime.InferenceSession(
        workload.to_onnx().SerializeToString(), providers=["CPUExecutionProvider"]
    )
    ours = run(workload, {"x": large})[0]
    np.testing.assert_array_equal(session.run(None, {"x": large})[0], ours)
    assert np.isfinite(ours).all()


@pytest.mark.parametrize("dtype", ["bfloat16", *STORED])
def test_models_with_them_are_read_back(dtype: str) -> None:
    again = Workload.from_onnx(there_and_back(dtype).to_onnx())
    assert [expr.dtype for expr in again.order] == ["float32", dtype, "float32"]


def test_an_operator_that_onnx_has_not_for_a_dtype_is_named() -> None:
    x = Var("x", (2, 3), "float8_e5m2")
    workload = Workload([Call(lookup("Flip"), [x], {"axis": 0})])
    with pytest.raises(errors.NotWritableError, match=r"Slice .* is not defined for float8_e5m2"):
        workload.to_onnx()
