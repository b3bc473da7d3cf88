import numpy as np
import pytest
from three_way import Case, check, infer, reference, sample

from gsl.errors import OperatorError, ShapeError
from gsl.operators.declaration import lookup
from gsl.types import FLOATING, INTEGER, NUMERIC, TensorType

EXACT = ("Sum", "Prod", "Max", "Min")
AVERAGES = ("Mean", "Variance")
POSITIONS = ("Argmax", "Argmin")
SOFTMAXES = ("Softmax", "LogSoftmax")
SHAPES = [(), (1,), (5,), (2, 3), (1, 4, 1), (2, 3, 4)]
RESULTS = [
    ((2, 3, 4), None, (), (1, 1, 1)),
    ((2, 3, 4), 1, (2, 4), (2, 1, 4)),
    ((2, 3, 4), -1, (2, 3), (2, 3, 1)),
    ((2, 3, 4), (0, -1), (3,), (1, 3, 1)),
    ((2, 3, 4), (2, 0), (3,), (1, 3, 1)),
    ((2, 1), (1,), (2,), (2, 1)),
    ((), None, (), ()),
    ((), (), (), ()),
]


def axes_of(name, shape):
    """Return all values of `axis` for a tensor of a shape."""
    operator, types = lookup(name), (TensorType(shape, "float32"),)
    return list(operator.attributes["axis"].domain.instances(types, None))


def cases(names, shapes=SHAPES):
    for name in names:
        for dtype in lookup(name).dtypes:
            for seed, shape in enumerate(shapes):
                for axis in axes_of(name, shape):
                    for keepdims in (False, True):
                        attributes = {"axis": axis} | ({"keepdims": True} if keepdims else {})
                        yield Case(lookup(name), (sample(seed, shape, dtype),), attributes)


@pytest.mark.parametrize("name", [*EXACT, *AVERAGES])
@pytest.mark.parametrize(("shape", "axis", "without", "kept"), RESULTS)
def test_reduced_axes_disappear_or_are_kept(name, shape, axis, without, kept):
    data = TensorType(shape, "float32")
    assert infer(lookup(name), data, axis=axis) == TensorType(without, "float32")
    assert infer(lookup(name), data, axis=axis, keepdims=True) == TensorType(kept, "float32")


@pytest.mark.parametrize("name", [*EXACT, *AVERAGES, *POSITIONS])
def test_the_reference_has_the_inferred_type(name):
    for case in cases([name]):
        reference(case)


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("dtype", NUMERIC)
def test_a_position_is_an_int64(name, dtype):
    data = TensorType((2, 3), dtype)
    assert infer(lookup(name), data, axis=-1) == TensorType((2,), "int64")
    assert infer(lookup(name), data, axis=0, keepdims=True) == TensorType((1, 3), "int64")


@pytest.mark.parametrize("name", [*EXACT, *AVERAGES])
@pytest.mark.parametrize("axis", [2, -3, (0, 0), (0, -2), ()])
def test_axes_that_do_not_exist_or_repeat_are_rejected(name, axis):
    with pytest.raises(ShapeError, match="`axis`"):
        infer(lookup(name), TensorType((2, 3), "float32"), axis=axis)


@pytest.mark.parametrize("name", [*POSITIONS, *SOFTMAXES])
@pytest.mark.parametrize(("shape", "axis"), [((2, 3), 2), ((2, 3), -3), ((), 0), ((), -1)])
def test_one_axis_that_does_not_exist_is_rejected(name, shape, axis):
    with pytest.raises(ShapeError, match="`axis`"):
        infer(lookup(name), TensorType(shape, "float32"), axis=axis)


@pytest.mark.parametrize("name", POSITIONS)
def test_a_position_needs_an_axis(name):
    with pytest.raises(OperatorError, match="needs attribute `axis`"):
        infer(lookup(name), TensorType((2,), "float32"))


@pytest.mark.parametrize("name", ["Max", "Min", *AVERAGES, *POSITIONS, *SOFTMAXES])
def test_an_empty_axis_cannot_be_reduced(name):
    data = TensorType((0, 3), "float32")
    with pytest.raises(ShapeError, match="empty"):
        infer(lookup(name), data, axis=0)
    infer(lookup(name), data, axis=1)


