import math

import numpy as np
import pytest
from three_way import Case, check, infer, reference, sample

from gsl.errors import OperatorError, ShapeError
from gsl.operators.declaration import lookup
from gsl.types import FLOATING, INTEGER, NUMERIC, TensorType

JOINTS = [-90, -12, -2, -0.5, 0, 0.5, 1, 2, 6, 12, 19, 20, 21, 90]
FLOATING_CASES = [
    ("Relu", {}),
    ("Sigmoid", {}),
    ("Silu", {}),
    ("Gelu", {}),
    ("LeakyRelu", {}),
    ("LeakyRelu", {"alpha": 0}),
    ("LeakyRelu", {"alpha": -1.5}),
    ("Softplus", {}),
    ("Softplus", {"beta": 0.5, "threshold": 1}),
    ("Softplus", {"beta": 2.0, "threshold": 0.0}),
    ("Softplus", {"threshold": 100.0}),
    ("Clip", {"min": 0, "max": 6}),
    ("Clip", {"min": -0.1, "max": -0.1}),
    ("Clip", {"min": -math.inf, "max": 1.3}),
    ("Clip", {"min": -1.3, "max": math.inf}),
]
INTEGER_CASES = [
    ("Relu", {}),
    ("Clip", {"min": 0, "max": 6}),
    ("Clip", {"min": 1.9, "max": 100.9}),
]


def of(name, data, dtype="float64", **attributes):
    return reference(Case(lookup(name), (np.array(data, dtype),), attributes)).tolist()


@pytest.mark.parametrize(("name", "attributes"), FLOATING_CASES)
@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("shape", [(), (1,), (2, 0), (2, 1, 3)])
def test_an_activation_keeps_the_type(name, attributes, dtype, shape):
    case = Case(lookup(name), (sample(1, shape, dtype),), attributes)
    assert infer(case.operator, *case.operands, **attributes) == case.types[0]
    reference(case)


@pytest.mark.parametrize(
    ("name", "attributes", "data", "expected"),
    [
        ("Relu", {}, [-1, 0, 2], [0, 0, 2]),
        ("LeakyRelu", {"alpha": 0.5}, [-1, 0, 2], [-0.5, 0, 2]),
        ("Sigmoid", {}, [0, math.log(3)], [0.5, 0.75]),
        ("Silu", {}, [0, math.log(3)], [0, 0.75 * math.log(3)]),
        ("Gelu", {}, [0, 30, -30], [0, 30, 0]),
        ("Gelu", {}, [1.0], [(1 + math.erf(1 / math.sqrt(2))) / 2]),
        ("Softplus", {}, [0, math.log(3)], [math.log(2), math.log(4)]),
        ("Softplus", {"beta": 2.0}, [0], [math.log(2) / 2]),
        ("Softplus", {"beta": 2.0, "threshold": 3.0}, [1.6], [1.6]),
        ("Clip", {"min": -1, "max": 2}, [-3, 0.5, 7], [-1, 0.5, 2]),
    ],
)
def test_known_values(name, attributes, data, expected):
    assert of(name, data, **attributes) == pytest.approx(expected, rel=1e-15)


def test_the_smooth_part_of_softplus_ends_at_the_threshold():
    smooth, linear = of("Softplus", [1.5, 1.5001], beta=2.0, threshold=3.0)
    assert smooth == pytest.approx(math.log(1 + math.exp(3)) / 2)
    assert linear == 1.5001


@pytest.mark.parametrize("dtype", INTEGER)
def test_integer_limits_are_rounded_towards_zero(dtype):
    assert of("Clip", [0, 2, 9], dtype, min=1.9, max=4.9) == [1, 2, 4]
    assert of("Relu", [0, 2], dtype) == [0, 2]


def test_limits_beyond_a_floating_dtype_are_infinite():
    with np.errstate(over="ignore"):
        assert of("Clip", [1.0, 6e4], "float16", min=-1e9, max=1e9) == [1.0, 6e4]


@pytest.mark.parametrize(
    ("dtype", "low", "high", "reason"),
    [
        ("float32", 2, 1, "must not exceed"),
        ("float32", math.nan, 1, "must not exceed"),
        ("uint8", -1, 6, "hold min"),
        ("int8", 0, 128, "hold max"),
        ("int32", 0, math.inf, "hold max"),
    ],
)
def test_clip_rejects_limits(dtype, low, high, reason):
    with pytest.raises(ShapeError, match=reason):
        infer(lookup("Clip"), TensorType((2,), dtype), min=low, max=high)


@pytest.mark.parametrize(("low", "high"), [(-128, 127), (3, 3)])
def test_clip_accepts_limits_at_the_border(low, high):
    data = TensorType((2,), "int8")
    assert infer(lookup("Clip"), data, min=low, max=high) == data


def test_clip_needs_both_limits():
    with pytest.raises(OperatorError, match="needs attribute `max`"):
        infer(lookup("Clip"), TensorType((), "float32"), min=0.0)


@pytest.mark.parametrize("beta", [0, -1.0])
def test_softplus_needs_a_positive_steepness(beta):
    with pytest.raises(ShapeError, match="`beta`"):
        infer(lookup("Softplus"), TensorType((2,), "float32"), beta=beta)


@pytest.mark.parametrize("name", ["Sigmoid", "Silu", "Gelu", "LeakyRelu", "Softplus"])
@pytest.mark.parametrize("dtype", [*INTEGER, "bool"])
def test_smooth_activations_need_a_floating_dtype(name, dtype):
    with pytest.raises(ShapeError, match="dtype"):
        infer(lookup(name), TensorType((2,), dtype))


def test_traits():
    for name, _ in FLOATING_CASES:
        assert lookup(name).traits == {"elementwise", "unary"}


def cases():
    for dtype in NUMERIC:
        chosen = FLOATING_CASES if dtype in FLOATING else INTEGER_CASES
        joints = np.array(JOINTS).astype(dtype) if dtype in FLOATING else sample(2, (9,), dtype)
        for name, attributes in chosen:
            for data in (joints, sample(1, (), dtype), sample(3, (2, 1, 40), dtype)):
                yield Case(lookup(name), (data,), attributes)


@pytest.mark.tvm
def test_tvm_agrees_on_activations():
    check(list(cases()))


@pytest.mark.tvm
def test_tvm_agrees_on_integer_limits_at_the_border():
    check(
        [
            Case(
                lookup("Clip"),
                (np.array([np.iinfo(dtype).min, 3, np.iinfo(dtype).max], dtype),),
                {
                    "min": float(np.iinfo(dtype).min),
                    "max": 2.0**62 if dtype in ("int64", "uint64") else high,
                },
            )
            for dtype in INTEGER
            for high in (5.0, float(np.iinfo(dtype).max))
        ]
    )
