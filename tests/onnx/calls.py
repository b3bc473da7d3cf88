"""Calls of every operator, with the attributes and dtypes that matter for ONNX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

from gsl.expr import Call, Expr, Proj, Tuple, Var
from gsl.operators import REGISTRY, lookup
from gsl.types import ALL_DTYPES, FLOATING, NUMERIC, STORED, TupleType
from gsl.workload import Workload

pytest.importorskip("onnx_ir", reason="ONNX needs the extra `models`")

from gsl.onnx import rows
from gsl.onnx.table import WRITERS

assert rows.__all__  # importing them has filled the table


class Given(NamedTuple):
    """Shapes of the operands (a list for a tuple of tensors), attributes, and dtypes to try."""

    shapes: tuple[Any, ...]
    attributes: Mapping[str, Any] = MappingProxyType({})
    dtypes: tuple[str, ...] | None = None


TRIED = tuple(dtype for dtype in ALL_DTYPES if dtype not in STORED)
"""All dtypes but those that only few operators of ONNX have: see `test_narrow_dtypes`."""

HEADS = (2, 2, 3, 4)
IMAGE, WIDE = (2, 4, 7, 6), (2, 7, 6, 4)
VECTOR = ((4,),) * 4
FLOATS = ("float32", "float64")

CALLS: dict[str, list[Given]] = {
    "Cast": [Given(((2, 3),), {"dtype": dtype}) for dtype in TRIED],
    "LeakyRelu": [Given(((3,),), {"alpha": 0.5}), Given(((3,),), {"alpha": 0.1})],
    "Softplus": [Given(((3,),)), Given(((3,),), {"beta": 2.0, "threshold": 1.0})],
    "Clip": [Given(((3, 4),), {"min": 1.0, "max": 3.0})],
    "Zeros": [Given((), {"shape": (2, 3), "dtype": dtype}) for dtype in TRIED],
    "Ones": [Given((), {"shape": (2, 0), "dtype": dtype}) for dtype in TRIED],
    "Full": [Given((), {"shape": (2,), "fill_value": 1, "dtype": dtype}) for dtype in NUMERIC],
    "ZerosLike": [Given(((2, 3),)), Given(((2,),), {"dtype": "int8"})],
    "OnesLike": [Given(((2, 3),)), Given(((2,),), {"dtype": "bool"})],
    "FullLike": [Given(((2, 3),), {"fill_value": 1.0})],
    "Eye": [Given((), {"n": 3, "m": 4, "k": k, "dtype": "int32"}) for k in (-9, -1, 0, 2, 9)],
    "Shape": [Given((shape,)) for shape in ((), (2, 0, 3))],
    "Size": [Given((shape,)) for shape in ((), (2, 3))],
    "Arange": [
        Given((), {"start": -1, "end": 9, "step": 3, "dtype": dtype})
        for dtype in ("int64", "int8", "float32", "float16")
    ],
    "Matmul": [
        Given(shapes)
        for shapes in (
            ((2, 3), (3, 4)),
            ((3,), (3,)),
            ((5, 2, 3), (3,)),
            ((2, 1, 2, 3), (4, 3, 2)),
            ((0, 3), (3, 2)),
        )
    ]
    + [Given(((2, 3), (3, 2)), {"out_dtype": "float64"}, ("float32",))],
    "Dense": [Given(((2, 3), (4, 3))), Given(((2, 5, 3), (4, 3))), Given(((3,), (4, 3)))],
    "BiasAdd": [Given(((2, 3, 4), (3,)), {"axis": 1}), Given(((2, 3), (3,)), {"axis": -1})],
    "Attention": [Given(((2, 3, 2, 4), (2, 5, 2, 4), (2, 5, 2, 3)))],
    "Tril": [Given(((2, 3, 4),), {"k": k}) for k in (-9, -1, 0, 2, 2**40)],
    "Triu": [Given(((3, 3),), {"k": k}) for k in (-9, 1)],
    "MatrixSetDiag": [Given(((2, 3, 4), (2, 3))), Given(((4, 3), (3,)))],
    "StridedSlice": [
        Given(((5, 6),), {"begin": (1, 0), "end": (5, 6), "strides": (2, 1)}),
        Given(((5, 6),), {"begin": (2, -3), "end": (2, 99), "strides": (1, 2)}),
    ],
    "Pad": [Given(((2, 3),), {"pad_width": (1, 0, 0, 2), "pad_value": v}) for v in (0.0, 1.0)],
    "Cumsum": [Given(((2, 3),), {"axis": a, "exclusive": e}) for a, e in ((0, False), (-1, True))],
    "Concatenate": [Given(([(2, 3), (2, 1)],), {"axis": -1}), Given(([(2,)],), {"axis": 0})],
    "Stack": [Given(([(2, 3), (2, 3)],), {"axis": axis}) for axis in (0, -1)],
    "Split": [
        Given(((2, 6),), {"indices_or_sections": cuts, "axis": -1})
        for cuts in (3, (1, 4), (0, 6), 1)
    ],
    "BroadcastTo": [Given(((3, 1),), {"shape": (2, 3, 4)}), Given(((1,),), {"shape": (0,)})],
    "Repeat": [Given(((2, 3),), {"repeats": 2, "axis": axis}) for axis in (0, -1)],
    "Tile": [Given(((2, 3),), {"repeats": (2, 1)}), Given(((),), {"repeats": ()})],
    "Reshape": [Given(((2, 6),), {"shape": (3, -1)}), Given(((0, 3),), {"shape": (3, 0)})],
    "Flatten": [Given(((2, 3),)), Given(((0, 3),)), Given(((),))],
    "Transpose": [Given(((2, 3, 4),), {"axes": (2, 0, -2)}), Given(((),), {"axes": ()})],
    "ExpandDims": [Given(((2, 3),), {"axis": (0, -1)})],
    "Squeeze": [Given(((1, 3, 1),), {"axis": (0,)}), Given(((1, 3, 1),), {"axis": None})],
    "Flip": [Given(((2, 3),), {"axis": axis}) for axis in (0, -1)],
    "Argmax": [Given(((2, 3),), {"axis": 0}), Given(((2, 3),), {"axis": -1, "keepdims": True})],
    "Softmax": [Given(((2, 3),), {"axis": axis}) for axis in (0, -1)],
    "BatchNorm": [
        Given((shape, *VECTOR), {"axis": axis, "epsilon": 0.5, **flags})
        for shape, axis in ((IMAGE, 1), (WIDE, -1), ((3, 4), 1), ((4, 3), 0), ((4,), 0))
        for flags in ({}, {"scale": False, "center": False})
    ],
    "LayerNorm": [
        Given(((2, 3, 4), sizes, sizes), {"axes": axes, "center": center, "epsilon": 0.5})
        for axes, sizes in (((-1,), (4,)), ((1, 2), (3, 4)), ((0, 2), (2, 4)))
        for center in (True, False)
    ],
    "RmsNorm": [
        Given(((2, 3, 4), (4,)), {"axes": (-1,)}),
        Given(((2, 3, 4), (2, 3)), {"axes": (0, 1)}),
    ],
    "GroupNorm": [
        Given((IMAGE, (4,), (4,)), {"num_groups": 2, "channel_axis": 1, "axes": (2, 3)}),
        Given((WIDE, (4,), (4,)), {"num_groups": 2, "channel_axis": -1, "axes": (1,)}),
    ],
    "InstanceNorm": [
        Given((IMAGE, (4,), (4,)), {"channel_axis": 1, "axes": (2, 3)}),
        Given((WIDE, (4,), (4,)), {"channel_axis": -1, "axes": (1, 2), "scale": False}),
    ],
    "Conv1D": [
        Given(((2, 4, 7), (6, 2, 3)), {"groups": 2, "padding": (1, 2), "strides": (2,)}, FLOATS),
        Given(((2, 7, 4), (3, 4, 6)), {"data_layout": "NWC", "kernel_layout": "WIO"}, FLOATS),
    ],
    "Conv2D": [
        Given((IMAGE, (6, 4, 3, 2)), {"padding": (1, 2, 0, 1), "dilation": (2, 1)}, FLOATS),
        Given((WIDE, (3, 2, 4, 6)), {"data_layout": "NHWC", "kernel_layout": "HWIO"}, FLOATS),
    ],
    "Conv1DTranspose": [
        Given(((2, 4, 7), (4, 3, 3)), {"strides": (2,), "output_padding": (1,)}, FLOATS)
    ],
    "Conv2DTranspose": [
        Given((IMAGE, (4, 3, 3, 2)), {"groups": 2, "padding": (1, 0, 0, 1)}, FLOATS),
        Given((WIDE, (4, 3, 3, 2)), {"data_layout": "NHWC", "strides": (2, 1)}, FLOATS),
    ],
    "Conv3D": [Given(((2, 4, 5, 7, 6), (6, 2, 2, 3, 1)), {"groups": 2}, FLOATS)],
    "Conv3DTranspose": [Given(((2, 4, 5, 7, 6), (4, 2, 2, 3, 1)), {}, FLOATS)],
    "AdaptiveAvgPool2D": [
        Given((IMAGE,), {"output_size": (2, 3)}),
        Given(((1, 2, 5, 7),), {"output_size": (3, 9)}),
        Given(((1, 6, 4, 2),), {"output_size": (3, 2), "layout": "NHWC"}),
    ],
    "GlobalAvgPool2D": [Given((IMAGE,)), Given((WIDE,), {"layout": "NHWC"})],
    "SliceScatter": [Given(((5, 3), (2, 3)), {"start": start, "axis": 0}) for start in (0, 1, 3)]
    + [Given(((2, 3), (2, 3)), {"start": 0, "axis": -1})],
    "Elu": [Given(((3,),), {"alpha": 0.5})],
    "Celu": [Given(((3,),), {"alpha": 0.5})],
    "Selu": [Given(((3,),), {"alpha": 1.5, "gamma": 0.5})],
    "Shrink": [Given(((3,),), {"lambd": 0.5, "bias": 0.25})],
    "ThresholdedRelu": [Given(((3,),), {"alpha": 0.5})],
    "HardSigmoid": [Given(((3,),), {"alpha": 0.25, "beta": 0.5})],
    "Gemm": [
        Given(((2, 3), (3, 4), (4,)), {"alpha": 0.5, "beta": 2.0}),
        Given(((3, 2), (4, 3), (2, 1)), {"trans_a": True, "trans_b": True}),
    ],
    "Einsum": [
        Given(([(2, 3), (3, 4)],), {"equation": "ik,kj->ji"}),
        Given(([(2, 3)],), {"equation": "ij->i"}),
    ],
    "DepthToSpace": [
        Given(((1, 8, 2, 3),), {"block_size": 2, "mode": mode}) for mode in ("DCR", "CRD")
    ],
    "SpaceToDepth": [Given(((1, 2, 4, 6),), {"block_size": 2})],
    "LRN": [Given((IMAGE,), {"size": 3, "alpha": 0.5, "beta": 0.5})],
    "CumProd": [Given(((2, 3),), {"axis": a, "exclusive": e}) for a, e in ((0, False), (-1, True))],
    "BroadcastInDim": [Given(((3, 1),), {"shape": (4, 2, 3), "axes": (2, 1)})],
    "DilatedPad": [
        Given(((2, 3),), {"low": (1, -1), "high": (0, 2), "interior": (2, 1), "pad_value": 1.0})
    ],
    "Resize": [
        Given(((1, 2, 4, 3),), {"sizes": (1, 2, 8, 6), "coordinates": coordinates}, NUMERIC)
        for coordinates in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
    ]
    + [
        Given(((1, 2, 4, 3),), {"sizes": (1, 2, 8, 6), "mode": "linear"}, FLOATING),
        Given(((1, 2, 4, 3),), {"sizes": (1, 2, 8, 6), "mode": "cubic"}, FLOATING),
        Given(
            ((1, 1, 4, 3),), {"sizes": (1, 1, 2, 6), "mode": "cubic", "cubic_coeff": -0.5}, FLOATING
        ),
    ],
    "Sort": [Given(((2, 3),), {"axis": 0, "descending": down}) for down in (True, False)],
    "TopK": [Given(((2, 5),), {"k": 2, "largest": largest}) for largest in (True, False)],
    "RotaryEmbedding": [
        Given(((2, 3, 4, size), (2, 4, 2), (2, 4, 2)), {"interleaved": mixed})
        for size in (4, 6)
        for mixed in (True, False)
    ],
    "MaskedAttention": [
        Given((HEADS, HEADS, HEADS, mask), {"is_causal": causal, "scale": 0.5}, FLOATING)
        for mask in ([], (3, 3), (2, 1, 3, 3))
        for causal in (True, False)
    ]
    + [Given(((2, 4, 3, 4), HEADS, HEADS, []), {}, FLOATING)],
    "SkipLayerNorm": [
        Given((data, data, (3,), (3,), bias), {"epsilon": 2.0**-10})
        for data in ((2, 3), (2, 4, 3), (1, 2, 4, 3))
        for bias in ([], (3,))
    ],
    "SkipRmsNorm": [
        Given((data, data, (3,), bias), {"epsilon": 2.0**-10})
        for data in ((2, 3), (2, 4, 3), (1, 2, 4, 3))
        for bias in ([], (3,))
    ],
    "BiasGelu": [Given((data, (3,))) for data in ((3,), (2, 3), (2, 4, 3))],
    "SelfAttention": [
        Given(
            ((2, 3, 5), (5, 12), (12,), mask),
            {"num_heads": 2, "scale": 0.5, "is_causal": causal},
            FLOATS,
        )
        for mask in ([], (3,), (1, 3), (2, 1, 3, 3))
        for causal in (True, False)
    ],
    "PRelu": [Given(((2, 3), (3,)))],
}
"""Other operators are tried with one operand of shape (2, 3) and others that broadcast to it."""

REDUCTIONS = ("Sum", "Prod", "Max", "Min", "Mean", "Variance")
for _name in (*REDUCTIONS, "ReduceL1", "ReduceL2", "SumSquare", "LogSumExp"):
    CALLS[_name] = [
        Given(((2, 3, 4),), {"axis": (0, -1)}),
        Given(((2, 3),), {"axis": None, "keepdims": True}),
        Given(((),)),
    ]
CALLS["Argmin"], CALLS["LogSoftmax"] = CALLS["Argmax"], CALLS["Softmax"]
CALLS["ArgSort"] = CALLS["Sort"]

for _name, _data, _size, _layout in (
    ("1D", (2, 4, 7), 1, "NWC"),
    ("2D", IMAGE, 2, "NHWC"),
    ("3D", (2, 4, 5, 7, 6), 3, "NDHWC"),
):
    _pooled = [
        {"pool_size": (3,) * _size, "strides": (2,) * _size, "padding": (1,) * (2 * _size)},
        {"pool_size": (2,) * _size, "ceil_mode": True, "strides": (2,) * _size},
    ]
    CALLS[f"MaxPool{_name}"] = [Given((_data,), how, (*FLOATING, "int8")) for how in _pooled]
    CALLS[f"AvgPool{_name}"] = [
        Given((_data,), {**how, "count_include_pad": counted})
        for how in _pooled
        for counted in (True, False)
    ]
    CALLS[f"MaxPool{_name}"].append(Given((_data,), {"layout": _layout}, FLOATS))

INDEXED: dict[str, list[tuple[tuple[int, ...], tuple[int, ...], int, dict[str, Any]]]] = {
    "Take": [((4, 3), (2, 2), 4, {"axis": 0}), ((4, 3), (), 3, {"axis": -1})],
    "GatherElements": [((4, 3), (2, 3), 4, {"axis": 0}), ((4, 3), (4, 1), 3, {"axis": -1})],
}
"""Shapes of the data and of the indices, how many places there are, attributes."""


def _f(*shape: int) -> Any:
    return np.linspace(-3, 4, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def _i(values: Any, dtype: str = "int64") -> Any:
    return np.array(values, dtype)


SCALES = np.array([0.5, 0.25, 1], np.float32)
PIXELS = np.arange(0, 240, 2, dtype=np.uint8).reshape(3, 2, 4, 5)
KERNELS = np.arange(-100, 100, 9, dtype=np.int8)[:16].reshape(2, 2, 2, 2)
SPECIAL: dict[str, list[tuple[dict[str, Any], list[Any]]]] = {
    "QuantizeLinear": [
        ({"axis": 1}, [_f(2, 3), SCALES, _i([1, 2, 3], "uint8")]),
        ({"axis": 0}, [_f(3), np.float32(0.5), np.int8(-1)]),
        ({"axis": 0}, [_f(3).astype("float64"), np.float64(0.5), np.int8(-1)]),
        ({"axis": 0}, [_f(3).astype("float16"), np.float16(0.5), np.uint8(9)]),
    ],
    "DequantizeLinear": [
        ({"axis": 1}, [_i([[1, 2, 3], [4, 5, 250]], "uint8"), SCALES, _i([1, 2, 3], "uint8")]),
        ({"axis": 0}, [_i([1, -2, 3], "int32"), np.float32(0.5), np.int32(7)]),
        ({"axis": 0}, [_i([1, -2, 3], "int8"), np.float64(0.5), np.int8(7)]),
    ],
    "DynamicQuantizeLinear": [({}, [_f(2, 3)])],
    "MatMulInteger": [
        ({}, [_i([[1, 2]], "uint8"), _i([[3], [4]], "int8"), np.uint8(1), np.int8(2)]),
        ({}, [_i([[1], [2]], "uint8"), _i([[3]], "uint8"), _i([1, 2], "uint8"), np.uint8(2)]),
    ],
    "ConvInteger1D": [
        ({"padding": (1, 0)}, [PIXELS[:, :, 0], KERNELS[:, :, 0], np.uint8(7), np.int8(-2)]),
        (
            {"dilation": (2,)},
            [
                PIXELS[:, :, 0].view("int8"),
                # Where a processor lacks VNNI, onnxruntime adds products in 16 bits.
                abs(KERNELS[:, :, 0] // 2).view("uint8"),
                np.int8(7),
                _i([3, 0], "uint8"),
            ],
        ),
    ],
    "ConvInteger2D": [
        ({"padding": (1, 0, 2, 1)}, [PIXELS, KERNELS, np.uint8(7), np.int8(-2)]),
        ({"strides": (2, 1)}, [PIXELS, KERNELS, np.uint8(0), _i([5, -9], "int8")]),
        ({"groups": 2}, [PIXELS, KERNELS[:, :1], np.uint8(200), np.int8(0)]),
    ],
    "ConvInteger3D": [
        ({"strides": (1, 2, 1)}, [PIXELS[:, :, None], KERNELS[:, :, None], np.uint8(7), np.int8(1)])
    ],
    "ScatterElements": [
        ({"axis": 1, "reduction": how}, [_f(2, 3), _i([[0, 2], [1, 0]]), _f(2, 2)])
        for how in ("none", "add")
    ],
    "ScatterND": [
        ({"reduction": how}, [_f(3, 2), _i([[2], [0]]), _f(2, 2)]) for how in ("none", "mul")
    ],
    "GatherND": [
        ({}, [_f(3, 4), _i([[2, 1], [0, 3]], "int32")]),
        ({"batch_dims": 1}, [_f(2, 3, 2), _i([[2], [1]])]),
    ],
    "DynamicSlice": [({"sizes": (2, 2)}, [_f(3, 4), _i(starts)]) for starts in ([1, 9], [-5, 0])],
    "DynamicUpdateSlice": [({}, [_f(3, 4), _f(2, 2), _i([9, 1], "int32")])],
}
"""Attributes and operands of operators whose operands have different dtypes."""


class Case(NamedTuple):
    """A call, and arrays for its variables."""

    call: Call
    inputs: dict[str, Any]

    @property
    def workload(self) -> Workload:
        kind = self.call.type
        fields = len(kind.fields) if isinstance(kind, TupleType) else 0
        outputs: list[Expr] = [Proj(self.call, place) for place in range(fields)]
        return Workload(outputs or [self.call])


def cases(name: str) -> Iterator[Case]:
    """Yield calls of an operator with random inputs."""
    operator, random = lookup(name), np.random.default_rng(0)
    if name in INDEXED:
        yield from _indexed(name, random)
        return
    if name in SPECIAL:
        for given, inputs in SPECIAL[name]:
            variables = [Var(f"x{i}", np.shape(x), x.dtype.name) for i, x in enumerate(inputs)]
            arrays = {f"x{i}": np.asarray(array) for i, array in enumerate(inputs)}
            yield Case(Call(operator, variables, given), arrays)
        return
    if name == "OneHot":
        places = {"x0": random.integers(0, 4, (2, 3))}
        how = {"depth": 4, "axis": 1, "on_value": 2.0, "off_value": -1.0}
        for dtype in ("float16", "float32", "int64"):
            variable = Var("x0", (2, 3), "int64")
            yield Case(Call(operator, [variable], {**how, "dtype": dtype}), places)
        return
    usual = [Given(((2, 3), *[(3,)] * (len(operator.operands) - 1)))]
    for given in CALLS.get(name, usual):
        known = operator.dtypes or ALL_DTYPES
        wanted = [one for one in known if one in TRIED] if given.shapes else ["float32"]
        for dtype in given.dtypes or wanted:
            yield _case(name, given, dtype, random)


def _indexed(name: str, random: Any) -> Iterator[Case]:
    for data, places, count, attributes in INDEXED[name]:
        for dtype in ("int32", "int64"):
            inputs = {"x0": drawn(random, data, "float32")}
            inputs["x1"] = np.asarray(random.integers(0, count, places)).astype(dtype)
            variables = [Var("x0", data), Var("x1", places, dtype)]
            yield Case(Call(lookup(name), variables, attributes), inputs)


def _case(name: str, given: Given, dtype: str, random: Any) -> Case:
    operands: list[Expr] = []
    inputs: dict[str, Any] = {}

    def variable(shape: tuple[int, ...], kind: str) -> Var:
        one = Var(f"x{len(inputs)}", shape, kind)
        inputs[one.name] = drawn(random, shape, kind)
        if name in SMALL and len(inputs) > 1:
            inputs[one.name] = np.asarray(random.integers(0, 8, shape)).astype(kind)
        elif name in POSITIVE:
            inputs[one.name] = np.abs(inputs[one.name]) + np.asarray(1, kind)
        elif name in INSIDE:
            inputs[one.name] = np.asarray(inputs[one.name] / 8).astype(kind)
        return one

    for place, shape in enumerate(given.shapes):
        kind = "bool" if name == "Where" and not place else dtype
        if isinstance(shape, list):
            operands.append(Tuple([variable(one, kind) for one in shape]))
        else:
            operands.append(variable(shape, kind))
    return Case(Call(lookup(name), operands, given.attributes), inputs)


SMALL = {"LeftShift", "RightShift"}
POSITIVE = {"Power", "Log", "Sqrt", "Rsqrt", "Divide", "FloorDivide", "Mod", "BatchNorm"} | {
    "TruncDivide",
    "Remainder",
    "Acosh",
}
INSIDE = {"Asin", "Acos", "Atanh"}


def drawn(random: Any, shape: tuple[int, ...], dtype: str) -> Any:
    """Return an array of a dtype: whole numbers and halves, or bits."""
    if dtype == "bool":
        return np.asarray(random.integers(0, 2, shape)).astype(bool)
    low = 0 if dtype.startswith("u") else -4
    whole = np.asarray(random.integers(low, 5, shape))
    halves = random.choice([0, 0.5], shape) if dtype in FLOATING else 0
    return np.asarray(whole + halves).astype(dtype).reshape(shape)


OPERATORS = [
    name
    for name, operator in sorted(REGISTRY.items())
    if operator.rule.__module__.startswith("gsl.operators.") and name in WRITERS
]
