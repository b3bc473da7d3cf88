import math

import numpy as np
import pytest
from symbolic import check_symbolic
from three_way import Case, check, infer, reference, sample

from gsl.errors import OperatorError, ShapeError
from gsl.operators.declaration import lookup
from gsl.operators.defined import Values
from gsl.types import ALL_DTYPES, FLOATING, INTEGER, NUMERIC, TensorType

ONE = [
    ("StridedSlice", (5, 4), {"begin": (1, 0), "end": (4, 4)}, (3, 4)),
    ("StridedSlice", (5, 4), {"begin": (1, 0), "end": (5, 4), "strides": (2, 3)}, (2, 2)),
    ("StridedSlice", (5, 4), {"begin": (-3, 0), "end": (-1, 99)}, (2, 4)),
    ("StridedSlice", (5, 4), {"begin": (2, 4), "end": (2, 9), "strides": (7, 7)}, (0, 0)),
    ("StridedSlice", (0, 4), {"begin": (0, 1), "end": (0, 2)}, (0, 1)),
    ("StridedSlice", (), {"begin": (), "end": ()}, ()),
    ("Pad", (2, 3), {"pad_width": (0, 1, 2, 0)}, (3, 5)),
    ("Pad", (2, 3), {"pad_width": (0, 0, 0, 0), "pad_value": 1}, (2, 3)),
    ("Pad", (0, 3), {"pad_width": (1, 1, 0, 1), "pad_value": 1.0}, (2, 4)),
    ("Pad", (1,), {"pad_width": (2, 1), "pad_value": 1.0}, (4,)),
]

SUMS = [
    ("Cumsum", (5,), {"axis": 0}, (5,)),
    ("Cumsum", (2, 3), {"axis": -1, "exclusive": True}, (2, 3)),
    ("Cumsum", (2, 3, 4), {"axis": 1}, (2, 3, 4)),
    ("Cumsum", (1, 1), {"axis": 0, "exclusive": True}, (1, 1)),
    ("Cumsum", (2, 0), {"axis": 1, "exclusive": True}, (2, 0)),
]

INDEXED = [
    ("Take", (3, 4), (2,), {"axis": 0}, (2, 4)),
    ("Take", (3, 4), (2, 5), {"axis": -1}, (3, 2, 5)),
    ("Take", (3, 4), (), {"axis": 1}, (3,)),
    ("Take", (3, 4), (0,), {"axis": 1}, (3, 0)),
    ("Take", (1,), (1, 1), {"axis": 0}, (1, 1)),
    ("GatherElements", (3, 4), (3, 4), {}, (3, 4)),
    ("GatherElements", (3, 4), (3, 6), {"axis": -1}, (3, 6)),
    ("GatherElements", (3, 4), (1, 4), {"axis": 0}, (1, 4)),
    ("GatherElements", (3, 4), (2, 1), {"axis": 1}, (2, 1)),
]

HOT = [
    ((), {"depth": 3}, (3,)),
    ((2, 4), {"depth": 3}, (2, 4, 3)),
    ((2, 4), {"depth": 1, "axis": 0}, (1, 2, 4)),
    ((2, 4), {"depth": 3, "axis": -2}, (2, 3, 4)),
    ((2, 4), {"depth": 3, "axis": 2, "on_value": 0, "off_value": 1}, (2, 4, 3)),
    ((0,), {"depth": 2, "axis": -2}, (2, 0)),
]

REFUSED = [
    ("StridedSlice", (5,), {"begin": (3,), "end": (2,)}, "end before it begins"),
    ("StridedSlice", (5,), {"begin": (0,), "end": (2,), "strides": (0,)}, "must be legal"),
    ("StridedSlice", (5,), {"begin": (0,), "end": (2,), "strides": (1, 1)}, "must be legal"),
    ("Pad", (), {"pad_width": ()}, "without axes"),
    ("Pad", (2, 3), {"pad_width": (1, 1)}, "must be legal"),
    ("Pad", (2, 3), {"pad_width": (1, 1, -1, 0)}, "must be legal"),
    ("Cumsum", (), {"axis": 0}, "must be legal"),
    ("Cumsum", (2, 3), {"axis": 2}, "must be legal"),
]

