import numpy as np
import pytest
from symbolic import check_symbolic
from three_way import Case, check, infer, reference, sample, type_of

from gsl.attr.term import Symbol
from gsl.errors import ShapeError, UndecidedError
from gsl.operators.declaration import lookup
from gsl.types import ALL_DTYPES, TensorType, TupleType

SEVERAL = [
    ("Concatenate", [(2, 3), (4, 3)], {}, (6, 3)),
    ("Concatenate", [(2, 3), (2, 1), (2, 5)], {"axis": -1}, (2, 9)),
    ("Concatenate", [(2, 3), (2, 0)], {"axis": 1}, (2, 3)),
    ("Concatenate", [(3,)], {"axis": 0}, (3,)),
    ("Stack", [(2, 3), (2, 3)], {}, (2, 2, 3)),
    ("Stack", [(2, 3)] * 3, {"axis": 1}, (2, 3, 3)),
    ("Stack", [(2, 3)] * 3, {"axis": -1}, (2, 3, 3)),
    ("Stack", [(), ()], {"axis": -1}, (2,)),
    ("Stack", [(4,)], {"axis": 1}, (4, 1)),
]

ONE = [
    ("Split", (6, 2), {"indices_or_sections": 3}, [(2, 2)] * 3),
    ("Split", (2, 6), {"indices_or_sections": 2, "axis": -1}, [(2, 3)] * 2),
    ("Split", (2, 6), {"indices_or_sections": 1, "axis": 1}, [(2, 6)]),
    ("Split", (0, 2), {"indices_or_sections": 2}, [(0, 2)] * 2),
    ("Split", (7,), {"indices_or_sections": (2, 3)}, [(2,), (1,), (4,)]),
    ("Split", (7,), {"indices_or_sections": (0, 7)}, [(0,), (7,), (0,)]),
    ("Split", (7,), {"indices_or_sections": (3, 3)}, [(3,), (0,), (4,)]),
    ("Split", (7,), {"indices_or_sections": ()}, [(7,)]),
    ("BroadcastTo", (3,), {"shape": (2, 3)}, (2, 3)),
    ("BroadcastTo", (3, 1), {"shape": (4, 3, 5)}, (4, 3, 5)),
    ("BroadcastTo", (1, 3), {"shape": (0, 3)}, (0, 3)),
    ("BroadcastTo", (), {"shape": ()}, ()),
    ("Repeat", (2, 3), {"repeats": 2, "axis": 0}, (4, 3)),
    ("Repeat", (2, 3), {"repeats": 3, "axis": -1}, (2, 9)),
    ("Tile", (2, 3), {"repeats": (2, 1)}, (4, 3)),
    ("Tile", (2, 3), {"repeats": (0, 2)}, (0, 6)),
    ("Tile", (), {"repeats": ()}, ()),
]

REFUSED_SEVERAL = [
    ("Concatenate", [], {}, "must be legal"),
    ("Concatenate", [(2, 3), (2, 3, 1)], {}, "one rank"),
    ("Concatenate", [(2, 3), (2, 4)], {}, "along the axis only"),
    ("Concatenate", [(2, 3), (2, 3)], {"axis": 2}, "must be legal"),
    ("Concatenate", [(), ()], {}, "must be legal"),
    ("Stack", [], {}, "at least one"),
    ("Stack", [(2, 3), (2, 1)], {}, "one shape"),
    ("Stack", [(2,), (2, 1)], {}, "one shape"),
    ("Stack", [(2,)], {"axis": 2}, "must be legal"),
]

REFUSED_ONE = [
    ("Split", (7,), {"indices_or_sections": 2}, "divide"),
    ("Split", (7,), {"indices_or_sections": 0}, "must be legal"),
    ("Split", (7,), {"indices_or_sections": (3, 2)}, "must be legal"),
    ("Split", (7,), {"indices_or_sections": (-1,)}, "must be legal"),
    ("Split", (7,), {"indices_or_sections": (2, 8)}, "inside"),
    ("Split", (), {"indices_or_sections": 1}, "must be legal"),
    ("BroadcastTo", (2, 3), {"shape": (3,)}, "fewer axes"),
    ("BroadcastTo", (2, 3), {"shape": (2, 4)}, "size 1"),
    ("BroadcastTo", (3,), {"shape": (1,)}, "size 1"),
    ("BroadcastTo", (1,), {"shape": (-1,)}, "must be legal"),
    ("Repeat", (2, 3), {"repeats": 0, "axis": 0}, "must be legal"),
    ("Repeat", (2, 3), {"repeats": 1, "axis": 2}, "must be legal"),
    ("Tile", (2, 3), {"repeats": (2,)}, "must be legal"),
    ("Tile", (2, 3), {"repeats": (2, -1)}, "must be legal"),
]


