"""Graphs for the tests of the door to TVM, and what it means that two graphs are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.operators import REGISTRY, lookup
from gsl.records import encode
from gsl.workload import Workload


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), operands, attributes)


def same(left: Sequence[Expr], right: Sequence[Expr]) -> bool:
    """Tell whether graphs have the same structure: the same vertices, edges, sharing, outputs."""
    left_records, left_outputs = encode(left)
    right_records, right_outputs = encode(right)
    if left_outputs != right_outputs or len(left_records) != len(right_records):
        return False
    return all(map(_same_record, left_records, right_records))


def _same_record(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    if left[0] == right[0] == "const":
        return left[2].dtype == right[2].dtype and np.array_equal(left[2], right[2])
    return left == right


def values_for(outputs: Sequence[Expr], seed: int = 0) -> dict[str, Any]:
    """Return positive values, on which every operator here is defined, for all variables."""
    generator = np.random.default_rng(seed)
    variables = [expr for expr in reverse_post_order(outputs) if isinstance(expr, Var)]
    return {v.name: _draw(generator, v) for v in variables}


def _draw(generator: Any, variable: Var) -> Any:
    kind = np.dtype(variable.dtype)
    if kind.kind == "f":
        return generator.uniform(0.5, 2.0, variable.shape).astype(kind)
    return generator.integers(0, 2, variable.shape).astype(kind)


def assert_close(computed: Any, expected: Any) -> None:
    """Compare outputs, looking into tuples: exactly unless they are floats."""
    if isinstance(expected, tuple):
        assert isinstance(computed, tuple)
        assert len(computed) == len(expected)
        for left, right in zip(computed, expected, strict=True):
            assert_close(left, right)
        return
    assert computed.dtype == expected.dtype
    assert computed.shape == expected.shape
    tolerance = 1e-2 if expected.dtype == np.float16 else 1e-5
    np.testing.assert_allclose(computed, expected, rtol=tolerance, atol=tolerance)


def convolution_with_parameters() -> Workload:
    data, weight, bias = Var("data", (1, 4, 5, 6)), Var("weight", (6, 2, 3, 3)), Var("bias", (6,))
    conv = call("Conv2D", data, weight, padding=(1, 0, 2, 1), strides=2, groups=2)
    result = call("Clip", call("BiasAdd", conv, bias), min=0.0, max=6.0)
    return Workload(result, values_for([weight, bias]))


def split_and_concatenate() -> Workload:
    data = Var("data", (2, 6), "int32")
    pieces = call("Split", data, indices_or_sections=(1, 3), axis=1)
    swapped = Tuple([Proj(pieces, 2), Proj(pieces, 0), Proj(pieces, 1)])
    return Workload(call("Concatenate", swapped, axis=1))


def concatenate_a_split_directly() -> Workload:
    pieces = call("Split", Var("data", (2, 6)), indices_or_sections=3, axis=1)
    return Workload([call("Concatenate", pieces, axis=0), call("Stack", pieces, axis=1)])


def shared_and_inline_tuples() -> Workload:
    x, y = Var("x", (2, 3)), Var("y", (2, 3))
    shared, single = Tuple([x, y]), Tuple([y, x, y])
    stacked, joined = call("Stack", shared), call("Concatenate", shared)
    return Workload([stacked, joined, call("Concatenate", single, axis=-1), Proj(shared, 1)])


def constants_of_all_dtypes() -> Workload:
    names = ("float16", "float32", "float64", "int8", "int32", "int64", "uint8")
    sums = [call("Add", Const([1, 0, 1], name), Const(2, name)) for name in names]
    flag = call("LogicalNot", Const([True, False]))
    return Workload([*sums, flag, Const(3.5), Const(np.zeros((0, 2)), "float64")])


def an_input_as_output() -> Workload:
    x = Var("x", (2,))
    return Workload([x, call("Negative", x), x])


def the_same_output_twice() -> Workload:
    total = call("Add", Var("x", (2,)), Var("y", ()))
    return Workload([total, total])


def nested_tuple_as_one_output() -> Workload:
    x = Var("x", (2,))
    return Workload(Tuple([x, Tuple([call("Exp", x), Const(1, "int64")]), Tuple([])]))


def a_tuple_among_outputs() -> Workload:
    x = Var("x", (2, 4))
    return Workload([call("Split", x, indices_or_sections=2, axis=1), call("Exp", x)])


def no_operands() -> Workload:
    identity = call("Eye", n=2, m=3, k=1)
    return Workload(call("Add", identity, call("Full", shape=(2, 3), fill_value=0.5)))


def diamond() -> Workload:
    x = Var("x", (2, 3))
    top = call("Exp", x)
    return Workload(call("Matmul", call("Relu", top), call("Transpose", top)))


def unused_input() -> Workload:
    x, y = Var("x", (2,)), Var("y", (3,))
    return Workload(call("Exp", y), {}, [x, y])


def composites() -> Workload:
    x, gamma, w = Var("x", (2, 4)), Var("gamma", (4,)), Var("w", (3, 4))
    normal = call("RmsNorm", x, gamma, axes=-1, epsilon=1e-3)
    again = call("RmsNorm", call("Dense", normal, w), Var("delta", (3,)), axes=(1,))
    return Workload(call("RmsNorm", again, Var("delta2", (3,)), axes=(1,)))


WORKLOADS = (
    convolution_with_parameters,
    split_and_concatenate,
    concatenate_a_split_directly,
    shared_and_inline_tuples,
    constants_of_all_dtypes,
    an_input_as_output,
    the_same_output_twice,
    nested_tuple_as_one_output,
    a_tuple_among_outputs,
    no_operands,
    diamond,
    unused_input,
    composites,
)

Example = tuple[tuple[Expr, ...], Mapping[str, Any]]

IMAGE = Var("image", (2, 4, 5, 6))
SEQUENCE = Var("sequence", (2, 4, 7))
MATRIX = Var("matrix", (2, 3))
ROW = Var("row", (3,))
FLAGS = Var("flags", (2, 3), "bool")
MORE_FLAGS = Var("more_flags", (3,), "bool")
BITS = Var("bits", (2, 3), "int32")
MORE_BITS = Var("more_bits", (3,), "int32")
VOLUME = Var("volume", (1, 4, 3, 4, 5))
Q_ZEROS = Var("dz", (), "uint8"), Var("wz", (), "int8")
Q_MATRIX, Q_ZERO = Var("q", (2, 3), "uint8"), Var("zero", (2, 2), "uint8")
QUERIES = (Var("query", (2, 4, 3, 4)), Var("key", (2, 2, 5, 4)), Var("value", (2, 2, 5, 6)))
STARTS = Var("starts", (2,), "int32")
INDICES = Var("indices", (2, 3), "int64")
FOUR = tuple(Var(f"four{i}", (4,)) for i in range(4))
ROWS = Var("rows", (2, 4))
HEADS = tuple(Var(f"heads{i}", (2, 3, 2, 4)) for i in range(3))

EXAMPLES: Mapping[str, Example] = {
    "Cast": ((MATRIX,), {"dtype": "int32"}),
    "Clip": ((MATRIX,), {"min": 0.75, "max": 1.5}),
    "LogicalAnd": ((FLAGS, MORE_FLAGS), {}),
    "LogicalOr": ((FLAGS, MORE_FLAGS), {}),
    "LogicalNot": ((FLAGS,), {}),
    "Where": ((FLAGS, MATRIX, ROW), {}),
    "Zeros": ((), {"shape": (2, 3), "dtype": "int8"}),
    "Ones": ((), {"shape": (), "dtype": "bool"}),
    "Full": ((), {"shape": (2, 1), "fill_value": 3, "dtype": "int64"}),
    "FullLike": ((MATRIX,), {"fill_value": 2.5}),
    "Eye": ((), {"n": 3, "m": 2, "k": -1, "dtype": "float64"}),
    "Arange": ((), {"start": -2, "end": 9, "step": 3, "dtype": "float32"}),
    "Matmul": ((MATRIX, ROW), {}),
    "Dense": ((MATRIX, Var("weight", (4, 3))), {}),
    "BiasAdd": ((MATRIX, ROW), {"axis": -1}),
    "Attention": (HEADS, {"scale": 0.5}),
    "Conv1D": ((SEQUENCE, Var("kernel", (6, 2, 3))), {"groups": 2, "padding": (1, 2)}),
    "Conv2D": ((IMAGE, Var("kernel", (3, 3, 4, 5))), {"kernel_layout": "HWIO", "dilation": 2}),
    "Conv1DTranspose": ((SEQUENCE, Var("kernel", (4, 3, 2))), {"strides": 2}),
    "Conv2DTranspose": (
        (IMAGE, Var("kernel", (4, 3, 2, 3))),
        {"strides": (2, 3), "output_padding": (1, 2)},
    ),
    "Conv3DTranspose": (
        (VOLUME, Var("kernel", (4, 3, 2, 2, 1))),
        {"strides": (2, 1, 3), "output_padding": (1, 0, 2)},
    ),
    "MatrixSetDiag": ((MATRIX, Var("diagonal", (2,))), {}),
    "StridedSlice": ((MATRIX,), {"begin": (0, 1), "end": (2, -1), "strides": (2, 1)}),
    "SliceScatter": ((MATRIX, Var("column", (2, 1))), {"start": 1, "axis": 1}),
    "Take": ((MATRIX, INDICES), {"axis": 1}),
    "GatherElements": ((MATRIX, INDICES), {"axis": -1}),
    "Pad": ((MATRIX,), {"pad_width": (1, 0, 0, 2), "pad_value": 0.5}),
    "OneHot": ((INDICES,), {"depth": 4, "axis": 0, "off_value": -1.0}),
    "Cumsum": ((MATRIX,), {"axis": 1, "exclusive": True}),
    "Concatenate": ((Tuple([MATRIX, MATRIX]),), {"axis": 1}),
    "Stack": ((Tuple([MATRIX, MATRIX]),), {"axis": -1}),
    "Split": ((MATRIX,), {"indices_or_sections": (1, 2), "axis": 1}),
    "BroadcastTo": ((ROW,), {"shape": (2, 3)}),
    "Repeat": ((MATRIX,), {"repeats": 2, "axis": 1}),
    "Tile": ((MATRIX,), {"repeats": (2, 1)}),
    "Reshape": ((MATRIX,), {"shape": (3, -1)}),
    "ExpandDims": ((MATRIX,), {"axis": (0, -1)}),
    "Squeeze": ((Var("thin", (1, 2, 1)),), {}),
    "Flip": ((MATRIX,), {"axis": 1}),
    "Argmax": ((MATRIX,), {"axis": 1}),
    "Argmin": ((MATRIX,), {"axis": -1, "keepdims": True}),
    "BatchNorm": ((IMAGE, *FOUR), {"epsilon": 1e-3}),
    "LayerNorm": ((ROWS, *FOUR[:2]), {"axes": -1}),
    "RmsNorm": ((ROWS, FOUR[0]), {"axes": -1}),
    "GroupNorm": ((IMAGE, *FOUR[:2]), {"num_groups": 2, "channel_axis": 1, "axes": (2, 3)}),
    "InstanceNorm": ((IMAGE, *FOUR[:2]), {"channel_axis": 1, "axes": (2, 3)}),
    "MaxPool1D": ((SEQUENCE,), {"pool_size": 3, "padding": 1}),
    "MaxPool2D": ((IMAGE,), {"pool_size": (2, 3), "strides": 2, "ceil_mode": True}),
    "AvgPool1D": ((SEQUENCE,), {"pool_size": 3, "strides": 2}),
    "AvgPool2D": ((IMAGE,), {"pool_size": 2, "padding": 1, "count_include_pad": True}),
    "AdaptiveAvgPool2D": ((IMAGE,), {"output_size": (2, 4)}),
    "GlobalAvgPool2D": ((IMAGE,), {}),
    "LogicalXor": ((FLAGS, MORE_FLAGS), {}),
    **dict.fromkeys(("BitwiseAnd", "BitwiseOr", "BitwiseXor"), ((BITS, MORE_BITS), {})),
    **dict.fromkeys(("LeftShift", "RightShift"), ((BITS, MORE_BITS), {})),
    "BitwiseNot": ((BITS,), {}),
    "PRelu": ((MATRIX, ROW), {}),
    "Gemm": ((MATRIX, Var("b", (4, 3)), Var("c", (4,))), {"trans_b": True, "alpha": 0.5}),
    "Conv3D": ((VOLUME, Var("kernel", (6, 2, 3, 2, 2))), {"groups": 2, "padding": 1}),
    "MaxPool3D": ((VOLUME,), {"pool_size": (2, 3, 2), "strides": 2}),
    "AvgPool3D": ((VOLUME,), {"pool_size": 2, "padding": 1, "count_include_pad": True}),
    "CumProd": ((MATRIX,), {"axis": 1, "exclusive": True}),
    "ArgSort": ((MATRIX,), {"axis": 0, "descending": True}),
    "TopK": ((MATRIX,), {"k": 2, "largest": False}),
    "Einsum": ((Tuple([MATRIX, ROW]),), {"equation": "ij,j->i"}),
    "DepthToSpace": ((IMAGE,), {"block_size": 2, "mode": "CRD"}),
    "SpaceToDepth": ((Var("pixels", (1, 2, 4, 6)),), {"block_size": 2}),
    "LRN": ((IMAGE,), {"size": 3}),
    "DynamicSlice": ((MATRIX, STARTS), {"sizes": (1, 2)}),
    "DynamicUpdateSlice": ((MATRIX, Var("update", (1, 2)), STARTS), {}),
    "BroadcastInDim": ((ROW,), {"shape": (3, 2), "axes": (0,)}),
    "DilatedPad": (
        (MATRIX,),
        {"low": (1, -1), "high": (0, 2), "interior": (0, 1), "pad_value": 0.5},
    ),
    "QuantizeLinear": ((MATRIX, Var("scale", (3,)), Var("zero", (3,), "int8")), {"axis": 1}),
    "DequantizeLinear": ((Q_MATRIX, Var("scale", (2, 2)), Q_ZERO), {"axis": 1, "block_size": 2}),
    "FakeQuantize": (
        (MATRIX, Var("scale", (3,)), Var("zero", (3,), "int32")),
        {"axis": 1, "quant_min": -128, "quant_max": 127},
    ),
    "MatMulInteger": (
        (Q_MATRIX, Var("b", (3, 4), "int8"), Var("az", (2,), "uint8"), Var("bz", (), "int8")),
        {},
    ),
    "ConvInteger1D": (
        (Var("tones", (1, 2, 5), "uint8"), Var("taps", (3, 2, 2), "int8"), *Q_ZEROS),
        {"padding": (1, 0)},
    ),
    "ConvInteger3D": (
        (Var("cells", (1, 2, 3, 3, 2), "uint8"), Var("kernel", (3, 2, 2, 1, 2), "int8"), *Q_ZEROS),
        {"padding": (1, 0, 0, 0, 1, 0)},
    ),
    "ConvInteger2D": (
        (
            Var("pixels", (1, 2, 4, 5), "int8"),
            Var("kernel", (4, 1, 2, 3), "int8"),
            Var("dz", (), "int8"),
            Var("wz", (4,), "int8"),
        ),
        {"groups": 2, "strides": (2, 1)},
    ),
    "SkipLayerNorm": ((ROWS, Var("skip", (2, 4)), *FOUR[:3]), {}),
    "SkipRmsNorm": ((ROWS, Var("skip", (2, 4)), *FOUR[:2]), {}),
    "BiasGelu": ((ROWS, FOUR[0]), {}),
    "SelfAttention": (
        (
            Var("tokens", (2, 3, 4)),
            Var("projection", (4, 12)),
            Var("columns", (12,)),
            Var("mask", (3, 3)),
        ),
        {"num_heads": 2, "scale": 0.5},
    ),
    "MaskedAttention": ((*QUERIES, Var("mask", (3, 5), "bool")), {"is_causal": True}),
    "RotaryEmbedding": ((QUERIES[0], Var("cos", (2, 3, 1)), Var("sin", (2, 3, 1))), {}),
    "Resize": ((MATRIX,), {"sizes": (4, 2), "mode": "cubic"}),
    "ScatterElements": ((MATRIX, INDICES, Var("updates", (2, 3))), {"axis": 1}),
    "GatherND": ((MATRIX, Var("places", (4, 2), "int64")), {}),
    "ScatterND": ((MATRIX, Var("places", (4, 2), "int64"), Var("updates", (4,))), {}),
}
"""Operands and attributes for the operators that do not simply take matrices."""


def example(name: str) -> Call:
    """Return a call of a declared operator."""
    operator = REGISTRY[name]
    if name in EXAMPLES:
        operands, attributes = EXAMPLES[name]
        return call(name, *operands, **attributes)
    return call(name, *(Var(operand.name, (2, 3)) for operand in operator.operands))
