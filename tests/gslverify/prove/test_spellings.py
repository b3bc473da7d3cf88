"""One condition or number written in several ways: proofs do not depend on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat, rule
from gsl.pat import Pattern
from tests.gslverify.prove.proving import is_proved_rule

pytestmark = pytest.mark.smt


def scalar() -> tuple[Pattern, Pattern]:
    return pat.Wildcard(), pat.Const(shape=())


def padded_function(function: Any, value: Any) -> Subst:
    x = pat.Wildcard()
    padded = op.Pad(x)
    target = op.Pad(function(x), **pat.same_attr(padded))
    return Subst(function(padded), target, where=[padded.pad_value == value])


def power(value: float) -> Subst:
    x, c = scalar()
    return Subst(op.Power(x, c), x * x, where=[c.value == value])


def product(value: float) -> Subst:
    x, c = scalar()
    return Subst(x * c, x, where=[c.value == value])


def root(value: float) -> Subst:
    x, c = scalar()
    return Subst(op.Power(x, c), op.Sqrt(x), where=[c.value == value])


def quotient_by_root() -> Subst:
    n, b = pat.Wildcard(), pat.Wildcard()
    return Subst(n / op.Sqrt(b), n * op.Rsqrt(b))


def one_by_root() -> Subst:
    b = pat.Wildcard()
    return Subst(1 / op.Sqrt(b), op.Rsqrt(b))


def elu(value: float) -> Subst:
    x = pat.Wildcard()
    bent = op.Elu(x)
    return Subst(op.Relu(bent), op.Relu(x), where=[bent.alpha == value])


RIGHT: list[Callable[[], Subst]] = [
    lambda: padded_function(op.Relu, 0),
    lambda: padded_function(op.Relu, 0.0),
    lambda: padded_function(op.Tanh, 0),
    lambda: padded_function(op.Negative, 0.0),
    lambda: power(2),
    lambda: power(2.0),
    lambda: product(1),
    lambda: product(1.0),
    lambda: root(0.5),
    quotient_by_root,
    one_by_root,
    lambda: elu(1),
    lambda: elu(0.5),
]


@pytest.mark.parametrize("write", RIGHT)
def test_every_spelling_is_proved(write: Callable[[], Subst]) -> None:
    assert is_proved_rule(rule(write))


WRONG: list[Callable[[], Subst]] = [
    lambda: padded_function(op.Negative, 1),
    lambda: padded_function(op.Exp, 0),
    lambda: padded_function(op.Cos, 0.0),
    lambda: power(3),
    lambda: product(2.0),
    lambda: root(2),
    lambda: elu(-1),
]


@pytest.mark.parametrize("write", WRONG)
def test_no_other_number_is_proved(write: Callable[[], Subst]) -> None:
    assert not is_proved_rule(rule(write))
