"""Functions that keep 0 move inside of selections, and of nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from gsl.attr.term import Symbol
from gsl.kernel.expression import Expression, Number, Read
from gsl.kernel.meaning import apply, total
from gslverify.prove.values.algebra import single
from gslverify.prove.values.selecting import moved_inside
from gslverify.prove.values.values import Value
from tests.gslverify.prove.test_normal import N, P, normaliser, value_at

pytestmark = pytest.mark.smt

Q = Symbol("j", low=0)


def read(tensor: str, place: Any) -> Expression:
    return Read(tensor, (place,))


def chosen(index: Expression, place: Any) -> Expression:
    return apply("==", index, Number(place))


def looked_up(index: str) -> Expression:
    """Return the element of x at the place that an element of another tensor says."""
    return total((N,), lambda s: apply("*", chosen(read(index, P), s), read("x", s)))


def moved(expression: Expression, head: str) -> tuple[Value, Value | None]:
    """Return a function of an expression, and what it is moved inside."""
    own = normaliser(False)
    ((guards, value),) = own.cases(expression)
    assert guards == ()
    outside = single(own.algebra.factor(head, value))
    function = lambda one: single(own.algebra.factor(head, one))  # noqa: E731
    return outside, moved_inside(value, function, own.algebra)


@pytest.mark.parametrize("index", ["b", "x"], ids=["inside", "outside"])
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("head", ["tanh", "abs", "erf"])
def test_a_function_of_what_is_looked_up_has_the_same_value_inside(
    index: str, place: int, head: str
) -> None:
    outside, inside = moved(looked_up(index), head)

    assert inside is not None
    point = {P: place, N: 3}
    assert value_at(inside, point) == pytest.approx(value_at(outside, point))


def test_what_does_not_keep_zero_would_change_where_nothing_is_looked_up() -> None:
    outside, inside = moved(looked_up("x"), "exp")

    assert inside is not None
    assert value_at(outside, {P: 0, N: 3}) == 1
    assert value_at(inside, {P: 0, N: 3}) == 0


@pytest.mark.parametrize(
    "expression",
    [
        total((N,), lambda s: read("x", s)),
        total((N,), lambda s: apply("*", chosen(read("b", s), s), read("x", s))),
        total((N,), lambda s: apply("*", chosen(read("b", s), 1), read("x", s))),
        total((N,), lambda s: apply("*", chosen(read("b", P), s // 2), read("x", s))),
        total((N,), lambda s: apply("*", chosen(apply("abs", read("b", P)), s), read("x", s))),
        total((N, N), lambda s, t: apply("*", chosen(read("b", P), s), read("x", t))),
        apply("+", looked_up("b"), read("y", P)),
        apply("*", looked_up("b"), Number(2)),
        total((N,), lambda s: apply("/", chosen(read("b", P), s), read("x", s))),
        read("x", P),
    ],
)
def test_sums_of_more_than_one_term_stay_as_they_are(expression: Expression) -> None:
    assert moved(expression, "tanh")[1] is None