def test_sum_and_product_of_nothing():
    nothing = np.zeros((0, 2), np.float32)
    assert reference(Case(lookup("Sum"), (nothing,), {"axis": 0})).tolist() == [0, 0]
    assert reference(Case(lookup("Prod"), (nothing,), {"axis": 0})).tolist() == [1, 1]


@pytest.mark.parametrize("name", [*AVERAGES, *SOFTMAXES])
@pytest.mark.parametrize("dtype", [*INTEGER, "bool"])
def test_averages_and_softmax_need_a_floating_dtype(name, dtype):
    with pytest.raises(ShapeError, match="dtype"):
        infer(lookup(name), TensorType((2,), dtype), axis=0)


@pytest.mark.parametrize(
    ("name", "attributes", "expected"),
    [
        ("Sum", {}, 10),
        ("Sum", {"axis": 0}, [4, 6]),
        ("Prod", {"axis": 1}, [2, 12]),
        ("Max", {"axis": 0}, [3, 4]),
        ("Min", {"axis": -1, "keepdims": True}, [[1], [3]]),
        ("Mean", {"axis": 1}, [1.5, 3.5]),
        ("Variance", {}, 1.25),
        ("Argmax", {"axis": 1}, [1, 1]),
        ("Argmin", {"axis": 0, "keepdims": True}, [[0, 0]]),
    ],
)
def test_known_values(name, attributes, expected):
    data = np.array([[1, 2], [3, 4]], np.float32)
    assert reference(Case(lookup(name), (data,), attributes)).tolist() == expected


@pytest.mark.parametrize(
    ("name", "dtype", "data", "expected"),
    [
        ("Sum", "int8", [100, 100], -56),
        ("Sum", "uint8", [200, 100], 44),
        ("Prod", "int8", [16, 16], 0),
        ("Prod", "int32", [2**16, 2**16, 3], 0),
    ],
)
def test_integers_wrap_around(name, dtype, data, expected):
    result = reference(Case(lookup(name), (np.array(data, dtype),), {}))
    assert result.dtype == dtype
    assert result == expected


def test_the_first_of_equal_elements_counts():
    data = np.array([1, 3, 3, 1])
    assert reference(Case(lookup("Argmax"), (data,), {"axis": 0})) == 1
    assert reference(Case(lookup("Argmin"), (data,), {"axis": 0})) == 0


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("shape", SHAPES[1:])
def test_softmax_is_a_distribution(dtype, shape):
    data = sample(1, shape, dtype)
    for axis in range(-len(shape), len(shape)):
        weights = reference(Case(lookup("Softmax"), (data,), {"axis": axis}))
        logarithms = reference(Case(lookup("LogSoftmax"), (data,), {"axis": axis}))
        close = {"rtol": {"float16": 1e-2, "bfloat16": 5e-2}.get(dtype, 1e-5)}
        weights, logarithms = (one.astype(np.float64) for one in (weights, logarithms))
        np.testing.assert_allclose(np.sum(weights, axis=axis), 1, **close)
        np.testing.assert_allclose(np.exp(logarithms), weights, **close)


def test_softmax_does_not_overflow():
    data = np.array([1000.0, 1000.0], np.float32)
    assert reference(Case(lookup("Softmax"), (data,), {})).tolist() == [0.5, 0.5]


@pytest.mark.tvm
@pytest.mark.parametrize("name", [*EXACT, *AVERAGES, *POSITIONS])
def test_tvm_agrees_on_reductions(name):
    check(list(cases([name], [(), (5,), (2, 1, 3)])))


@pytest.mark.tvm
def test_tvm_agrees_on_softmax():
    check(
        [
            Case(lookup(name), (sample(1, shape, dtype, -9, 9),), {"axis": axis})
            for name in SOFTMAXES
            for dtype in FLOATING
            for shape in ((1,), (40,), (2, 1, 3))
            for axis in axes_of(name, shape)
        ]
    )
