import numpy as np
import pytest
from symbolic import check_symbolic
from three_way import Case, check, infer, reference, sample

from gsl.attr.term import Symbol
from gsl.errors import OperatorError, ShapeError, UndecidedError
from gsl.operators.declaration import lookup
from gsl.types import ALL_DTYPES, TensorType

RESULTS = [
    ("Reshape", (2, 3), {"shape": (3, 2)}, (3, 2)),
    ("Reshape", (2, 3, 4), {"shape": (-1, 6)}, (4, 6)),
    ("Reshape", (2, 3, 4), {"shape": (2, -1, 2)}, (2, 6, 2)),
    ("Reshape", (2, 3), {"shape": (-1,)}, (6,)),
    ("Reshape", (), {"shape": (1, 1)}, (1, 1)),
    ("Reshape", (1, 1), {"shape": ()}, ()),
    ("Reshape", (0, 3), {"shape": (3, 0)}, (3, 0)),
    ("Reshape", (0, 3), {"shape": (5, -1)}, (5, 0)),
    ("Flatten", (2, 3, 4), {}, (24,)),
    ("Flatten", (), {}, (1,)),
    ("Transpose", (2, 3, 4), {}, (4, 3, 2)),
    ("Transpose", (2, 3, 4), {"axes": (1, 2, 0)}, (3, 4, 2)),
    ("Transpose", (2, 3, 4), {"axes": (-1, 0, -2)}, (4, 2, 3)),
    ("Transpose", (), {"axes": ()}, ()),
    ("ExpandDims", (2, 3), {"axis": 0}, (1, 2, 3)),
    ("ExpandDims", (2, 3), {"axis": (-1,)}, (2, 3, 1)),
    ("ExpandDims", (2, 3), {"axis": (0, -1)}, (1, 2, 3, 1)),
    ("ExpandDims", (2, 3), {"axis": (3, 1)}, (2, 1, 3, 1)),
    ("ExpandDims", (), {"axis": (1, 0)}, (1, 1)),
    ("Squeeze", (1, 3, 1), {"axis": 0}, (3, 1)),
    ("Squeeze", (1, 3, 1), {"axis": (-1, 0)}, (3,)),
    ("Squeeze", (2, 3), {"axis": ()}, (2, 3)),
    ("Squeeze", (1,), {"axis": (0,)}, ()),
    ("Flip", (2, 3), {"axis": 0}, (2, 3)),
    ("Flip", (2, 3), {"axis": -1}, (2, 3)),
    ("Flip", (0, 3), {"axis": 0}, (0, 3)),
]

REFUSED = [
    ("Reshape", (2, 3), {"shape": (4, 2)}, "number of elements"),
    ("Reshape", (2, 3), {"shape": (4, -1)}, "number of elements"),
    ("Reshape", (2, 3), {"shape": (-2, -3)}, "must be legal"),
    ("Transpose", (2, 3), {"axes": (0, -2)}, "must be legal"),
    ("Transpose", (2, 3), {"axes": (0,)}, "must be legal"),
    ("ExpandDims", (2, 3), {"axis": 3}, "must be legal"),
    ("ExpandDims", (2, 3), {"axis": (0, -4)}, "must be legal"),
    ("ExpandDims", (2, 3), {"axis": ()}, "must be legal"),
    ("Squeeze", (1, 3), {"axis": 1}, "size 1"),
    ("Squeeze", (1, 3), {"axis": (0, -2)}, "must be legal"),
    ("Squeeze", (), {"axis": 0}, "must be legal"),
    ("Flip", (2, 3), {"axis": 2}, "must be legal"),
    ("Flip", (), {"axis": 0}, "must be legal"),
]


def case(name, shape, attributes, dtype="float32"):
    return Case(lookup(name), (sample(0, shape, dtype),), attributes)


@pytest.mark.parametrize(("name", "shape", "attributes", "expected"), RESULTS)
@pytest.mark.parametrize("dtype", ALL_DTYPES)
def test_rule_and_reference_give_the_expected_type(name, shape, attributes, expected, dtype):
    given = case(name, shape, attributes, dtype)
    assert infer(given.operator, *given.types, **attributes) == TensorType(expected, dtype)
    reference(given)


@pytest.mark.parametrize(("name", "shape", "attributes", "expected"), RESULTS)
def test_the_rule_says_the_same_on_unknown_sizes(name, shape, attributes, expected):
    check_symbolic(case(name, shape, attributes))


@pytest.mark.parametrize(("name", "shape", "attributes", "reason"), REFUSED)
def test_preconditions(name, shape, attributes, reason):
    with pytest.raises(ShapeError, match=reason):
        infer(lookup(name), TensorType(shape, "float32"), **attributes)


@pytest.mark.parametrize("shape", [(-1, -1), (0, -1), 6, ("6",)])
def test_a_new_shape_without_a_canonical_form(shape):
    with pytest.raises(OperatorError, match="attribute `shape` of Reshape"):
        infer(lookup("Reshape"), TensorType((0, 6), "float32"), shape=shape)


def test_the_canonical_new_shape_has_no_hole():
    operands = (TensorType((2, 3, 4), "float32"),)
    assert lookup("Reshape").normalise({"shape": [8, -1]}, operands) == {"shape": (8, 3)}


def test_new_axes_are_required():
    with pytest.raises(OperatorError, match="not optional"):
        infer(lookup("ExpandDims"), TensorType((2,), "float32"), axis=None)


def test_squeezing_without_axes_takes_all_of_size_1():
    data = TensorType((1, 3, 1, 2), "bool")
    assert lookup("Squeeze").normalise({}, (data,)) == {"axis": (0, 2)}
    assert infer(lookup("Squeeze"), data) == TensorType((3, 2), "bool")


def test_squeezing_without_axes_needs_known_sizes():
    with pytest.raises(UndecidedError):
        infer(lookup("Squeeze"), TensorType((1, Symbol("n")), "float32"))


def test_all_choices_of_new_axes_are_legal_and_distinct():
    domain = lookup("ExpandDims").attributes["axis"].domain
    operands = (TensorType((2, 3), "float32"),)
    choices = list(domain.instances(operands, None))
    assert len(choices) == len(set(choices))
    assert {(0,), (2,), (-1,), (1, 3), (0, -1)} <= set(choices)
    assert all(domain.claim(choice, operands) is True for choice in choices)


def test_elements_move_as_documented():
    data = np.arange(6).reshape(2, 3)
    transpose, flip = lookup("Transpose").reference, lookup("Flip").reference
    assert transpose(data, axes=(1, 0))[2, 1] == data[1, 2]
    assert flip(data, axis=-1).tolist() == [[2, 1, 0], [5, 4, 3]]


@pytest.mark.tvm
def test_tvm_agrees_with_the_references():
    check(
        [
            case(name, shape, attributes, dtype)
            for name, shape, attributes, _ in RESULTS
            for dtype in ALL_DTYPES
        ]
    )
