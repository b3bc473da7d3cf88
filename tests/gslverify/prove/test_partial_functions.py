"""Functions that have no value everywhere, of more elements than the source has them of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat, rule
from tests.gslverify.prove.proving import is_proved_rule

pytestmark = pytest.mark.smt


def before_split(function: Callable[..., Any]) -> Subst:
    x = pat.Wildcard()
    halves = op.Split(x)
    one = function(halves[0])
    return Subst(one, op.Split(function(x), **pat.same_attr(halves))[0])


def before_slice(function: Callable[..., Any]) -> Subst:
    x = pat.Wildcard()
    part = op.StridedSlice(x)
    return Subst(function(part), op.StridedSlice(function(x), **pat.same_attr(part)))


def before_take() -> Subst:
    x, places = pat.Wildcard(), pat.Wildcard()
    rows = op.Take(x, places)
    return Subst(converted(rows), op.Take(converted(x), places, **pat.same_attr(rows)))


def converted(x: Any) -> Any:
    return op.Cast(x, dtype="int32")


@pytest.mark.parametrize("write", [before_split, before_slice])
@pytest.mark.parametrize("function", [op.Sqrt, op.Acos, converted], ids=["Sqrt", "Acos", "Cast"])
def test_numbers_without_a_root_that_nothing_reads_do_not_matter(
    function: Callable[..., Any], write: Callable[..., Subst]
) -> None:
    assert is_proved_rule(rule(lambda: write(function)))


def test_what_is_doubled_sixty_times_is_looked_at_once() -> None:
    def doubled() -> Subst:
        x = pat.Wildcard(dtype="float32", ndim=1)
        halves = op.Split(x, indices_or_sections=2)
        one, other = op.Sqrt(halves[0]), op.Split(op.Sqrt(x), **pat.same_attr(halves))[0]
        for _ in range(60):
            one, other = one + one, other + other
        return Subst(one, other)

    assert is_proved_rule(rule(doubled))


def test_numbers_that_are_not_taken_need_not_be_converted() -> None:
    assert is_proved_rule(rule(before_take))


def with_nothing_of_the_rest(function: Callable[..., Any]) -> Subst:
    x = pat.Wildcard(dtype="float32", ndim=1)
    halves = op.Split(x, indices_or_sections=2)
    rest = op.Maximum(function(halves[1]), 0) * 0
    return Subst(function(halves[0]), function(halves[0]) + rest)


def test_nothing_of_a_number_without_a_root_is_not_nothing() -> None:
    assert not is_proved_rule(rule(lambda: with_nothing_of_the_rest(op.Sqrt)))
    assert is_proved_rule(rule(lambda: with_nothing_of_the_rest(op.Sin)))
    assert is_proved_rule(rule(lambda: with_nothing_of_the_rest(converted)))


def remainder_before_split() -> Subst:
    """A division of integers by 0 stops a program, whoever reads the result."""
    x, y = pat.Wildcard(), pat.Wildcard()
    one, other = op.Split(x), op.Split(y)
    quotient = op.FloorDivide(one[0], other[0])
    target = op.Split(op.FloorDivide(x, y), **pat.same_attr(one))[0]
    return Subst(quotient, target, where=[x.dtype == "int32", x.ndim == 1])


def test_integers_must_not_be_divided_by_zeros_that_nothing_reads() -> None:
    assert not is_proved_rule(rule(remainder_before_split))