NOT_HELD = [("int8", 128), ("uint8", -1), ("bool", 0.5), ("float16", 1e5), ("float32", 1e39)]
HELD = [("int8", -128), ("uint8", 255), ("bool", 1), ("float16", -65504), ("float32", 1e38)]


def one(name, shape, attributes, dtype="float32"):
    return Case(lookup(name), (sample(0, shape, dtype),), attributes)


def positions(shape, limit, dtype):
    return np.random.default_rng(0).integers(0, limit, shape).astype(dtype)


def indexed(name, shape, index_shape, attributes, dtype="float32", index_dtype="int64"):
    limit = shape[attributes.get("axis", 0)]
    operands = sample(0, shape, dtype), positions(index_shape, limit, index_dtype)
    return Case(lookup(name), operands, attributes)


def hot(shape, attributes, dtype="float32", index_dtype="int64"):
    indices = positions(shape, attributes["depth"], index_dtype)
    return Case(lookup("OneHot"), (indices,), attributes | {"dtype": dtype})


def all_cases(dtype):
    """Yield a case with the type that its result must have, for every line of the tables."""
    sums = SUMS if dtype in NUMERIC else []
    for name, shape, attributes, expected in ONE + sums:
        yield one(name, shape, attributes, dtype), TensorType(expected, dtype)
    for index_dtype in ("int32", "int64"):
        for name, shape, index_shape, attributes, expected in INDEXED:
            case = indexed(name, shape, index_shape, attributes, dtype, index_dtype)
            yield case, TensorType(expected, dtype)
        for shape, attributes, expected in HOT:
            yield hot(shape, attributes, dtype, index_dtype), TensorType(expected, dtype)


@pytest.mark.parametrize("dtype", ALL_DTYPES)
def test_rule_and_reference_give_the_expected_type(dtype):
    for case, expected in all_cases(dtype):
        assert case.operator.infer(case.types, case.canonical) == expected, case
        reference(case)


def test_the_rule_says_the_same_on_unknown_sizes():
    for case, _ in all_cases("float32"):
        check_symbolic(case)


@pytest.mark.parametrize(("name", "shape", "attributes", "reason"), REFUSED)
def test_preconditions(name, shape, attributes, reason):
    with pytest.raises(ShapeError, match=reason):
        infer(lookup(name), TensorType(shape, "float32"), **attributes)


def test_positions_count_and_are_clamped_as_in_slices():
    data = (TensorType((5, 5, 5), "float32"),)
    written = {"begin": (-2, -9, 7), "end": (-1, 3, 8)}
    canonical = lookup("StridedSlice").normalise(written, data)
    assert canonical == {"begin": (3, 0, 5), "end": (4, 3, 5), "strides": (1, 1, 1)}


def test_every_axis_has_a_position():
    with pytest.raises(OperatorError, match="one entry for each of 2 axes"):
        infer(lookup("StridedSlice"), TensorType((5, 4), "bool"), begin=(0,), end=(1, 1))


@pytest.mark.parametrize(
    ("name", "shape", "index_shape", "reason"),
    [
        ("Take", (), (2,), "must be legal"),
        ("Take", (0, 3), (2,), "must not be empty"),
        ("GatherElements", (2, 3), (2,), "rank of data"),
        ("GatherElements", (2, 3), (2, 4), "outside data"),
        ("GatherElements", (0, 3), (1, 3), "must not be empty"),
        ("GatherElements", (2, 3), (0, 3), "must not be empty"),
    ],
)
def test_preconditions_of_indexing(name, shape, index_shape, reason):
    operands = TensorType(shape, "float32"), TensorType(index_shape, "int32")
    with pytest.raises(ShapeError, match=reason):
        infer(lookup(name), *operands, axis=0)


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool"])
def test_indices_are_int32_or_int64(dtype):
    data, indices = TensorType((2, 3), "float32"), TensorType((2, 3), dtype)
    for name in ("Take", "GatherElements"):
        with pytest.raises(ShapeError, match="int32 or int64"):
            infer(lookup(name), data, indices, axis=0)
    with pytest.raises(ShapeError, match="int32 or int64"):
        infer(lookup("OneHot"), indices, depth=2)


