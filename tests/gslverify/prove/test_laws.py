"""Laws: a normal form has the value of its expression, whatever the numbers are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from gsl.kernel.expression import Expression, Read
from gsl.kernel.meaning import apply
from gslverify.prove.indices.facts import Facts
from gslverify.prove.indices.forms import Forms
from gslverify.prove.normal import Normaliser
from gslverify.prove.values.algebra import Algebra
from gslverify.prove.values.values import Factor, Value
from gslverify.semantics.solver import Solver

X, Y, Z = (Read(name, ()) for name in "xyz")
NAMES = "xyz"


def normaliser(*, is_field: bool, dtype: str = "int8") -> Normaliser:
    forms = Forms()
    facts = Facts(Solver([], 100_000), forms)
    dtypes = {} if is_field else dict.fromkeys(NAMES, dtype)
    return Normaliser(facts, Algebra(forms), is_field, frozenset(), dtypes)


def form(expression: Expression, *, is_field: bool = True) -> Value:
    ((guards, value),) = normaliser(is_field=is_field).cases(expression)
    assert not guards
    return value


class UndefinedError(Exception):
    """An expression has no value for some numbers."""


def _power(base: float, exponent: float) -> float:
    if (base == 0 and exponent < 0) or (base < 0 and exponent != round(exponent)):
        raise UndefinedError
    return float(base**exponent)


def _defined(function: Callable[..., float], *numbers: float) -> float:
    try:
        return float(function(*numbers))
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise UndefinedError from error


def _sign(number: float) -> float:
    return float((number > 0) - (number < 0))


REAL: Mapping[str, Callable[..., float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
    "max": max,
    "min": min,
    "abs": abs,
    "sign": _sign,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
    "trunc": math.trunc,
    "pow": _power,
    "//": lambda a, b: math.floor(a / b),
    "%": lambda a, b: a - b * math.floor(a / b),
    "<": lambda a, b: float(a < b),
    "sigmoid": lambda a: 1 / (1 + math.exp(-a)),
}


def real(expression: Any, numbers: Mapping[str, float]) -> float:
    """Return what an expression computes with real numbers; raise UndefinedError."""
    if isinstance(expression, Read):
        return numbers[expression.tensor]
    if not hasattr(expression, "function"):
        return float(expression.value)
    arguments = [real(argument, numbers) for argument in expression.arguments]
    return _defined(REAL[expression.function], *arguments)


def value_of_form(value: Value, numbers: Mapping[str, Any], functions: Any) -> Any:
    """Return what a normal form stands for."""
    total: Any = 0
    for family in value.families:
        assert family.region.is_point
        part: Any = family.number
        for factor, power in family.powers:
            inner = _of_factor(factor, numbers, functions)
            part = part * _defined(lambda a, n: a**n, inner, power)
        total = total + part
    return total


def _of_factor(factor: Factor, numbers: Mapping[str, Any], functions: Any) -> Any:
    if factor.head == "read":
        return numbers[factor.name]
    parts = [item.value for item in factor.items] or list(factor.arguments)
    values = [value_of_form(part, numbers, functions) for part in parts]
    if factor.head == "group":
        return values[0]
    if factor.head == "==":
        return float(values[0] == 0)
    if factor.head == "<":
        return float(values[0] < (values[1] if len(values) > 1 else 0))
    if factor.items:
        return {"max": max, "min": min, "product": math.prod}[factor.head](values)
    return _defined(functions[factor.head], *values)


READS = st.sampled_from([X, Y, Z])
NUMBERS = st.sampled_from([-2, -1, 0, 1, 2, 3, 0.5, -0.5, 4, 0.25])


def trees(unary: list[str], binary: list[str], numbers: st.SearchStrategy[Any]) -> Any:
    leaves = st.one_of(READS, numbers.map(lambda n: apply("+", n, 0).arguments[0]))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(apply, st.sampled_from(unary), inner),
            st.builds(apply, st.sampled_from(binary), inner, inner),
        ),
        max_leaves=7,
    )


REALS = trees(
    ["neg", "abs", "sign", "exp", "log", "sqrt", "floor", "ceil", "round", "trunc", "sigmoid"],
    ["+", "-", "*", "/", "max", "min", "pow", "//", "%", "<"],
    NUMBERS,
)
VALUES = st.sampled_from([-3.0, -2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 1.5, 2.0, 4.0])


@given(REALS, st.tuples(VALUES, VALUES, VALUES))
@example(apply("sqrt", apply("*", X, X)), (-2.0, 0.0, 0.0))
@example(apply("log", apply("*", X, Y)), (-2.0, -3.0, 0.0))
@example(apply("sign", apply("-", X, X)), (1.0, 0.0, 0.0))
@example(apply("abs", apply("*", apply("neg", X), Y)), (1.0, -2.0, 0.0))
@example(apply("max", apply("*", X, -2), apply("*", Y, -2)), (1.0, -2.0, 0.0))
@example(apply("pow", X, apply("neg", Y)), (0.0, -2.0, 0.0))
@example(apply("*", apply("sign", X), apply("abs", X)), (-2.0, 0.0, 0.0))
@example(apply("floor", apply("+", X, apply("ceil", Y))), (-0.5, 1.5, 0.0))
def test_normal_forms_of_reals_have_the_value_of_their_expression(
    expression: Expression, numbers: tuple[float, float, float]
) -> None:
    given_numbers = dict(zip(NAMES, numbers, strict=True))
    try:
        expected = real(expression, given_numbers)
        value = form(expression)
        found = float(value_of_form(value, given_numbers, REAL))
    except UndefinedError:
        assume(False)
    assume(abs(expected) < 1e6)
    # What rounds down may be off where a quotient is not exact; such numbers are left out.
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


def wrapped(number: Any) -> int:
    """Return what int8 holds of an integer."""
    return (int(number) + 128) % 256 - 128


def _divide(left: int, right: int) -> int:
    if right == 0 or (left, right) == (-128, -1):
        raise UndefinedError
    return left // right


INTEGRAL: Mapping[str, Callable[..., Any]] = {
    **{name: REAL[name] for name in ("+", "-", "*", "neg", "max", "min", "abs", "sign")},
    "//": _divide,
    "%": lambda a, b: a - b * _divide(a, b),
    "<": lambda a, b: int(a < b),
}


def integral(expression: Any, numbers: Mapping[str, int]) -> int:
    """Return what an expression computes with int8, which wraps."""
    if isinstance(expression, Read):
        return numbers[expression.tensor]
    if not hasattr(expression, "function"):
        return wrapped(expression.value)
    arguments = [integral(argument, numbers) for argument in expression.arguments]
    return wrapped(INTEGRAL[expression.function](*arguments))


def _wrapping(function: Callable[..., Any]) -> Callable[..., int]:
    return lambda *arguments: wrapped(function(*map(wrapped, arguments)))


WRAPPING = {name: _wrapping(function) for name, function in INTEGRAL.items()} | {"held": wrapped}

INTEGERS = trees(
    ["neg", "abs", "sign"],
    ["+", "-", "*", "max", "min", "//", "%"],
    st.sampled_from([-2, -1, 0, 1, 2, 3]),
)
BYTES = st.sampled_from([-128, -127, -5, -1, 0, 1, 2, 7, 126, 127])


def _value_of_integers(value: Value, numbers: Mapping[str, int]) -> int:
    total = 0
    for family in value.families:
        part = Fraction(family.number)
        for factor, power in family.powers:
            parts = [item.value for item in factor.items] or list(factor.arguments)
            inner = [wrapped(_value_of_integers(one, numbers)) for one in parts]
            if factor.head == "read":
                found: Any = numbers[factor.name]
            elif factor.items:
                found = {"max": max, "min": min}[factor.head](inner)
            else:
                found = WRAPPING[factor.head](*inner)
            part *= Fraction(found) ** power
        assert part.denominator == 1
        total += int(part)
    return total


@given(INTEGERS, st.tuples(BYTES, BYTES, BYTES))
@example(apply("abs", apply("abs", X)), (-128, 0, 0))
@example(apply("*", apply("sign", X), apply("abs", X)), (-128, 0, 0))
@example(apply("%", apply("%", X, Y), Y), (-128, 127, 0))
@example(apply("abs", apply("*", X, X)), (127, 0, 0))
@example(apply("max", apply("*", X, 2), apply("*", Y, 2)), (127, 1, 0))
def test_normal_forms_of_integers_have_the_value_of_their_expression(
    expression: Expression, numbers: tuple[int, int, int]
) -> None:
    given_numbers = dict(zip(NAMES, numbers, strict=True))
    try:
        expected = integral(expression, given_numbers)
        value = form(expression, is_field=False)
        found = _value_of_integers(value, given_numbers)
    except UndefinedError:
        assume(False)
    assert wrapped(found) == expected
