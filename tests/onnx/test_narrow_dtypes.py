"""Dtypes that only few operators of ONNX have: written, run by onnxruntime, and read back."""

from __future__ import annotations

import numpy as np
import pytest

from gsl.errors import ShapeError
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


QUANTISED = [*STORED, "int16", "uint16"]
STEPS = np.array([0.5, 2.0], np.float32)


def quantised(dtype: str, axis: int | None, block: int = 0) -> tuple[Workload, Workload]:
    """Return numbers [2, 4] quantised, and integers of the dtype turned into numbers."""
    shape = {None: (), 0: (2,), 1: (2, 2)}[1 if block else axis]
    how = {} if axis is None else {"axis": axis, "block_size": block}
    scale, zero = Var("scale", shape), Var("zero", shape, dtype)
    down = Call(lookup("QuantizeLinear"), [Var("x", (2, 4)), scale, zero], how)
    up = Call(lookup("DequantizeLinear"), [Var("x", (2, 4), dtype), scale, zero], how)
    return Workload(down), Workload(up)


def operands(workload: Workload, dtype: str) -> dict[str, np.ndarray]:
    numbers = np.linspace(-9, 900, 8).reshape(2, 4)
    shape = {one.name: one.shape for one in workload.inputs}["scale"]
    zero = 0 if dtype.startswith("float8") else 1
    return {
        "x": numbers.astype(np.float32) if workload.inputs[0].dtype == "float32" else LEVELS[dtype],
        "scale": np.resize(STEPS, shape).astype(np.float32),
        "zero": np.full(shape, zero).astype(dtype),
    }


LEVELS = {dtype: np.arange(8).reshape(2, 4).astype("int8").astype(dtype) for dtype in QUANTISED}
FORMS = {"tensor": (None, 0), "axis": (0, 0), "blocks": (1, 2)}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", QUANTISED)
def test_onnx_quantises_alike(dtype: str, form: str) -> None:
    for workload in quantised(dtype, *FORMS[form]):
        model, given = workload.to_onnx(), operands(workload, dtype)
        assert [node.op_type for node in model.graph.node] == [str(workload.outputs[0].operator)]
        (theirs,) = onnx.reference.ReferenceEvaluator(model).run(None, given)
        (ours,) = run(workload, given)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours.astype("f"), theirs.astype("f"))
        again = Workload.from_onnx(model)
        assert [str(one) for one in again.order] == [str(one) for one in workload.order]


@pytest.mark.parametrize("dtype", ["int16", "uint16"])
def test_half_precision_does_not_hold_sixteen_bits(dtype: str) -> None:
    given = [Var("x", (2,), "float16"), Var("s", (), "float16"), Var("z", (), dtype)]
    with pytest.raises(ShapeError, match="hold all numbers of 16 bits"):
        Call(lookup("QuantizeLinear"), given, {})


@pytest.mark.parametrize("kind", ["Cast", "CastLike"])
def test_conversions_that_overflow_are_those_of_onnx(kind: str) -> None:
    model = there_and_back("float8_e5m2").to_onnx()
    node = model.graph.node[0]
    node.attribute.append(onnx.helper.make_attribute("saturate", 0))
    if kind == "CastLike":
        node.op_type = kind
        (place,) = [i for i, one in enumerate(node.attribute) if one.name == "to"]
        like = onnx.helper.make_tensor("like", node.attribute[place].i, [1], [1.0])
        del node.attribute[place]
        node.input.append("like")
        model.graph.initializer.append(like)
    workload, large = Workload.from_onnx(model), np.full(NUMBERS.shape, 1e6, np.float32)
    assert np.isinf(run(workload, {**workload.parameters, "x": large})[0]).all()
