"""Bounds of arithmetic and of functions, against exact arithmetic and against machines."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsl.operators.elementwise import ERF
from gslverify.comparison.bounded import PRECISIONS, Bounded, rounding_like
from tests.gslverify.inexact import (
    MACHINES,
    arrays,
    covers,
    errors,
    fractions,
    inexact,
    numbers,
    quick,
)

away_from_zero = numbers.filter(lambda value: abs(value) >= 1 / 64)


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


# Sums, products, quotients: exact arithmetic is that of fractions.

RATIONAL = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "matmul": lambda a, b: np.sum(a * b),
    "square": lambda a, b: a * a,
    "negative": lambda a, b: -a,
    "absolute": lambda a, b: abs(a),
    "maximum": np.maximum,
    "minimum": np.minimum,
    "chain": lambda a, b: (a + b) * (a - b) * a,
}
BOUNDED = {
    "matmul": np.matmul,
    "square": lambda a, b: np.square(a),
    "negative": lambda a, b: np.negative(a),
    "absolute": lambda a, b: np.absolute(a),
    "chain": RATIONAL["chain"],
}


@pytest.mark.parametrize("name", RATIONAL)
@quick
@given(left=inexact(), right=inexact())
def test_bounds_cover_exact_arithmetic(name: str, left: Any, right: Any) -> None:
    compute = BOUNDED.get(name) or getattr(np, name)
    truth = RATIONAL[name](fractions(left[1]), fractions(right[1]))
    assert covers(compute(left[0], right[0]), truth)


@quick
@given(left=inexact(), right=inexact(away_from_zero))
def test_bounds_of_quotients_cover_exact_arithmetic(left: Any, right: Any) -> None:
    divisors = fractions(right[1])
    result = left[0] / right[0]
    possible = [divisor != 0 for divisor in divisors]
    truth = [a / b if b else 0 for a, b in zip(fractions(left[1]), divisors, strict=True)]
    assert covers(result[np.array(possible)], np.array(truth, object)[possible])


REDUCTIONS = {
    "sum": np.sum,
    "mean": lambda a, **axis: np.sum(a, **axis) / Fraction(a.shape[axis["axis"]]),
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "cumsum": np.cumsum,
}


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", REDUCTIONS)
@quick
@given(value=arrays(shape=(3, 4)), error=arrays(errors, (3, 4)))
def test_bounds_of_reductions_cover_exact_arithmetic(
    name: str, axis: int, value: Any, error: Any
) -> None:
    result = getattr(np, name)(Bounded(value, error), axis=axis)
    truth = REDUCTIONS[name](fractions(value + error), axis=axis)
    assert result.shape == np.shape(truth)
    assert covers(result, truth)


@pytest.mark.parametrize("equation", ["ij,kj->ik", "ij,kj->", "ij, kj -> ijk", "ij,ij->j"])
@quick
@given(left=arrays(shape=(3, 4)), right=arrays(shape=(3, 4)), error=errors)
def test_bounds_of_einsum_cover_exact_arithmetic(
    equation: str, left: Any, right: Any, error: float
) -> None:
    result = np.einsum(equation, Bounded(left, np.full(left.shape, error)), right)
    exact = np.einsum(equation, left.astype(np.longdouble) + error, right.astype(np.longdouble))
    assert np.all(np.abs(result.value - exact) <= result.error)


# Other functions: exact arithmetic is that of a wider machine.

POSITIVE = st.floats(2.0**-6, 60.0, width=16).map(float)
SMOOTH = {
    np.exp: numbers,
    np.log: POSITIVE,
    np.sqrt: POSITIVE,
    np.sin: numbers,
    np.cos: numbers,
    np.tanh: numbers,
    np.floor: numbers,
    np.ceil: numbers,
    np.rint: numbers,
    np.trunc: numbers,
    np.sign: numbers,
}


@pytest.mark.parametrize("ufunc", SMOOTH, ids=lambda ufunc: ufunc.__name__)
@quick
@given(data=st.data())
def test_bounds_of_functions_cover_a_wider_machine(ufunc: Any, data: st.DataObject) -> None:
    given_array, exact = data.draw(inexact(SMOOTH[ufunc]))
    result = ufunc(given_array)
    truth = ufunc(exact.astype(np.longdouble))
    known = np.isfinite(result.error)
    assert np.all((np.abs(result.value - truth) <= result.error) | ~known)


@quick
@given(operand=inexact())
def test_bounds_of_the_error_function_cover_it(operand: Any) -> None:
    result = ERF(operand[0])
    assert covers(result, [math.erf(value) for value in operand[1]])


@quick
@given(base=inexact(POSITIVE), exponent=inexact(st.floats(-3, 3, width=16).map(float)))
def test_bounds_of_powers_cover_a_wider_machine(base: Any, exponent: Any) -> None:
    result = np.power(base[0], exponent[0])
    truth = np.power(base[1].astype(np.longdouble), exponent[1].astype(np.longdouble))
    known = np.isfinite(result.error)
    assert np.all((np.abs(result.value - truth) <= result.error) | ~known)


# Machines: the bound covers what a machine of the named precision computes.

ON_MACHINES = {
    "sum": lambda a, b: np.sum(a * b, axis=0),
    "mean": lambda a, b: np.mean(a - b, axis=1),
    "matmul": lambda a, b: np.matmul(a, np.transpose(b)),
    "softmax": lambda a, b: np.exp(a - np.max(a)) / np.sum(np.exp(a - np.max(a))),
    "norm": lambda a, b: (a - np.mean(a)) / np.sqrt(np.mean(np.square(a - np.mean(a))) + 1e-3),
    "root": lambda a, b: np.sqrt(np.square(a) + np.square(b)),
    "prod": lambda a, b: np.prod(a / (b + 200.0), axis=1),
    "tiny": lambda a, b: a * 1e-3 * b * 1e-3 * 1e3,
    "tanh": lambda a, b: np.tanh(a) * np.sin(b) + np.cos(a),
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", ON_MACHINES)
@quick
@given(left=arrays(shape=(3, 4)), right=arrays(shape=(3, 4)))
def test_bounds_cover_the_machine(name: str, machine: str, left: Any, right: Any) -> None:
    left, right = left.astype(machine), right.astype(machine)
    with rounding_like(machine):
        result = ON_MACHINES[name](Bounded(left), Bounded(right))
    computed = ON_MACHINES[name](left, right).astype(machine)  # some functions widen bfloat16
    assert result.dtype == machine
    gap = np.abs(computed.astype(np.float64) - result.value)
    assert np.all((gap <= result.error) | ~np.isfinite(result.error))


@pytest.mark.parametrize("name", ["sum", "mean", "matmul", "softmax", "norm", "tanh"])
def test_bounds_are_of_use(name: str) -> None:
    generator = np.random.default_rng(0)
    left, right = generator.standard_normal((2, 3, 4)).astype(np.float32)
    with rounding_like("float32"):
        result = ON_MACHINES[name](Bounded(left), Bounded(right))
    assert np.max(result.error) < 1e-3 * np.max(np.abs(result.value))


# Integers below the limit are exact.

integers = st.integers(-9, 9).map(float)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    "compute",
    [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: np.square(a),
        lambda a, b: np.sum(a * b),
        lambda a, b: np.cumsum(a),
        lambda a, b: np.prod(a[:2]),
        lambda a, b: np.einsum("i,i->", a, b),
        lambda a, b: np.matmul(a, b),
        lambda a, b: np.maximum(-a, np.absolute(b)),
        lambda a, b: np.max(a) - np.min(b),
        lambda a, b: np.floor(a) + np.rint(b) + np.sign(a),
        lambda a, b: (a * 6.0) / 3.0,
        lambda a, b: np.where(a > b, a, 0.0),
    ],
)
@quick
@given(left=arrays(integers), right=arrays(integers))
def test_integers_below_the_limit_are_exact(
    compute: Any, machine: str, left: Any, right: Any
) -> None:
    with rounding_like(machine):
        result = compute(Bounded(left, dtype=machine), Bounded(right, dtype=machine))
    assert result.is_exact
    np.testing.assert_array_equal(result.value, compute(left, right))


@pytest.mark.parametrize("machine", MACHINES)
def test_integers_at_the_limit_are_not_exact(machine: str) -> None:
    limit = PRECISIONS[machine].exact
    with rounding_like(machine):
        assert not (Bounded([limit - 1.0]) + Bounded([1.0])).is_exact
        assert (Bounded([limit - 2.0]) + Bounded([1.0])).is_exact
        assert not (Bounded([limit]) / Bounded([1.0])).is_exact


def test_quotients_are_exact_only_when_they_are_short() -> None:
    result = Bounded([6.0, 1.0, -8.0, 0.0, 3.0]) / Bounded([3.0, 3.0, 2.0, 5.0, 4.0])
    assert (result.error == 0).tolist() == [True, False, True, True, True]


@pytest.mark.parametrize("machine", [one for one in MACHINES if PRECISIONS[one].exact >= 2**11])
def test_halves_are_exact_as_long_as_they_are_small(machine: str) -> None:
    limit, halves = PRECISIONS[machine].exact, Bounded([0.5, -1.5, 2.0])
    with rounding_like(machine):
        for result in (halves + 0.25, halves * halves, np.sum(halves), np.floor(halves + 0.5)):
            assert result.is_exact
        assert not (halves + limit / 4).is_exact
        assert not (halves * 0.1).is_exact
        assert not np.prod(halves).is_exact


def test_numbers_of_a_narrow_dtype_are_rounded_to_it_by_every_operator() -> None:
    """Of exact products some elements are no multiples of a grain any more, others still are."""
    generator = np.random.default_rng(0)
    for _ in range(300):
        x = (generator.integers(1_000, 40_000, 1) / 1024).astype(np.float16)
        y = (generator.integers(1_000, 40_000, 3) / 1024).astype(np.float16)
        y[generator.integers(3)] = 1.0
        bounded = Bounded(x) * (Bounded(x) * Bounded(y))
        roots = np.sqrt(np.square(Bounded(x) * Bounded(y)))

        wide = x.astype(np.float32)
        for machine in (x * (x * y), (wide * (x * y).astype(np.float32)).astype(np.float16)):
            assert (np.abs(machine.astype(np.float64) - bounded.value) <= bounded.error).all()
        rounded = np.sqrt(np.square((x * y).astype(np.float32))).astype(np.float16)
        assert (np.abs(rounded.astype(np.float64) - roots.value) <= roots.error).all()


def test_only_what_has_been_rounded_to_a_narrow_dtype_gets_its_errors() -> None:
    third = Bounded(np.array([1 / 3, 0.1]), dtype=np.float32)
    assert ((third * third).error < 1e-15).all()