def test_indices_stay_inside():
    types = TensorType((3, 5), "float32"), TensorType((3, 5), "int32")
    for name in ("Take", "GatherElements"):
        rule = lookup(name).values["indices"]
        assert rule(types, {"axis": -1}) == Values(low=0, high=4)
        assert rule(types, {"axis": 0}) == Values(low=0, high=2)
    rule = lookup("OneHot").values["indices"]
    assert rule(types[1:], {"depth": 7}) == Values(low=0, high=6)


@pytest.mark.parametrize(("dtype", "value"), NOT_HELD)
def test_a_value_that_the_dtype_cannot_hold(dtype, value):
    with pytest.raises(ShapeError, match="able to hold"):
        infer(lookup("Pad"), TensorType((2,), dtype), pad_width=(1, 1), pad_value=value)
    for name in ("on_value", "off_value"):
        with pytest.raises(ShapeError, match="able to hold"):
            infer(lookup("OneHot"), TensorType((), "int32"), depth=2, dtype=dtype, **{name: value})


@pytest.mark.parametrize(("dtype", "value"), HELD)
def test_a_value_that_the_dtype_can_hold(dtype, value):
    padded = reference(one("Pad", (1,), {"pad_width": (0, 1), "pad_value": value}, dtype))
    assert padded[1] == np.dtype(dtype).type(value)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_only_floats_hold_values_that_are_not_finite(value):
    for dtype in FLOATING:
        reference(one("Pad", (2,), {"pad_width": (1, 1), "pad_value": value}, dtype))
    for dtype in (*INTEGER, "bool"):
        with pytest.raises(ShapeError, match="able to hold"):
            infer(lookup("Pad"), TensorType((2,), dtype), pad_width=(1, 1), pad_value=value)


def test_elements_are_where_the_documentation_says():
    data = np.arange(1, 7).reshape(2, 3)
    cumsum, take = lookup("Cumsum").reference, lookup("Take").reference
    assert cumsum(data, axis=1, exclusive=False).tolist() == [[1, 3, 6], [4, 9, 15]]
    assert cumsum(data, axis=1, exclusive=True).tolist() == [[0, 1, 3], [0, 4, 9]]
    assert take(data, np.array([2, 0]), axis=1).tolist() == [[3, 1], [6, 4]]
    gathered = lookup("GatherElements").reference(data, np.array([[2, 0], [1, 1]]), axis=1)
    assert gathered.tolist() == [[3, 1], [5, 5]]
    attributes = {"depth": 3, "axis": 0, "on_value": 5.0, "off_value": 2.0, "dtype": "int8"}
    chosen = lookup("OneHot").reference(np.array([2, 0]), **attributes)
    assert chosen.tolist() == [[2, 5], [2, 2], [5, 2]]


@pytest.mark.tvm
def test_tvm_agrees_with_the_references():
    check([case for dtype in ALL_DTYPES for case, _ in all_cases(dtype)])


@pytest.mark.tvm
def test_tvm_agrees_on_values_at_the_limits():
    fractions = [("int32", -1.75), ("uint8", 255.0), ("int64", -(2.0**63)), ("float16", math.inf)]
    padding = [
        one("Pad", (2,), {"pad_width": (1, 2), "pad_value": value}, dtype)
        for dtype, value in HELD + fractions
    ]
    values = [
        hot((3,), {"depth": 4, "axis": 0, "on_value": value, "off_value": 1}, dtype)
        for dtype, value in HELD + fractions
    ]
    check(padding + values)