def several(name, shapes, attributes, dtype="float32"):
    arrays = tuple(sample(seed, shape, dtype) for seed, shape in enumerate(shapes))
    return Case(lookup(name), (arrays,), attributes)


def one(name, shape, attributes, dtype="float32"):
    return Case(lookup(name), (sample(0, shape, dtype),), attributes)


def expected_type(shape, dtype):
    if isinstance(shape, list):
        return TupleType(tuple(TensorType(field, dtype) for field in shape))
    return TensorType(shape, dtype)


@pytest.mark.parametrize("dtype", ALL_DTYPES)
def test_rule_and_reference_give_the_expected_type(dtype):
    for make, table in ((several, SEVERAL), (one, ONE)):
        for name, shapes, attributes, expected in table:
            given = make(name, shapes, attributes, dtype)
            declared = infer(given.operator, *given.types, **attributes)
            assert declared == expected_type(expected, dtype), given
            reference(given)


@pytest.mark.parametrize(("make", "table"), [(several, SEVERAL), (one, ONE)])
def test_the_rule_says_the_same_on_unknown_sizes(make, table):
    for name, shapes, attributes, _ in table:
        check_symbolic(make(name, shapes, attributes))


@pytest.mark.parametrize(("name", "shapes", "attributes", "reason"), REFUSED_SEVERAL)
def test_preconditions_on_several_tensors(name, shapes, attributes, reason):
    with pytest.raises(ShapeError, match=reason):
        infer(lookup(name), expected_type(list(shapes), "float32"), **attributes)


@pytest.mark.parametrize(("name", "shape", "attributes", "reason"), REFUSED_ONE)
def test_preconditions_on_one_tensor(name, shape, attributes, reason):
    with pytest.raises(ShapeError, match=reason):
        infer(lookup(name), TensorType(shape, "float32"), **attributes)


@pytest.mark.parametrize("name", ["Concatenate", "Stack"])
def test_tensors_to_join_have_one_dtype_and_are_tensors(name):
    tensor, other = TensorType((2,), "float32"), TensorType((2,), "int32")
    with pytest.raises(ShapeError, match="one dtype"):
        infer(lookup(name), TupleType((tensor, other)))
    with pytest.raises(ShapeError, match="must not hold tuples"):
        infer(lookup(name), TupleType((tensor, TupleType((tensor,)))))
    with pytest.raises(ShapeError, match="a tuple of tensors"):
        infer(lookup(name), tensor)


def test_the_number_of_sections_must_be_known():
    data = TensorType((6,), "float32")
    with pytest.raises(UndecidedError):
        infer(lookup("Split"), data, indices_or_sections=Symbol("n", low=1))


def test_sections_of_an_unknown_size_are_equal():
    pieces = infer(lookup("Split"), TensorType((Symbol("n"),), "float32"), indices_or_sections=3)
    first, *rest = pieces.fields
    assert all(piece.shape[0] is first.shape[0] for piece in rest)


def test_copies_are_in_the_documented_order():
    data = np.array([1, 2])
    assert lookup("Repeat").reference(data, repeats=2, axis=0).tolist() == [1, 1, 2, 2]
    assert lookup("Tile").reference(data, repeats=(2,)).tolist() == [1, 2, 1, 2]


def test_pieces_put_together_are_the_whole():
    for name, shape, attributes, _ in ONE:
        if name == "Split":
            given = one(name, shape, attributes)
            axis = given.canonical["axis"]
            whole = lookup("Concatenate").reference(reference(given), axis=axis)
            np.testing.assert_array_equal(whole, given.operands[0])
            assert type_of(whole) == given.types[0]


@pytest.mark.tvm
@pytest.mark.parametrize(("make", "table"), [(several, SEVERAL), (one, ONE)])
def test_tvm_agrees_with_the_references(make, table):
    check([make(n, s, attributes, dtype) for n, s, attributes, _ in table for dtype in ALL_DTYPES])
