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
    opset: int = 21

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

BLOCK = sample(1, (2, 8, 4, 6), "float32")
SQUARE = sample(1, (8, 8, 2, 3), "float32")
"""As many batches as channels: more channels the reference of ONNX does not look at."""
GRID = sample(2, (3, 4, 5), "float32")
TIES = np.array([[3, 1, 3, 2, 1], [0, 0, 5, 5, 5]], np.int32)
AXES = np.array([1, -1])
PLACES = np.array([[0, 1], [2, 0], [1, 1]])
LISTED = np.array([[0, 2, 1], [2, 1, 0]])
UPDATES = sample(3, (2, 3), "float32")
SLICES = sample(4, (3, 5), "float32")
WEIGHT = sample(5, (4, 2, 2, 3, 1), "float32")
VOLUME = sample(6, (1, 4, 4, 5, 3), "float32")
WINDOWS = {"strides": (1, 2, 1), "dilation": (2, 1, 1), "padding": (1, 0, 0, 0, 1, 0)}
SPELLED = {"strides": (1, 2, 1), "dilations": (2, 1, 1), "pads": (1, 0, 0, 0, 1, 0)}
POOLED = {"pool_size": (2, 2, 2), "strides": (1, 2, 1), "padding": (1, 0, 0, 0, 1, 0)}
POOLS = {"kernel_shape": (2, 2, 2), "strides": (1, 2, 1), "pads": (1, 0, 0, 0, 1, 0)}
FACTORS = sample(7, (4, 3), "float32"), sample(8, (5, 4), "float32"), sample(9, (5,), "float32")
SCALED = {"alpha": 0.5, "beta": 2.0}

SHAPED = [
    *(
        Twin(
            name,
            (GRID,),
            kind,
            {"axis": (1, -1), "keepdims": keep},
            {"keepdims": int(keep)},
            (AXES,),
        )
        for name, kind in (
            ("ReduceL1", "ReduceL1"),
            ("ReduceL2", "ReduceL2"),
            ("SumSquare", "ReduceSumSquare"),
            ("LogSumExp", "ReduceLogSumExp"),
        )
        for keep in (False, True)
    ),
    *(
        Twin(
            "DepthToSpace",
            (BLOCK,),
            "DepthToSpace",
            {"block_size": 2, "mode": m},
            {"blocksize": 2, "mode": m},
        )
        for m in ("DCR", "CRD")
    ),
    Twin("SpaceToDepth", (BLOCK,), "SpaceToDepth", {"block_size": 2}, {"blocksize": 2}),
    *(Twin("LRN", (SQUARE,), "LRN", {"size": n, "alpha": 0.5, "bias": 2.0}) for n in (3, 5)),
    *(
        Twin(
            "TopK",
            (TIES,),
            "TopK",
            {"k": 3, "largest": b},
            {"largest": int(b)},
            (np.array([3]),),
            2,
        )
        for b in (True, False)
    ),
    *(
        Twin(
            "ScatterElements",
            (GRID[0], LISTED, UPDATES),
            "ScatterElements",
            {"axis": 1, "reduction": how},
        )
        for how in ("none", "add", "mul", "max", "min")
    ),
    *(
        Twin("ScatterND", (GRID, PLACES, SLICES), "ScatterND", {"reduction": how})
        for how in ("none", "add", "mul", "max", "min")
    ),
    Twin("GatherND", (GRID, PLACES), "GatherND"),
    Twin("GatherND", (GRID, LISTED.reshape(3, 2, 1)), "GatherND", {"batch_dims": 1}),
    Twin("Gemm", (FACTORS[1], FACTORS[0], FACTORS[2][:3]), "Gemm", SCALED),
    Twin(
        "Gemm",
        (FACTORS[0], FACTORS[1], FACTORS[2]),
        "Gemm",
        {**SCALED, "trans_a": True, "trans_b": True},
        {**SCALED, "transA": 1, "transB": 1},
    ),
    Twin("Einsum", ((GRID, GRID[:, :, :2]),), "Einsum", {"equation": "bij,bik->bkj"}),
    Twin("Einsum", ((GRID, GRID[0, 0]),), "Einsum", {"equation": "...j,j"}),
    Twin("Einsum", ((TIES[:2, :2],),), "Einsum", {"equation": "ij->ji"}),
    Twin("Conv3D", (VOLUME, WEIGHT), "Conv", {**WINDOWS, "groups": 2}, {**SPELLED, "group": 2}),
    Twin("MaxPool3D", (VOLUME,), "MaxPool", POOLED, POOLS),
    Twin("AvgPool3D", (VOLUME,), "AveragePool", POOLED, POOLS),
    Twin(
        "CumProd",
        (GRID,),
        "CumProd",
        {"axis": 1, "exclusive": True},
        {"exclusive": 1},
        (np.array(1),),
        1,
        26,
    ),
]

LEVELS = np.array([[-70, -1.5, -0.5, 0.5], [1.5, 2.5, 30, 64], [0, 1, 2, 3]], np.float32)
STEPS = np.array([0.5, 1, 2], np.float32)
ZEROS = np.array([0, -3, 100], np.int8)
BLOCKS = np.array([[0.5, 1], [2, 4], [0.25, 8]], np.float32)
BYTES = sample(10, (3, 4), "uint8"), sample(11, (4, 5), "int8")
HEADS = [sample(12 + n, (2, 4 if n == 0 else 2, 3, 4), "float32") for n in range(3)]
ANGLES = sample(16, (2, 3, 1), "float32"), sample(17, (2, 3, 1), "float32")
MASK = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]], bool)
LEAST = np.array(128, np.uint8), np.array(-7, np.int8)
NOTHING = np.array([], np.float32)


