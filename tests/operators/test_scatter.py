import numpy as np
import pytest
from symbolic import check_symbolic
from three_way import Case, check, infer, reference, sample

from gsl.errors import ShapeError
from gsl.operators.declaration import lookup
from gsl.types import ALL_DTYPES, TensorType

WRITTEN = [
    ((5, 4), (2, 4), {"start": 1}),
    ((5, 4), (5, 2), {"start": 2, "axis": -1}),
    ((5, 4), (5, 4), {"start": 0}),
    ((5, 4), (0, 4), {"start": 2}),
    ((5, 4), (0, 4), {"start": 5}),
    ((2, 3, 4), (2, 1, 4), {"start": 2, "axis": 1}),
    ((0, 3), (0, 2), {"start": 1, "axis": 1}),
    ((0, 3), (0, 3), {"start": 0}),
    ((1,), (1,), {"start": 0}),
]

REFUSED = [
    ((5, 4), (3, 4), {"start": 3}, "lie inside data"),
    ((5, 4), (2, 3), {"start": 0}, "on all other axes"),
    ((5, 4), (4,), {"start": 0}, "rank of data"),
    ((5, 4), (1, 4), {"start": -1}, "must be legal"),
    ((), (), {"start": 0}, "must be legal"),
]


def cases(dtype):
    for shape, update, attributes in WRITTEN:
        operands = sample(0, shape, dtype), sample(1, update, dtype)
        yield Case(lookup("SliceScatter"), operands, attributes)


@pytest.mark.parametrize("dtype", ALL_DTYPES)
def test_the_result_has_the_type_of_the_data(dtype):
    for case in cases(dtype):
        assert infer(case.operator, *case.types, **case.attributes) == case.types[0]
        reference(case)


def test_the_rule_says_the_same_on_unknown_sizes():
    for case in cases("float32"):
        check_symbolic(case)


@pytest.mark.parametrize(("shape", "update", "attributes", "reason"), REFUSED)
def test_preconditions(shape, update, attributes, reason):
    types = TensorType(shape, "float32"), TensorType(update, "float32")
    with pytest.raises(ShapeError, match=reason):
        infer(lookup("SliceScatter"), *types, **attributes)


def test_data_and_update_have_one_dtype():
    with pytest.raises(ShapeError, match="dtype"):
        infer(lookup("SliceScatter"), TensorType((2,), "int8"), TensorType((1,), "int32"), start=0)


def test_only_the_slices_of_the_update_are_replaced():
    data, update = np.zeros((2, 4), "int8"), np.array([[1, 2], [3, 4]], "int8")
    written = lookup("SliceScatter").reference(data, update, start=1, axis=1)
    assert written.tolist() == [[0, 1, 2, 0], [0, 3, 4, 0]]
    assert not data.any()


@pytest.mark.tvm
def test_tvm_agrees_with_the_reference():
    check([case for dtype in ALL_DTYPES for case in cases(dtype)])
