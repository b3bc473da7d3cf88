import numpy as np
import pytest
from three_way import Case, check, infer, reference, sample

from gsl.errors import ShapeError
from gsl.operators.declaration import lookup
from gsl.types import ALL_DTYPES, NUMERIC, TensorType

COMPARISONS = {
    "Equal": [False, True, False],
    "NotEqual": [True, False, True],
    "Less": [True, False, False],
    "LessEqual": [True, True, False],
    "Greater": [False, False, True],
    "GreaterEqual": [False, True, True],
}
CHOICES = [
    ((), (), (), ()),
    ((3,), (3,), (3,), (3,)),
    ((2, 1), (3,), (), (2, 3)),
    ((3,), (2, 1), (4, 1, 1), (4, 2, 3)),
    ((1,), (2, 3), (1, 3), (2, 3)),
]


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize(("name", "expected"), COMPARISONS.items())
def test_a_comparison_gives_bool(name, expected, dtype):
    case = Case(lookup(name), (np.array([1, 2, 3], dtype), np.array(2, dtype)), {})
    assert infer(case.operator, *case.operands) == TensorType((3,), "bool")
    assert reference(case).tolist() == expected


@pytest.mark.parametrize("name", COMPARISONS)
def test_truth_values_are_not_compared(name):
    with pytest.raises(ShapeError, match="dtype"):
        infer(lookup(name), *[TensorType((2,), "bool")] * 2)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("LogicalAnd", [[True, False], [False, False]]), ("LogicalOr", [[True, True], [True, False]])],
)
def test_logic_of_two_truth_values(name, expected):
    values = np.array([True, False])
    case = Case(lookup(name), (values[:, None], values), {})
    assert reference(case).tolist() == expected


def test_logical_not():
    assert reference(Case(lookup("LogicalNot"), (np.array([True, False]),), {})).tolist() == [
        False,
        True,
    ]


@pytest.mark.parametrize("name", ["LogicalAnd", "LogicalOr", "LogicalNot"])
@pytest.mark.parametrize("dtype", NUMERIC)
def test_logic_needs_truth_values(name, dtype):
    operator = lookup(name)
    with pytest.raises(ShapeError, match="dtype"):
        infer(operator, *[TensorType((2,), dtype) for _ in operator.operands])


def choices(dtype):
    for seed, (*shapes, _) in enumerate(CHOICES):
        dtypes = ("bool", dtype, dtype)
        operands = [
            sample(seed + i, s, d) for i, (s, d) in enumerate(zip(shapes, dtypes, strict=True))
        ]
        yield Case(lookup("Where"), tuple(operands), {})


@pytest.mark.parametrize("dtype", ALL_DTYPES)
def test_where_broadcasts_all_three(dtype):
    for case, (*_, result) in zip(choices(dtype), CHOICES, strict=True):
        assert infer(case.operator, *case.operands) == TensorType(result, dtype)
        reference(case)


def test_where_takes_the_first_choice_where_true():
    case = Case(lookup("Where"), (np.array([True, False]), np.array([1, 2]), np.array(5)), {})
    assert reference(case).tolist() == [1, 5]


@pytest.mark.parametrize(
    ("types", "reason"),
    [
        ((("int32", (2,)), ("int8", (2,)), ("int8", (2,))), "condition must have dtype bool"),
        ((("bool", (2,)), ("int8", (2,)), ("int32", (2,))), "one dtype"),
        ((("bool", (2,)), ("int8", (3,)), ("int8", (1,))), "broadcast"),
        ((("bool", (1,)), ("int8", (3,)), ("int8", (2,))), "broadcast"),
    ],
)
def test_where_rejects(types, reason):
    with pytest.raises(ShapeError, match=reason):
        infer(lookup("Where"), *[TensorType(shape, dtype) for dtype, shape in types])


def test_traits():
    assert lookup("Equal").traits == {"elementwise", "binary"}
    assert lookup("LogicalNot").traits == {"elementwise", "unary"}
    assert lookup("Where").traits == {"elementwise"}


@pytest.mark.tvm
def test_tvm_agrees_on_comparisons():
    pairs = [
        (np.array([[1], [2], [3]], dtype), np.array([1, 2, 3], dtype)) for dtype in NUMERIC
    ] + [(sample(1, (64,), dtype), sample(2, (64,), dtype)) for dtype in NUMERIC]
    check([Case(lookup(name), pair, {}) for name in COMPARISONS for pair in pairs])


@pytest.mark.tvm
def test_tvm_agrees_on_logic_and_choice():
    values = np.array([True, False])
    cases = [
        Case(lookup("LogicalAnd"), (values[:, None], values), {}),
        Case(lookup("LogicalOr"), (values[:, None], values), {}),
        Case(lookup("LogicalNot"), (values,), {}),
    ]
    check(cases + [case for dtype in ALL_DTYPES for case in choices(dtype)])
