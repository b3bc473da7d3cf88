"""References against those of ONNX, for operators that ONNX has under the same meaning."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from three_way import Case, reference, sample

from gsl.operators.declaration import lookup

on_onnx = pytest.importorskip("on_onnx", reason="needs onnx", exc_type=ImportError)


class Twin(NamedTuple):
    """An operator on arrays, and the node of ONNX that computes the same."""

    operator: str
    operands: tuple[Any, ...]
    kind: str
    attributes: dict[str, Any] = {}  # noqa: RUF012
    theirs: dict[str, Any] | None = None
    further: tuple[Any, ...] = ()
    """Inputs that the node has behind the operands."""
    outputs: int = 1

    def __str__(self) -> str:
        return f"{self.operator}-{self.attributes}"


REALS = np.array([-30, -2.5, -1, -0.5, 0, 0.25, 0.5, 1, 3, 25], np.float32)
UNIT = np.linspace(-0.99, 0.99, 9, dtype=np.float32)
WHOLE = np.array([-128, -7, -1, 1, 6, 127], np.int8)
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0, -1], np.float32)
MASKS = np.array([0, 1, 5, 200, 255], np.uint8), np.array([7, 255, 4, 15, 1], np.uint8)
DIVIDED = np.array([7, -7, 7, -7, 0], np.int32), np.array([2, 2, -2, -2, 3], np.int32)

ELEMENTWISE = [
    *(Twin(n, (UNIT,), n) for n in ("Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh")),
    Twin("Acosh", (UNIT + 2,), "Acosh"),
    Twin("Atanh", (UNIT,), "Atanh"),
    *(Twin(n, (REALS,), n) for n in ("Softsign", "HardSwish", "HardSigmoid", "Elu", "Selu")),
    Twin("Mish", (REALS[1:],), "Mish"),
    Twin("HardSigmoid", (REALS,), "HardSigmoid", {"alpha": 0.5, "beta": 0.25}),
    Twin("Elu", (REALS,), "Elu", {"alpha": 2.0}),
    Twin("Selu", (REALS,), "Selu", {"alpha": 2.0, "gamma": 3.0}),
    Twin("Celu", (REALS,), "Celu", {"alpha": 2.0}),
    Twin("ThresholdedRelu", (REALS,), "ThresholdedRelu", {"alpha": 0.5}),
    Twin("Shrink", (REALS,), "Shrink", {"lambd": 0.5, "bias": 0.25}),
    Twin("GeluTanh", (REALS,), "Gelu", {}, {"approximate": "tanh"}),
    Twin("PRelu", (REALS.reshape(5, 2), np.array([0.5, 2], np.float32)), "PRelu"),
    Twin("IsNaN", (SPECIAL,), "IsNaN"),
    Twin("IsInf", (SPECIAL,), "IsInf"),
    *(Twin(f"Bitwise{n}", MASKS, f"Bitwise{n}") for n in ("And", "Or", "Xor")),
    Twin("BitwiseNot", (WHOLE,), "BitwiseNot"),
    Twin("LeftShift", (MASKS[0], MASKS[1] % 8), "BitShift", {}, {"direction": "LEFT"}),
    Twin("RightShift", (MASKS[0], MASKS[1] % 8), "BitShift", {}, {"direction": "RIGHT"}),
    Twin("Remainder", DIVIDED, "Mod", {}, {"fmod": 1}),
]


def agree(twin: Twin) -> None:
    case = Case(lookup(twin.operator), twin.operands, twin.attributes)
    found = reference(case)
    theirs = twin.attributes if twin.theirs is None else twin.theirs
    operands: list[Any] = []
    for operand in twin.operands:
        operands.extend(operand if isinstance(operand, tuple) else (operand,))
    expected = on_onnx.node(twin.kind, *operands, *twin.further, outputs=twin.outputs, **theirs)
    pairs = [(found, expected)] if twin.outputs == 1 else zip(found, expected, strict=True)
    for mine, other in pairs:
        assert mine.dtype == other.dtype
        assert mine.shape == other.shape
        if mine.dtype.kind == "f":
            np.testing.assert_allclose(mine, other, rtol=2e-5, atol=2e-6)
        else:
            np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("twin", ELEMENTWISE, ids=str)
def test_elementwise_operators_agree(twin: Twin) -> None:
    with np.errstate(all="ignore"):
        agree(twin)


def test_a_difference_is_seen() -> None:
    wrong = Twin("Elu", (sample(0, (3,), "float32"),), "Elu", {"alpha": 2.0}, {"alpha": 1.0})
    with pytest.raises(AssertionError):
        agree(wrong)
