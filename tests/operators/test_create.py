import math

import numpy as np
import pytest
from symbolic import check_symbolic
from three_way import Case, check, infer, reference, sample

from gsl.errors import OperatorError, ShapeError
from gsl.operators.declaration import lookup
from gsl.types import ALL_DTYPES, FLOATING, INTEGER, NUMERIC, UNSIGNED, TensorType

SHAPES = [(), (1,), (0, 2), (2, 3), (1, 2, 3, 1)]
LIKE = {"ZerosLike": {}, "OnesLike": {}, "FullLike": {"fill_value": 2.5}}
DIAGONALS = [(3, 3, 0), (3, 2, -1), (2, 3, 1), (2, 3, 7), (2, 3, -7), (0, 2, 0), (1, 1, 0)]


@pytest.mark.parametrize("dtype", ALL_DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("name", "attributes", "value"),
    [("Zeros", {}, 0), ("Ones", {}, 1), ("Full", {"fill_value": 2}, 2)],
)
def test_creation_from_a_shape(name, attributes, value, shape, dtype):
    case = Case(lookup(name), (), {"shape": shape, "dtype": dtype, **attributes})
    assert infer(case.operator, **case.attributes) == TensorType(shape, dtype)
    expected = bool(value) if dtype == "bool" else value
    assert np.all(reference(case) == expected)


@pytest.mark.parametrize(
    ("name", "attributes"), [("Zeros", {}), ("Ones", {}), ("Full", {"fill_value": 1}), ("Eye", {})]
)
def test_the_default_dtype_is_float32(name, attributes):
    size = {"n": 2, "m": 3} if name == "Eye" else {"shape": (2, 3)}
    assert infer(lookup(name), **size, **attributes) == TensorType((2, 3), "float32")


@pytest.mark.parametrize("name", ["Zeros", "Ones"])
def test_a_creation_operator_has_no_operand_to_take_the_dtype_from(name):
    with pytest.raises(OperatorError, match="a dtype is required"):
        infer(lookup(name), shape=(2,), dtype=None)


@pytest.mark.parametrize("name", ["Zeros", "Ones"])
def test_sizes_must_not_be_negative(name):
    with pytest.raises(ShapeError, match="`shape`"):
        infer(lookup(name), shape=(2, -1))


@pytest.mark.parametrize("source", ALL_DTYPES)
@pytest.mark.parametrize("target", [None, *ALL_DTYPES])
@pytest.mark.parametrize(("name", "attributes"), LIKE.items())
def test_creation_like_another_tensor(name, attributes, source, target):
    case = Case(lookup(name), (sample(1, (2, 3), source),), {"dtype": target, **attributes})
    expected = TensorType((2, 3), target or source)
    assert infer(case.operator, *case.operands, **case.attributes) == expected
    reference(case)


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (2.7, "int32", 2),
        (-2.7, "int8", -2),
        (255, "uint8", 255),
        (0.5, "bool", True),
        (0, "bool", False),
        (-math.inf, "float16", -math.inf),
        (0.1, "float32", float(np.float32(0.1))),
    ],
)
def test_known_fill_values(value, dtype, expected):
    full = Case(lookup("Full"), (), {"shape": (), "fill_value": value, "dtype": dtype})
    like = Case(lookup("FullLike"), (np.zeros((), dtype),), {"fill_value": value})
    assert reference(full).item() == expected
    assert reference(like).item() == expected


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(256, "uint8"), (-1, "uint8"), (128, "int8"), (2.0**63, "int64"), (math.nan, "int32")],
)
def test_a_fill_value_must_fit_an_integer_dtype(value, dtype):
    with pytest.raises(ShapeError, match="hold the fill value"):
        infer(lookup("Full"), shape=(2,), fill_value=value, dtype=dtype)
    with pytest.raises(ShapeError, match="hold the fill value"):
        infer(lookup("FullLike"), TensorType((2,), dtype), fill_value=value)


