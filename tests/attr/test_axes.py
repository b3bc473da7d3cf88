"""Numbers of axes after some are gone, or in another order: as NumPy numbers them."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from gsl import attr, pat
from gsl.attr.evaluate import evaluate
from gsl.attr.term import Symbol, Term
from gsl.check.sort import sort_of
from gsl.errors import EvaluationError, UndecidedError
from gsl.text.terms import term_text
from tests.attr.environment import NOTHING, Known

X = pat.Wildcard()


def value(term: Term) -> Any:
    return evaluate(term, NOTHING)


@pytest.mark.parametrize("rank", range(5))
def test_axes_that_are_left_are_those_of_the_reduced_tensor(rank: int) -> None:
    x = np.zeros(tuple(range(2, 2 + rank)))
    for count in range(rank + 1):
        for axes in combinations(range(rank), count):
            left = value(attr.axes_left(axes, rank))
            assert tuple(x.shape[axis] for axis in left) == x.sum(axis=axes).shape
            from_end = tuple(axis - rank for axis in axes)
            assert value(attr.axes_left(from_end, rank)) == left


@pytest.mark.parametrize("rank", range(5))
def test_an_inverse_undoes_a_transpose(rank: int) -> None:
    x = np.zeros(tuple(range(2, 2 + rank)))
    for order in permutations(range(rank)):
        back = value(attr.inverse(order))
        assert x.transpose(order).transpose(back).shape == x.shape
        assert value(attr.inverse(tuple(axis - rank for axis in order))) == back


@pytest.mark.parametrize("axes", [(0,), (-1,), (1, 0), (-2, 0), (0, 2), ()])
def test_renumbered_axes_are_the_same_axes_of_the_operand(axes: tuple[int, ...]) -> None:
    x = np.arange(2 * 3 * 5 * 7).reshape(2, 3, 5, 7)
    inner, order = (-3,), (2, 0, 3, 1)

    left = attr.axes_left(inner, x.ndim)
    both = inner + value(attr.renumbered(axes, left))
    assert np.array_equal(x.sum(axis=both), x.sum(axis=inner).sum(axis=axes))

    moved = value(attr.renumbered(axes, order))
    assert sorted(x.transpose(order).sum(axis=axes).shape) == sorted(x.sum(axis=moved).shape)


WITHOUT_VALUE = [
    attr.axes_left((2,), 2),
    attr.axes_left((-3,), 2),
    attr.axes_left((True,), 2),
    attr.axes_left(("a",), 2),
    attr.axes_left(1, 2),
    attr.axes_left((), -1),
    attr.axes_left((), 2.0),
    attr.axes_left((), 2**63),
    attr.inverse((0, 0)),
    attr.inverse((1, 2)),
    attr.inverse((0, -2)),
    attr.inverse(3),
    attr.renumbered((2,), (0, 1)),
]


@pytest.mark.parametrize("term", WITHOUT_VALUE)
def test_what_is_no_axis_has_no_value(term: Term) -> None:
    with pytest.raises(EvaluationError) as caught:
        value(term)
    assert not isinstance(caught.value, UndecidedError)


def test_axes_that_depend_on_a_size_are_undecided() -> None:
    size = Symbol("n")
    known = Known({(X, "shape"): (size, 2), (X, "ndim"): 2})
    for term in (
        attr.axes_left(attr.Tuple(X.shape[0]), 3),
        attr.axes_left((0,), X.shape[0]),
        attr.inverse(X.shape),
    ):
        with pytest.raises(UndecidedError, match="axes depend on an unknown size"):
            evaluate(term, known)
    assert evaluate(attr.axes_left((0,), X.ndim), known) == (1,)


def test_as_text_and_sort() -> None:
    left = attr.axes_left((0,), X.ndim)
    assert term_text(left, {X: "x"}) == "axes_left((0,), x.ndim)"
    assert sort_of(left) == sort_of(attr.inverse((0,))) == "tuple"
