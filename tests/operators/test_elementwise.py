import math

import numpy as np
import pytest
from three_way import Case, check, infer, reference, sample

from gsl.errors import OperatorError, ShapeError
from gsl.operators.declaration import REGISTRY, lookup
from gsl.operators.defined import Values
from gsl.types import ALL_DTYPES, FLOATING, INTEGER, TensorType

UNARY = (
    *("Negative", "Abs", "Sign", "Square", "Floor", "Ceil", "Round", "Sqrt", "Exp", "Log"),
    *("Sin", "Cos", "Tanh", "Rsqrt", "Erf"),
)
BINARY = (
    *("Add", "Subtract", "Multiply", "Maximum", "Minimum"),
    *("Divide", "Power", "FloorDivide", "Mod"),
)
BROADCASTS = [
    ((), (), ()),
    ((3,), (), (3,)),
    ((2, 3), (3,), (2, 3)),
    ((2, 1), (1, 3), (2, 3)),
    ((1,), (5,), (5,)),
    ((2, 1, 3), (4, 1), (2, 4, 3)),
    ((0, 3), (1, 3), (0, 3)),
]


def value_rule(operator, name, types, **attributes):
    rule = operator.values.get(name, Values())
    return rule(types, attributes) if callable(rule) else rule


def legal(operator, position, seed, shapes, element, **attributes):
    """Return random values on which operand number `position` keeps the operator defined."""
    types = tuple(TensorType(shape, element) for shape in shapes)
    rule = value_rule(operator, operator.operands[position].name, types, **attributes)
    array = sample(seed, shapes[position], element)
    if rule.low is not None or rule.high is not None:
        array = np.clip(array, rule.low, rule.high).astype(element)
    return np.where(array == 0, 1, array).astype(element) if rule.nonzero else array


def unary_cases(name, shapes):
    operator = lookup(name)
    for dtype in operator.dtypes:
        for seed, shape in enumerate(shapes):
            yield Case(operator, (legal(operator, 0, seed, (shape,), dtype),), {})


def binary_cases(name):
    operator = lookup(name)
    for dtype in operator.dtypes:
        for seed, (*shapes, _) in enumerate(BROADCASTS):
            pair = [legal(operator, side, seed + side, shapes, dtype) for side in (0, 1)]
            yield Case(operator, tuple(pair), {})


def of(name, *operands, dtype="float32"):
    """Return the reference for operands written as lists."""
    arrays = tuple(np.array(operand, dtype) for operand in operands)
    with np.errstate(all="ignore"):
        return reference(Case(lookup(name), arrays, {})).tolist()


@pytest.mark.parametrize("name", UNARY)
def test_a_unary_operator_keeps_the_type(name):
    for case in unary_cases(name, [(), (1,), (4,), (2, 1, 3), (0, 2)]):
        assert infer(case.operator, *case.operands) == case.types[0]
        assert np.all(np.isfinite(reference(case).astype(np.float64))), str(case)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(("left", "right", "result"), BROADCASTS)
def test_a_binary_operator_broadcasts(name, left, right, result):
    dtype = "float64"
    left, right = TensorType(left, dtype), TensorType(right, dtype)
    assert infer(lookup(name), left, right) == TensorType(result, dtype)
    assert infer(lookup(name), right, left) == TensorType(result, dtype)


@pytest.mark.parametrize("name", BINARY)
def test_the_reference_of_a_binary_operator_has_the_inferred_type(name):
    for case in binary_cases(name):
        assert np.all(np.isfinite(reference(case).astype(np.float64))), str(case)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(("left", "right"), [((2,), (3,)), ((2, 3), (2,)), ((0,), (2,))])
def test_shapes_that_do_not_broadcast_are_rejected(name, left, right):
    with pytest.raises(ShapeError, match="broadcast"):
        infer(lookup(name), TensorType(left, "float32"), TensorType(right, "float32"))