def resized(sizes: tuple[int, ...], **attributes: Any) -> Twin:
    theirs = {"coordinate_transformation_mode": attributes["coordinates"]}
    theirs["mode"] = attributes.get("mode", "nearest")
    if theirs["mode"] == "nearest":
        theirs["nearest_mode"] = attributes["rounding"]
    own = {"sizes": sizes, **attributes}
    return Twin("Resize", (GRID[:1, :, :],), "Resize", own, theirs, (None, None, np.array(sizes)))


MODERN = [
    Twin("QuantizeLinear", (LEVELS, np.float32(0.5), np.uint8(3)), "QuantizeLinear"),
    Twin("QuantizeLinear", (LEVELS, STEPS, ZEROS), "QuantizeLinear", {"axis": 0}),
    Twin(
        "QuantizeLinear",
        (LEVELS, BLOCKS, np.array([[0, 1], [2, 3], [4, 5]], np.int8)),
        "QuantizeLinear",
        {"axis": 1, "block_size": 2},
    ),
    Twin("DequantizeLinear", (BYTES[0], np.float32(0.5), np.uint8(3)), "DequantizeLinear"),
    Twin("DequantizeLinear", (BYTES[1][:3], STEPS, ZEROS), "DequantizeLinear", {"axis": 0}),
    Twin("DynamicQuantizeLinear", (LEVELS,), "DynamicQuantizeLinear", outputs=3),
    Twin("DynamicQuantizeLinear", (-np.abs(LEVELS),), "DynamicQuantizeLinear", outputs=3),
    Twin("MatMulInteger", (*BYTES, *LEAST), "MatMulInteger"),
    Twin(
        "ConvInteger2D",
        (sample(18, (2, 4, 5, 4), "uint8"), sample(19, (6, 2, 3, 2), "int8"), *LEAST),
        "ConvInteger",
        {"groups": 2, "padding": (1, 0, 2, 1), "strides": (2, 1)},
        {"group": 2, "pads": (1, 0, 2, 1), "strides": (2, 1)},
    ),
    Twin(
        "ConvInteger1D",
        (sample(18, (2, 2, 9), "int8"), sample(19, (3, 2, 2), "uint8"), LEAST[1], np.uint8(200)),
        "ConvInteger",
        {"dilation": (3,)},
        {"dilations": (3,)},
    ),
    Twin(
        "ConvInteger3D",
        (sample(18, (2, 4, 3, 4, 3), "uint8"), sample(19, (6, 2, 2, 3, 1), "int8"), *LEAST),
        "ConvInteger",
        {"groups": 2, "padding": (1, 0, 2, 1, 0, 0), "strides": (2, 1, 1)},
        {"group": 2, "pads": (1, 0, 2, 1, 0, 0), "strides": (2, 1, 1)},
    ),
    Twin("MaskedAttention", (*HEADS, ()), "Attention", opset=23),
    Twin("MaskedAttention", (*HEADS, MASK), "Attention", opset=23),
    Twin("MaskedAttention", (*HEADS, LEVELS[:, :3]), "Attention", {"scale": 0.25}, opset=23),
    Twin(
        "MaskedAttention",
        (*HEADS, ()),
        "Attention",
        {"is_causal": True},
        {"is_causal": 1},
        opset=23,
    ),
    *(
        Twin(
            "RotaryEmbedding",
            (HEADS[0], *ANGLES),
            "RotaryEmbedding",
            {"interleaved": turned},
            {"interleaved": int(turned), "rotary_embedding_dim": 2},
            opset=23,
        )
        for turned in (False, True)
    ),
    *(
        resized((1, 7, 3), coordinates=where, rounding=rounding)
        for where in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
        for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    ),
    *(
        resized(sizes, coordinates=where, mode=mode)
        for mode in ("linear", "cubic")
        for where in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
        for sizes in ((1, 7, 3), (1, 1, 9))
        # The reference samples an axis of one place at -1/2, where ONNX says 0.
        if not (mode == "cubic" and where == "pytorch_half_pixel" and 1 in sizes[1:])
    ),
]


def agree(twin: Twin) -> None:
    case = Case(lookup(twin.operator), twin.operands, twin.attributes)
    found = reference(case)
    theirs = twin.attributes if twin.theirs is None else twin.theirs
    operands: list[Any] = []
    for operand in twin.operands:
        operands.extend(operand if isinstance(operand, tuple) else (operand,))
    expected = on_onnx.node(
        twin.kind, *operands, *twin.further, outputs=twin.outputs, opset=twin.opset, **theirs
    )
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


@pytest.mark.parametrize("twin", SHAPED, ids=str)
def test_operators_on_axes_agree(twin: Twin) -> None:
    agree(twin)


@pytest.mark.parametrize("twin", MODERN, ids=str)
def test_operators_of_today_agree(twin: Twin) -> None:
    agree(twin)


def test_a_difference_is_seen() -> None:
    wrong = Twin("Elu", (sample(0, (3,), "float32"),), "Elu", {"alpha": 2.0}, {"alpha": 1.0})
    with pytest.raises(AssertionError):
        agree(wrong)
