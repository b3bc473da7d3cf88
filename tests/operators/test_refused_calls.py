"""Calls that shape rules refuse, each with a part of the reason; and forms of attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from three_way import Case, infer, reference

from gsl.errors import OperatorError, ShapeError
from gsl.operators.declaration import lookup
from gsl.types import TensorType, TupleType


def floats(*shape: int) -> TensorType:
    return TensorType(shape, "float32")


def indices(*shape: int) -> TensorType:
    return TensorType(shape, "int64")


NO_PAD = {"low": (0, 0), "high": (0, 0), "interior": (0, 0)}

BYTES, KERNEL, BYTE = (TensorType(sizes, "int8") for sizes in ((1, 2, 4), (2, 2, 3), ()))
REFUSED: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("LogSumExp", (floats(2, 0),), {"axis": 1}, "must not be empty"),
    ("DepthToSpace", (floats(1, 6, 2, 2),), {"block_size": 2}, "divide the channels"),
    ("DepthToSpace", (floats(4, 2, 2),), {"block_size": 2}, "must have rank 4"),
    ("SpaceToDepth", (floats(1, 1, 4, 3),), {"block_size": 2}, "divide height and width"),
    ("LRN", (floats(3),), {"size": 3}, "batches and channels"),
    ("TopK", (floats(2, 3),), {"k": 4}, "must be k elements"),
    ("TopK", (floats(2, 3),), {"k": 0}, "must be legal"),
    ("ScatterElements", (floats(3), indices(2), floats(3)), {}, "the shape of indices"),
    ("ScatterElements", (floats(3), indices(2), TensorType((2,), "int8")), {}, "the dtype of data"),
    ("ScatterElements", (floats(3, 1), indices(3, 2), floats(3, 2)), {}, "outside data"),
    (
        "ScatterElements",
        (TensorType((3,), "bool"), indices(2), TensorType((2,), "bool")),
        {"reduction": "add"},
        "only replaced",
    ),
    ("GatherND", (floats(2, 3), indices(4, 3)), {}, "more axes than data"),
    ("GatherND", (floats(2, 3), indices(4, 2)), {"depth": 1}, "size `depth`"),
    ("GatherND", (floats(2, 3), indices(4, 1)), {"batch_dims": 1}, "batch axes must agree"),
    ("GatherND", (floats(0, 3), indices(4, 1)), {}, "must not be empty"),
    ("ScatterND", (floats(2, 3), indices(4, 1), floats(4)), {}, "the shape of the slices"),
    ("Gemm", (floats(2, 3), floats(4, 3), floats(4)), {}, "rows of b must agree"),
    ("Gemm", (floats(2, 3), floats(3, 4), floats(3)), {}, "broadcast to the product"),
    ("Gemm", (floats(2, 3), floats(3, 4), floats(1, 2, 4)), {}, "broadcast to the product"),
    ("DynamicSlice", (floats(2, 3), indices(2)), {"sizes": (1, 4)}, "larger than data"),
    ("DynamicSlice", (floats(2, 3), indices(3)), {"sizes": (1, 1)}, "one start for each axis"),
    ("DynamicUpdateSlice", (floats(2), floats(3), indices(1)), {}, "larger than data"),
    ("BroadcastInDim", (floats(2),), {"shape": (3,), "axes": (0,)}, "1 or that of the result"),
    ("BroadcastInDim", (floats(2),), {"shape": (2,), "axes": (1,)}, "have the axes"),
    ("BroadcastInDim", (floats(2, 2),), {"shape": (2, 2), "axes": (0, 0)}, "must be legal"),
    ("DilatedPad", (floats(2, 2),), NO_PAD | {"low": (-3, 0)}, "cut off"),
    ("DilatedPad", (floats(2, 2),), NO_PAD | {"interior": (-1, 0)}, "must be legal"),
    (
        "FakeQuantize",
        (floats(3), floats(), TensorType((), "int32")),
        {"quant_min": 1, "quant_max": 0},
        "in order",
    ),
    ("QuantizeLinear", (floats(2, 3), floats(2), TensorType((2,), "int8")), {}, "for each place"),
    ("QuantizeLinear", (floats(2), floats(), TensorType((), "int32")), {}, "4, 8, 16 bits"),
    ("Conv3D", (floats(1, 3, 4, 4, 4), floats(2, 2, 1, 1, 1)), {}, "input channels"),
    ("ConvInteger1D", (BYTES, TensorType((2, 3, 2), "int8"), BYTE, BYTE), {}, "input channels"),
    ("ConvInteger1D", (BYTES, KERNEL, KERNEL, BYTE), {}, "of the data must have rank 0"),
    ("ConvInteger1D", (BYTES, KERNEL, BYTE, KERNEL), {}, "or 1 for its outputs"),
    ("ConvInteger1D", (BYTES, KERNEL, BYTE, TensorType((3,), "int8")), {}, "fit to the outputs"),
    (
        "ConvInteger1D",
        (BYTES, KERNEL, TensorType((), "uint8"), BYTE),
        {},
        "the dtype of its tensor",
    ),
    ("AdaptiveAvgPool2D", (floats(1, 2, 0, 3),), {}, "may be empty"),
    ("AdaptiveAvgPool2D", (floats(2, 3, 3),), {}, "must have 4 axes|rank"),
    ("MaxPool3D", (floats(1, 1, 2, 2, 2),), {"pool_size": 3}, "must fit"),
]


@pytest.mark.parametrize(("name", "operands", "attributes", "reason"), REFUSED)
def test_a_call_is_refused(
    name: str, operands: tuple[Any, ...], attributes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ShapeError, match=reason):
        infer(lookup(name), *operands, **attributes)


@pytest.mark.parametrize(
    ("written", "ranks", "canonical"),
    [
        ("ij, jk -> ik", (2, 2), "ij,jk->ik"),
        ("ij,jk", (2, 2), "ij,jk->ik"),
        ("ba", (2,), "ba->ab"),
        ("ii", (2,), "ii->"),
        ("...ij,...jk->...ik", (4, 3), "abij,bjk->abik"),
        ("...a,...a", (3, 1), "bca,a->bc"),
        ("i...->...", (3,), "iab->ab"),
    ],
)
def test_equations_are_spelled_out(written: str, ranks: Any, canonical: str) -> None:
    types = (TupleType(tuple(floats(*[2] * rank) for rank in ranks)),)
    assert lookup("Einsum").normalise({"equation": written}, types) == {"equation": canonical}


@pytest.mark.parametrize(
    ("written", "message"),
    [("ij", "not an equation of 2"), ("ijk...,jk", "does not fit"), (3, "is no equation")],
)
def test_what_is_no_equation(written: Any, message: str) -> None:
    types = (TupleType((floats(2, 2), floats(2, 2))),)
    with pytest.raises(OperatorError, match=message):
        lookup("Einsum").normalise({"equation": written}, types)


@pytest.mark.parametrize("written", ["ij,jk->il", "ij,jk->iik", "ij,j->i", "i1,1j->ij"])
def test_illegal_equations(written: str) -> None:
    with pytest.raises(ShapeError, match="must be legal"):
        infer(lookup("Einsum"), TupleType((floats(2, 2), floats(2, 2))), equation=written)


def test_sizes_of_one_are_not_repeated() -> None:
    with pytest.raises(ShapeError, match="`j` must have one size"):
        infer(lookup("Einsum"), TupleType((floats(2, 3), floats(1))), equation="ij,j->i")


def test_depth_is_the_size_of_the_last_axis() -> None:
    types = floats(2, 3, 4), indices(5, 2)
    canonical = lookup("GatherND").normalise({}, types)
    assert canonical == {"batch_dims": 0, "depth": 2}
    with pytest.raises(OperatorError, match="must be given"):
        lookup("GatherND").normalise({}, types[:1])


def test_starts_are_moved_inside() -> None:
    data, starts = np.arange(12).reshape(3, 4), np.array([-5, 9])
    case = Case(lookup("DynamicSlice"), (data, starts), {"sizes": (2, 3)})
    assert reference(case).tolist() == [[1, 2, 3], [5, 6, 7]]
    update = np.array([[70, 80]])
    changed = reference(Case(lookup("DynamicUpdateSlice"), (data, update, starts), {}))
    assert changed.tolist() == [[0, 1, 70, 80], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_padding_between_and_cut_off() -> None:
    widths = {"low": (1,), "high": (-2,), "interior": (2,), "pad_value": 9.0}
    case = Case(lookup("DilatedPad"), (np.array([1, 2, 3]),), widths)
    assert reference(case).tolist() == [9, 1, 9, 9, 2, 9]
    empty = Case(lookup("DilatedPad"), (np.zeros(0, int),), widths | {"high": (1,)})
    assert reference(empty).tolist() == [9, 9]


def test_numbers_are_rounded_as_if_they_were_quantised() -> None:
    operands = np.array([-9.0, 0.3, 0.75, 9.0]), np.array(0.5), np.array(1, np.int32)
    case = Case(lookup("FakeQuantize"), operands, {"quant_min": -4, "quant_max": 7})
    assert reference(case).tolist() == [-2.5, 0.5, 1.0, 3.0]


def test_no_axis_is_looked_at_where_a_scale_is_for_all() -> None:
    scalar = np.float32(1.5), np.float32(0.5), np.uint8(1)
    case = Case(lookup("QuantizeLinear"), tuple(map(np.asarray, scalar)), {})
    assert case.canonical["axis"] == 0
    assert reference(case).tolist() == 4


def test_of_several_updates_the_last_one_stays() -> None:
    operands = np.zeros(3), np.array([1, 2, 1]), np.array([5.0, 6.0, 7.0])
    assert reference(Case(lookup("ScatterElements"), operands, {})).tolist() == [0, 7, 6]
    added = reference(Case(lookup("ScatterElements"), operands, {"reduction": "add"}))
    assert added.tolist() == [0, 12, 6]


def test_equal_elements_keep_their_order() -> None:
    data = np.array([2, 1, 2, 1, 3])
    for descending, expected in ((False, [1, 3, 0, 2, 4]), (True, [4, 0, 2, 1, 3])):
        case = Case(lookup("ArgSort"), (data,), {"descending": descending})
        assert reference(case).tolist() == expected