@pytest.mark.parametrize("name", BINARY)
def test_the_operands_must_have_one_dtype(name):
    with pytest.raises(ShapeError, match="one dtype"):
        infer(lookup(name), TensorType((2,), "float32"), TensorType((2,), "float64"))


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *(("Divide", dtype) for dtype in (*INTEGER, "bool")),
        *(("Sqrt", dtype) for dtype in (*INTEGER, "bool")),
        *(("Round", "int32"), ("Negative", "uint8"), ("Sign", "uint8")),
        *(("Abs", "bool"), ("Add", "bool"), ("Power", "int32")),
    ],
)
def test_a_dtype_without_meaning_is_rejected(name, dtype):
    operator = lookup(name)
    operands = [TensorType((2,), dtype) for _ in operator.operands]
    with pytest.raises(ShapeError, match="dtype"):
        infer(operator, *operands)


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        ("Negative", ([1, -2],), [-1, 2]),
        ("Abs", ([1, -2],), [1, 2]),
        ("Sign", ([3, 0, -2],), [1, 0, -1]),
        ("Square", ([3, -2],), [9, 4]),
        ("Floor", ([1.5, -1.5],), [1, -2]),
        ("Ceil", ([1.5, -1.5],), [2, -1]),
        ("Round", ([0.5, 1.5, -2.5, 2.6],), [0, 2, -2, 3]),
        ("Sqrt", ([4, 0.25],), [2, 0.5]),
        ("Rsqrt", ([4, 0.25],), [0.5, 2]),
        ("Exp", ([0],), [1]),
        ("Log", ([1],), [0]),
        ("Sin", ([0],), [0]),
        ("Cos", ([0],), [1]),
        ("Tanh", ([0, 30],), [0, 1]),
        ("Erf", ([0, 30, -30],), [0, 1, -1]),
        ("Divide", ([1, -3], [2, 2]), [0.5, -1.5]),
        ("Power", ([2, 4], [3, -0.5]), [8, 0.5]),
        ("Maximum", ([1, 5], [3, 2]), [3, 5]),
        ("Minimum", ([1, 5], [3, 2]), [1, 2]),
        ("FloorDivide", ([7, -7, 7, -7], [2, 2, -2, -2]), [3, -4, -4, 3]),
        ("Mod", ([7, -7, 7, -7], [2, 2, -2, -2]), [1, 1, -1, -1]),
        ("Mod", ([5.5, -1], [2, 4]), [1.5, 3]),
    ],
)
def test_known_values(name, operands, expected):
    assert of(name, *operands) == expected


@pytest.mark.parametrize(
    ("name", "operands", "dtype", "expected"),
    [
        ("Add", ([127], [1]), "int8", [-128]),
        ("Subtract", ([0], [1]), "uint8", [255]),
        ("Multiply", ([100], [3]), "int8", [44]),
        ("Negative", ([-128],), "int8", [-128]),
        ("Abs", ([-128],), "int8", [-128]),
        ("Square", ([16],), "uint8", [0]),
        ("FloorDivide", ([-7, 7], [2, -2]), "int8", [-4, -4]),
        ("Mod", ([-7, 7], [2, -2]), "int64", [1, -1]),
    ],
)
def test_integers_wrap_around(name, operands, dtype, expected):
    assert of(name, *operands, dtype=dtype) == expected


@pytest.mark.parametrize("exponents", [0.5, [0.5] * 5], ids=["one for all", "one for each"])
@pytest.mark.parametrize("dtype", FLOATING)
def test_a_power_is_that_of_the_standard_where_it_is_no_root(dtype, exponents):
    bases = np.array([-0.0, -np.inf, -2.0, np.nan, 4.0], dtype)
    with np.errstate(invalid="ignore"):
        powers = lookup("Power").reference(bases, np.array(exponents, dtype))
    assert powers.dtype == dtype
    wide = powers.astype(np.float64)
    np.testing.assert_array_equal(wide, [0.0, np.inf, np.nan, np.nan, 2.0])
    assert not np.signbit(powers[0])


def test_floor_division_rounds_the_rounded_quotient():
    assert of("FloorDivide", [1.0], [0.1]) == [10.0]


@pytest.mark.parametrize("source", FLOATING)
@pytest.mark.parametrize("target", INTEGER)
def test_floats_that_an_integer_type_holds(source, target):
    values = value_rule(lookup("Cast"), "data", (TensorType((), source),), dtype=target)
    limits, number = np.iinfo(target), np.dtype(source).type
    assert limits.min <= int(float(number(values.low)))
    assert int(float(number(values.high))) <= limits.max
    beyond = np.nextafter(number(values.high), number(np.inf))
    assert np.isinf(beyond) or int(float(beyond)) > limits.max


