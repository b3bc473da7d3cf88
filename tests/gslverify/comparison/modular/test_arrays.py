"""Arrays of residues: what is exact, what is a law, and what is a function of its own."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from gsl.operators.elementwise import ERF, erf
from gslverify.comparison.modular import Modular, OutsideError
from gslverify.comparison.modular.array import lifted
from tests.gslverify.comparison.modular.residues import field, numbers, residues, same, unknowns

VALUES = np.array([[1, -2, 3, 5], [7, 4, -6, 8], [9, 2, -1, 3]])
OTHER = np.array([[2, 3, -4, 1], [5, -1, 2, 2], [1, 6, 7, -3]])


def exact(array: Any) -> Any:
    """Return an array of fractions."""
    return np.vectorize(Fraction, otypes=[object])(np.asarray(array))


# Rational functions.

RATIONAL = [
    lambda a, b: a + b,
    lambda a, b: a - b * 3,
    lambda a, b: 2 - a,
    lambda a, b: a * b + 1,
    lambda a, b: a / b,
    lambda a, b: (a + b) / (a * a + 1) - 1 / b,
    lambda a, b: -a,
    lambda a, b: np.square(a) - b,
    lambda a, b: np.matmul(a, np.transpose(b)),
    lambda a, b: np.sum(a * b, axis=1),
    lambda a, b: np.sum(a, axis=(0, 1), keepdims=True) / b,
    lambda a, b: np.cumsum(a, 1),
    lambda a, b: np.prod(b, axis=0),
    lambda a, b: np.prod(b, axis=1, keepdims=True) * a,
    lambda a, b: np.concatenate([a, b], 1),
    lambda a, b: np.stack([a, a * b], -1),
    lambda a, b: np.reshape(a, (4, 3)),
    lambda a, b: np.flip(np.expand_dims(a, 0), 2)[0] - b,
    lambda a, b: np.repeat(np.tile(a, (2, 1)), 2, 1),
    lambda a, b: np.take(a, np.array([2, 0]), 1),
    lambda a, b: np.broadcast_to(a, (2, 3, 4)),
    lambda a, b: np.squeeze(a[:1], 0) + b,
    lambda a, b: np.where(np.eye(3, 4, dtype=bool), a, b),
    lambda a, b: np.where(np.eye(3, 4, dtype=bool), a, 0),
]


@pytest.mark.parametrize("compute", RATIONAL)
def test_rational_functions_are_exact(compute: Any) -> None:
    where = field()
    result = compute(numbers(VALUES, where), numbers(OTHER, where))
    expected = compute(exact(VALUES), exact(OTHER))
    np.testing.assert_array_equal(result.value, residues(expected))


def test_means_pads_and_einsums_are_exact() -> None:
    where = field()
    data, other = numbers(VALUES, where), numbers(OTHER, where)
    mean = np.mean(data, axis=1)
    expected = [Fraction(int(sum(row)), 4) for row in VALUES]
    np.testing.assert_array_equal(mean.value, residues(expected))
    padded = np.pad(data, [(1, 0), (0, 2)], constant_values=-0.5)
    around = np.pad(exact(VALUES), [(1, 0), (0, 2)], constant_values=Fraction(-1, 2))
    np.testing.assert_array_equal(padded.value, residues(around))
    product = np.einsum("ij,kj->ik", data, other)
    np.testing.assert_array_equal(product.value, residues(VALUES @ OTHER.T))


def test_large_products_do_not_overflow() -> None:
    where = field()
    left, right = unknowns((2, 300), where), unknowns((300, 2), where)
    product = np.matmul(left, right)
    expected = left.value.astype(object) @ right.value.astype(object)
    np.testing.assert_array_equal(product.value, residues(expected))


# Degrees.

DEGREES = [
    (lambda a, b: a + b, (1, 0)),
    (lambda a, b: a * b, (2, 0)),
    (lambda a, b: a * 3.0, (1, 0)),
    (lambda a, b: a / b, (1, 1)),
    (lambda a, b: a / b + b, (2, 1)),
    (lambda a, b: a / b - b / a, (2, 2)),
    (lambda a, b: np.sum(a / b, axis=1), (4, 4)),
    (lambda a, b: np.prod(a, axis=1), (4, 0)),
    (lambda a, b: np.matmul(a, np.transpose(b)), (2, 0)),
    (lambda a, b: np.concatenate([a * b, a / b], 0), (2, 1)),
]


@pytest.mark.parametrize(("compute", "degree"), DEGREES)
def test_degrees(compute: Any, degree: tuple[int, int]) -> None:
    where = field()
    assert compute(unknowns((3, 4), where), unknowns((3, 4), where)).degree == degree


# Laws that are used.

LAWS = {
    "exp of a sum": lambda x, y: (np.exp(x + y), np.exp(x) * np.exp(y)),
    "exp of a difference": lambda x, y: (np.exp(x - y), np.exp(x) / np.exp(y)),
    "exp of a half": lambda x, y: (np.exp(x), np.square(np.exp(x * 0.5))),
    "exp of a quotient": lambda x, y: (np.exp(x), np.square(np.exp(x / 2.0))),
    "exp of 0": lambda x, y: (np.exp(x - x), x / x),
    "tanh and exp": lambda x, y: (1 / (1 + np.exp(-x)), (np.tanh(x * 0.5) + 1) * 0.5),
    "exp after a movement": lambda x, y: (
        np.exp(np.flip(x, 0) + np.concatenate([y[1:], y[:1]], 0)),
        np.flip(np.exp(x), 0) * np.exp(np.concatenate([y[1:], y[:1]], 0)),
    ),
    "maximum commutes": lambda x, y: (np.maximum(x, y), np.maximum(y, x)),
    "maximum is idempotent": lambda x, y: (np.maximum(x, x), x),
    "minimum by maximum": lambda x, y: (np.minimum(-x, -y), -np.maximum(x, y)),
    "extremum of two": lambda x, y: (np.max(np.stack([x, y], 0), axis=0), np.maximum(x, y)),
    "extremum of one": lambda x, y: (np.max(x[None], axis=0), x),
    "extremum in any order": lambda x, y: (np.max(np.flip(x, 0), axis=0), np.max(x, axis=0)),
    "smallest by largest": lambda x, y: (np.min(x, axis=1), -np.max(-x, axis=1)),
    "absolute of negative": lambda x, y: (np.abs(x), np.abs(-x)),
    "less and greater": lambda x, y: (np.less(x, y), np.greater(y, x)),
    "not less": lambda x, y: (np.logical_not(np.less(x, y)), np.greater_equal(x, y)),
    "not greater": lambda x, y: (np.logical_not(np.greater(x, y)), np.less_equal(x, y)),
    "equal commutes": lambda x, y: (np.equal(x, y), np.logical_not(np.not_equal(y, x))),
    "less than itself": lambda x, y: (np.less(x, x), np.not_equal(x, x)),
    "de Morgan": lambda x, y: (
        np.logical_not(np.logical_and(x > y, x > 1)),
        np.logical_or(np.logical_not(x > y), np.logical_not(x > 1)),
    ),
    "both of one": lambda x, y: (np.logical_and(x > y, x > y), x > y),
    "choice of the opposite": lambda x, y: (
        np.where(x > y, x, y),
        np.where(np.logical_not(x > y), y, x),
    ),
    "choice of one": lambda x, y: (np.where(x > y, x, x), x),
    "erf is a function": lambda x, y: (erf(x + y - y), erf(x)),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS.keys())
def test_laws_hold(law: Any) -> None:
    where = field()
    one, other = law(unknowns((3, 2), where), unknowns((3, 2), where))
    assert same(one, other)


# What must not look the same: each would be a wrong PASS.

FALSE_LAWS = {
    "exp is not linear": lambda x, y: (np.exp(x * y), np.exp(x) * np.exp(y)),
    "exp of a multiple": lambda x, y: (np.exp(x * 2.0), np.exp(x) * 2.0),
    "exp of another": lambda x, y: (np.exp(x), np.exp(y)),
    "maximum is no sum": lambda x, y: (np.maximum(x, y), x + y),
    "maximum is no minimum": lambda x, y: (np.maximum(x, y), np.minimum(x, y)),
    "relu is no absolute": lambda x, y: (np.maximum(x, 0), np.abs(x)),
    "root of a square": lambda x, y: (np.sqrt(np.square(x)), x),
    "less is strict": lambda x, y: (np.less(x, y), np.less_equal(x, y)),
    "less has an order": lambda x, y: (np.less(x, y), np.less(y, x)),
    "and is not or": lambda x, y: (
        np.logical_and(x > y, x > 1),
        np.logical_or(x > y, x > 1),
    ),
    "place of the largest": lambda x, y: (np.argmax(x, axis=0), np.argmax(np.flip(x, 0), axis=0)),
    "largest and smallest place": lambda x, y: (np.argmax(x, axis=0), np.argmin(x, axis=0)),
    "largest of another axis": lambda x, y: (np.max(x, axis=0), np.max(x, axis=1)[:2]),
    "rounding": lambda x, y: (np.floor(x), np.rint(x)),
    "power has an order": lambda x, y: (np.power(x, y), np.power(y, x)),
    "nearly one": lambda x, y: (x, x * (1.0 + 2.0**-50)),
    "rounded to half": lambda x, y: (x.astype("float16").astype("float64"), x),
    "cut off": lambda x, y: (x.astype("int32").astype("float64"), x),
}


@pytest.mark.parametrize("law", FALSE_LAWS.values(), ids=FALSE_LAWS.keys())
def test_what_differs_looks_different(law: Any) -> None:
    where = field()
    one, other = law(unknowns((3, 2), where), unknowns((3, 2), where))
    assert not same(one, other)


# Dtypes.


def test_integers_wrap_as_sums_and_products_allow() -> None:
    where = field()
    x = unknowns((4,), where, "int32")
    assert same(x.astype("int8") * 2, (x * 2).astype("int8"))
    assert not same(x.astype("int64"), x)
    assert not same(x.astype("float32"), x)
    assert not same(np.maximum(x, 0), np.maximum(x.astype("int8"), 0))


def test_wider_floats_keep_numbers_and_truth_values_are_0_and_1() -> None:
    where = field()
    x = unknowns((4,), where, "float16")
    assert same(x.astype("float64"), x)
    assert x.astype("float64").dtype == np.float64
    flag = x > 0
    assert flag.dtype == bool
    assert same(np.where(flag, x, 0), flag.astype("float16") * x)
    assert same(x.astype("bool"), np.not_equal(x, 0))


def test_filled_arrays_are_constants() -> None:
    x = unknowns((2, 3), field(), "float32")
    for filled, value in (
        (np.zeros_like(x), 0),
        (np.ones_like(x), 1),
        (np.full_like(x, 5, dtype="int8"), 5),
    ):
        assert isinstance(filled, Modular)
        np.testing.assert_array_equal(filled.value, value)
        assert filled.degree == (0, 0)


# What is not followed is said.

OUTSIDE = [
    lambda x: np.arctan2(x, x),
    lambda x: np.sort(x),
    lambda x: np.take(np.arange(5.0), x),
    lambda x: np.take(x, x),
    lambda x: np.asarray(x),
    lambda x: x + np.inf,
    lambda x: np.pad(x, 1, "edge"),
    lambda x: np.add.reduce(x),
]


@pytest.mark.parametrize("compute", OUTSIDE)
def test_what_is_not_followed_raises(compute: Any) -> None:
    with pytest.raises(OutsideError):
        compute(unknowns((3,), field()))


def test_linear_parts_have_a_limit() -> None:
    where = field()
    assert lifted(0.5, where).exponent is not None
    assert lifted(0.1, where).exponent is None
    assert lifted(2.0**30, where).exponent is None
    assert ERF(unknowns((2,), where)).exponent is not None
    assert "degree" in repr(unknowns((1,), where))
    assert len(unknowns((3, 2), where)) == 3