@pytest.mark.parametrize("dtype", INTEGER)
def test_the_limits_of_an_integer_dtype_fit(dtype):
    limits = np.iinfo(dtype)
    for value in (limits.min, 2**62 if dtype == "int64" else limits.max):
        infer(lookup("Full"), shape=(2,), fill_value=int(value), dtype=dtype)


@pytest.mark.parametrize(("n", "m", "k"), DIAGONALS)
@pytest.mark.parametrize("dtype", ALL_DTYPES)
def test_eye_has_one_diagonal(n, m, k, dtype):
    case = Case(lookup("Eye"), (), {"n": n, "m": m, "k": k, "dtype": dtype})
    assert infer(case.operator, **case.attributes) == TensorType((n, m), dtype)
    expected = [[column - row == k for column in range(m)] for row in range(n)]
    assert reference(case).astype(bool).tolist() == expected


@pytest.mark.parametrize("attributes", [{"n": -1, "m": 2}, {"n": 2, "m": -1}])
def test_eye_needs_sizes(attributes):
    with pytest.raises(ShapeError, match="must be legal"):
        infer(lookup("Eye"), **attributes)


def ranges():
    """Yield a range of every kind in every dtype that has it, and its numbers."""
    for dtype in NUMERIC:
        for start, end, step in ((0, 5, 1), (2, 9, 3), (3, 3, 1), (0, 0, 2), (1, 2, 5), (-3, 4, 2)):
            if start >= 0 or dtype not in UNSIGNED:
                attributes = {"start": start, "end": end, "step": step, "dtype": dtype}
                yield Case(lookup("Arange"), (), attributes), list(range(start, end, step))


def test_a_range_has_the_numbers_before_its_end():
    for case, numbers in ranges():
        assert reference(case).tolist() == numbers


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ({"end": 5, "dtype": "bool"}, "numbers only"),
        ({"start": 3, "end": 2}, "end before it begins"),
        ({"end": 129, "dtype": "int8"}, "able to hold"),
        ({"start": -1, "end": 2, "dtype": "uint8"}, "able to hold"),
        ({"end": 5, "step": 0}, "must be legal"),
    ],
)
def test_what_is_no_range(attributes, reason):
    with pytest.raises(ShapeError, match=reason):
        infer(lookup("Arange"), **attributes)
    assert infer(lookup("Arange"), end=128, dtype="int8") == TensorType((128,), "int8")


def test_a_range_says_the_same_on_unknown_numbers():
    for case, _ in ranges():
        check_symbolic(case)


@pytest.mark.tvm
def test_tvm_agrees_on_ranges():
    check([case for case, _ in ranges()])


@pytest.mark.tvm
def test_tvm_agrees_on_creation_from_a_shape():
    check(
        [
            Case(lookup(name), (), {"shape": shape, "dtype": dtype, **attributes})
            for name, attributes in (("Zeros", {}), ("Ones", {}), ("Full", {"fill_value": 2.5}))
            for dtype in ALL_DTYPES
            for shape in SHAPES
        ]
    )


@pytest.mark.tvm
def test_tvm_agrees_on_creation_like_another_tensor():
    check(
        [
            Case(lookup(name), (sample(1, (2, 3), source),), {"dtype": target, **attributes})
            for name, attributes in LIKE.items()
            for source in ("float32", "uint8", "bool")
            for target in (None, *ALL_DTYPES)
        ]
    )


@pytest.mark.tvm
def test_tvm_agrees_on_infinite_and_undefined_fill_values():
    values = (math.inf, -math.inf, math.nan)
    check(
        [
            Case(lookup("Full"), (), {"shape": (2,), "fill_value": value, "dtype": dtype})
            for dtype in (*FLOATING, "bool")
            for value in values
        ]
        + [
            Case(lookup("FullLike"), (np.zeros((2, 1), dtype),), {"fill_value": value})
            for dtype in FLOATING
            for value in values
        ]
    )


@pytest.mark.tvm
def test_tvm_agrees_on_eye():
    check(
        [
            Case(lookup("Eye"), (), {"n": n, "m": m, "k": k, "dtype": dtype})
            for n, m, k in DIAGONALS
            for dtype in ALL_DTYPES
        ]
    )