def test_the_error_function_keeps_rank_0():
    result = reference(Case(lookup("Erf"), (np.array(0.5),), {}))
    assert float(result) == math.erf(0.5)


@pytest.mark.parametrize("source", ALL_DTYPES)
@pytest.mark.parametrize("target", ALL_DTYPES)
def test_cast_changes_only_the_dtype(source, target):
    operator = lookup("Cast")
    operand = legal(operator, 0, 1, ((2, 3),), source, dtype=target)
    assert infer(operator, operand, dtype=target) == TensorType((2, 3), target)
    reference(Case(operator, (operand,), {"dtype": target}))


@pytest.mark.parametrize(
    ("source", "values", "target", "expected"),
    [
        ("float32", [-3.7, -0.5, 0.5, 3.7], "int32", [-3, 0, 0, 3]),
        ("int32", [256, 255, -1], "uint8", [0, 255, 255]),
        ("float32", [0.0, -0.0, 0.4, -3], "bool", [False, False, True, True]),
        ("int32", [256, 0], "bool", [True, False]),
        ("bool", [True, False], "float16", [1.0, 0.0]),
    ],
)
def test_cast_of_known_values(source, values, target, expected):
    case = Case(lookup("Cast"), (np.array(values, source),), {"dtype": target})
    assert reference(case).tolist() == expected


def test_cast_needs_a_known_dtype():
    operand = TensorType((2,), "float32")
    with pytest.raises(OperatorError, match="needs attribute `dtype`"):
        infer(lookup("Cast"), operand)
    with pytest.raises(OperatorError, match="complex64"):
        infer(lookup("Cast"), operand, dtype="complex64")


@pytest.mark.parametrize("source", FLOATING)
@pytest.mark.parametrize("target", INTEGER)
def test_floats_are_cast_only_where_the_integer_exists(source, target):
    rule = value_rule(lookup("Cast"), "data", (TensorType((), source),), dtype=target)
    for bound in (rule.low, rule.high):
        assert int(np.array(bound, source).astype(target)) == int(bound)


def test_integers_are_cast_without_restriction():
    types = (TensorType((), "int64"),)
    assert value_rule(lookup("Cast"), "data", types, dtype="int8") == Values()


def test_every_operator_is_documented_and_has_its_traits():
    for name in (*UNARY, "Cast", *BINARY):
        operator = REGISTRY[name]
        assert "Source: relax." in operator.documentation
        assert {"elementwise", "binary" if name in BINARY else "unary"} == operator.traits


@pytest.mark.tvm
def test_tvm_agrees_on_unary_operators():
    check([case for name in UNARY for case in unary_cases(name, [(), (130,), (2, 1, 3)])])


@pytest.mark.tvm
def test_tvm_agrees_on_binary_operators():
    check([case for name in BINARY for case in binary_cases(name)])


@pytest.mark.tvm
def test_tvm_agrees_on_ties_and_on_quotients_that_round():
    ties = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
    tenths = np.arange(-30, 31) / 10
    divisors = np.where(tenths == 0, 1, tenths)[::-1]
    cases = [Case(lookup("Round"), (ties.astype(dtype),), {}) for dtype in FLOATING]
    for name in ("FloorDivide", "Mod"):
        for dtype in FLOATING:
            pair = (tenths.astype(dtype), divisors.astype(dtype))
            cases.append(Case(lookup(name), pair, {}))
    check(cases)


@pytest.mark.tvm
def test_tvm_agrees_on_integer_quotients_at_the_limits():
    cases = []
    for dtype in INTEGER:
        limits = np.iinfo(dtype)
        dividends = np.array([max(limits.min, -limits.max), 0, 7, limits.max], dtype)
        divisors = np.array([limits.max, 3, -1 if limits.min else 1], dtype)[:, None]
        cases += [Case(lookup(name), (dividends, divisors), {}) for name in ("FloorDivide", "Mod")]
    check(cases)


@pytest.mark.tvm
def test_tvm_agrees_on_casts():
    operator = lookup("Cast")
    check(
        [
            Case(
                operator,
                (legal(operator, 0, 1, ((40,),), source, dtype=target),),
                {"dtype": target},
            )
            for source in ALL_DTYPES
            for target in ALL_DTYPES
        ]
    )
