"""Functions of scalars: computed at once, by z3, and by NumPy on arrays of the dtype."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import z3

from gsl.kernel.functions import FUNCTIONS
from gslverify.semantics.arithmetic import Arithmetic
from gslverify.semantics.formulas import Formulas, value_in
from gslverify.semantics.scalars import (
    REAL,
    TRUTH,
    WHOLE,
    Scalar,
    Scalars,
    UnsupportedError,
    kind_of,
)

pytestmark = pytest.mark.smt

BINARY = ("+", "-", "*", "max", "min", "==", "!=", "<", "<=", ">", ">=")
UNARY = ("neg", "abs", "sign")
NUMBERS = {
    "float32": (-2.5, -1.0, 0.0, 0.5, 3.0),
    "int8": (-128, -7, -1, 0, 1, 5, 127),
    "uint8": (0, 1, 5, 200, 255),
    "int32": (-(2**31), -3, 0, 2, 2**31 - 1),
    "bool": (False, True),
}


def arithmetic() -> tuple[Scalars, Arithmetic]:
    scalars = Scalars(10_000)
    return scalars, Arithmetic(scalars)


def by_solver(function: str, dtype: str, *numbers: Any) -> Any:
    """Return what z3 says that a function of unknowns is for some numbers."""
    scalars, apply = arithmetic()
    formulas, kind = Formulas(z3.Context()), kind_of(dtype)
    unknowns = [scalars.unknown(kind, n) for n in range(len(numbers))]
    result = apply.as_dtype(apply(function, *unknowns), dtype_of(function, dtype))
    formula = formulas.formula(result)
    solver = z3.Solver(ctx=formulas.context)
    for unknown, number in zip(unknowns, numbers, strict=True):
        given = formulas.formula(apply.as_dtype(scalars.literal(number), dtype))
        if unknown in formulas.unknowns:
            own = formulas.unknowns[unknown]
            width = own.size() if z3.is_bv(own) else 0
            solver.add(own == (z3.BitVecVal(number, width, own.ctx) if width else given))
    assert solver.check() == z3.sat
    return value_in(solver.model(), formula, result.kind)


def dtype_of(function: str, dtype: str) -> str:
    return "bool" if function in ("==", "!=", "<", "<=", ">", ">=") else dtype


def at_once(function: str, dtype: str, *numbers: Any) -> Any:
    scalars, apply = arithmetic()
    operands = [apply.as_dtype(scalars.literal(number), dtype) for number in numbers]
    return apply.as_dtype(apply(function, *operands), dtype_of(function, dtype)).number


def by_numpy(function: str, dtype: str, *numbers: Any) -> Any:
    with np.errstate(all="ignore"):
        arrays = [np.array(number, dtype) for number in numbers]
        return (
            np.asarray(FUNCTIONS[function].numpy(*arrays)).astype(dtype_of(function, dtype)).item()
        )


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "int32"])
@pytest.mark.parametrize("function", BINARY)
def test_functions_of_two_numbers(function: str, dtype: str) -> None:
    for left in NUMBERS[dtype]:
        for right in NUMBERS[dtype]:
            expected = by_numpy(function, dtype, left, right)
            assert at_once(function, dtype, left, right) == expected, (left, right)
            assert by_solver(function, dtype, left, right) == expected, (left, right)


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "int32"])
@pytest.mark.parametrize("function", ["//", "%"])
def test_quotients_round_down(function: str, dtype: str) -> None:
    for left in NUMBERS[dtype]:
        for right in NUMBERS[dtype]:
            overflows = right == -1 and dtype.startswith("int") and left == np.iinfo(dtype).min
            if right and not overflows:
                expected = by_numpy(function, dtype, left, right)
                assert at_once(function, dtype, left, right) == expected, (left, right)
                assert by_solver(function, dtype, left, right) == expected, (left, right)


@pytest.mark.parametrize("dtype", ["float32", "int8", "int32"])
@pytest.mark.parametrize("function", UNARY)
def test_functions_of_one_number(function: str, dtype: str) -> None:
    for number in NUMBERS[dtype]:
        expected = by_numpy(function, dtype, number)
        assert at_once(function, dtype, number) == expected, number
        assert by_solver(function, dtype, number) == expected, number


@pytest.mark.parametrize("function", ["floor", "ceil", "round", "trunc"])
def test_roundings(function: str) -> None:
    for number in (-2.5, -1.5, -0.25, 0.0, 0.5, 1.5, 2.75):
        expected = by_numpy(function, "float32", number)
        assert at_once(function, "float32", number) == expected, number
        assert by_solver(function, "float32", number) == expected, number


@pytest.mark.parametrize("source", NUMBERS)
@pytest.mark.parametrize("target", ["int8", "uint8", "int32", "bool", "float32"])
def test_conversions(source: str, target: str) -> None:
    scalars, apply = arithmetic()
    for number in NUMBERS[source]:
        if source == "float32" and target == "uint8" and number < 0:
            continue  # not defined
        one = apply.as_dtype(scalars.literal(number), source)
        found = apply.cast(one, source, target).number
        assert found == np.array(number, source).astype(target).item(), number


def test_a_float_is_rounded_to_fewer_digits() -> None:
    scalars, apply = arithmetic()
    assert apply.cast(scalars.literal(2049.0), "float32", "float16").number == 2048
    unknown = scalars.unknown(REAL, "x")
    assert apply.cast(unknown, "float16", "float32") is unknown
    assert apply.cast(unknown, "float32", "float16").head == "rounded"


def test_equal_scalars_are_one_object() -> None:
    scalars, apply = arithmetic()
    x, y = scalars.unknown(REAL, "x"), scalars.unknown(REAL, "y")
    assert apply("+", x, y) is apply("+", y, x)
    assert apply("-", x, y) is not apply("-", y, x)
    assert apply("max", x, scalars.literal(-np.inf)) is x
    assert apply("*", x, scalars.literal(1)) is x


def test_whole_numbers_do_not_wrap() -> None:
    scalars, apply = arithmetic()
    c = scalars.converted(scalars.unknown(kind_of("int8"), "c"), WHOLE)
    more = apply("+", c, scalars.literal(1))
    formulas = Formulas(z3.Context())
    solver = z3.Solver(ctx=formulas.context)
    solver.add(formulas.formula(apply("<", more, c)))
    assert solver.check() == z3.unsat


def test_of_a_choice_only_what_is_chosen_need_be_defined() -> None:
    scalars, apply = arithmetic()
    x, one = scalars.unknown(REAL, "x"), scalars.literal(1.0)
    quotient = apply("/", one, x)
    chosen = apply("select", apply("==", x, scalars.literal(0)), one, quotient)
    formulas = Formulas(z3.Context())
    zero = formulas.formula(x) == 0
    assert not holds(formulas, quotient, zero)
    assert holds(formulas, chosen, zero)


def holds(formulas: Formulas, one: Scalar, condition: Any) -> bool:
    solver = z3.Solver(ctx=formulas.context)
    solver.add(condition, z3.Not(z3.And(*formulas.defined(one), formulas.context)))
    return bool(solver.check() == z3.unsat)


def test_a_question_that_is_too_large_is_refused() -> None:
    scalars = Scalars(3)
    for number in range(3):
        scalars.literal(number)
    with pytest.raises(UnsupportedError, match="more than 3 values"):
        scalars.literal(3)


@pytest.mark.parametrize(("value", "error"), [(float("nan"), "no number"), ("x", "no number")])
def test_what_is_no_number_is_refused(value: Any, error: str) -> None:
    with pytest.raises(UnsupportedError, match=error):
        Scalars(10).literal(value)


def test_kinds_are_those_of_dtypes() -> None:
    assert kind_of("float16") == REAL
    assert kind_of("bool") == TRUTH
    assert (kind_of("uint8").width, kind_of("uint8").signed) == (8, False)
    with pytest.raises(UnsupportedError, match="complex64"):
        kind_of("complex64")


@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name != "cast"])
def test_every_function_of_kernels_has_a_formula(function: str) -> None:
    scalars, apply = arithmetic()
    dtype = "int8" if function in ("&", "|", "^", ">>") else "float32"
    operands = [scalars.unknown(kind_of(dtype), n) for n in range(FUNCTIONS[function].arity)]
    formulas = Formulas(z3.Context())
    found = apply(function, *operands)
    assert formulas.formula(found) is not None
    assert list(formulas.laws()) or not formulas.applications


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32"])
@pytest.mark.parametrize("function", ["&", "|", "^", ">>"])
def test_bits(function: str, dtype: str) -> None:
    for left in NUMBERS[dtype]:
        for right in (0, 1, 3, 5) if function == ">>" else NUMBERS[dtype]:
            expected = by_numpy(function, dtype, left, right)
            assert at_once(function, dtype, left, right) == expected, (left, right)
            assert by_solver(function, dtype, left, right) == expected, (left, right)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_shifts_by_numbers_that_are_written_have_a_value_below_the_number_of_bits(
    dtype: str,
) -> None:
    kind = kind_of(dtype)
    for count in (0, 1, 3, kind.width // 2, kind.width - 1, kind.width, kind.width + 7):
        scalars, apply = arithmetic()
        written = scalars.converted(scalars.literal(count), kind)
        formulas = Formulas(z3.Context())
        solver = z3.Solver(ctx=formulas.context)
        solver.add(*formulas.defined(apply(">>", scalars.unknown(kind, "x"), written)))
        assert (solver.check() == z3.sat) == (count < kind.width), count


def test_powers_of_whole_numbers_that_are_written_are_whole_numbers() -> None:
    scalars, apply = arithmetic()
    power = apply("pow", scalars.literal(2), scalars.literal(13))
    assert (power.number, power.kind) == (8192, WHOLE)


def test_an_unknown_function_is_refused() -> None:
    scalars, apply = arithmetic()
    with pytest.raises(UnsupportedError, match="`gamma` has no formula"):
        apply("gamma", scalars.literal(Fraction(1, 2)))
