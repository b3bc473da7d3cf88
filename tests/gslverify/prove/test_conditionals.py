"""Forms of terms with one value where a condition holds and another elsewhere."""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from functools import reduce
from typing import Any

import pytest

from gsl.attr.evaluate import negation
from gsl.attr.term import Symbol, Term, operation
from gslverify.prove.indices.conditions import joined
from gslverify.prove.indices.forms import Forms
from gslverify.prove.indices.replacing import put

A, B, C = (Symbol(name, low=1) for name in "abc")


def cond(condition: Any, then: Any, otherwise: Any) -> Term:
    return operation("cond", condition, then, otherwise)


def broadcast(left: Any, right: Any) -> Term:
    """The size that two sizes are broadcast to."""
    return cond(left == 1, right, left)


def test_an_index_that_is_broadcast_twice_is_broadcast_once() -> None:
    forms, index = Forms(), Symbol("i", low=0)
    once = cond(A == 1, 0, index)
    twice = cond(A == 1, 0, cond(broadcast(A, B) == 1, 0, index))
    assert forms.same(once, twice)
    assert not forms.same(once, cond(B == 1, 0, index))


def test_a_size_that_is_broadcast_with_1_stays_what_it_is() -> None:
    forms, size = Forms(), broadcast(A, B)
    assert forms.same(cond(size == 1, 1, size), size)
    assert forms.same(broadcast(size, 1), size)
    assert not forms.same(cond(size == 1, 2, size), size)
    assert not forms.same(cond(A == 1, 1, size), size)


def test_a_position_in_a_product_of_counts_is_0_where_this_is_1() -> None:
    forms, first, second = Forms(), Symbol("i", low=0), Symbol("j", low=0)
    forms.bound(first, A)
    forms.bound(second, B)
    position = first * B + second
    assert forms.same(cond(A * B == 1, 0, position), position)
    assert not forms.same(cond(A * B == 2, 0, position), position)
    assert not forms.same(cond(A * C == 1, 0, position), position)


def test_numbers_whose_product_is_1_need_not_be_1() -> None:
    forms, real, whole = Forms(), Symbol("x", "real", low=0), Symbol("n")
    for one in (real, whole):
        assert not forms.same(cond(one * A == 1, 1, A), A)


def test_a_size_of_a_long_broadcast_is_1_where_all_are() -> None:
    forms = Forms()
    sizes = [Symbol(f"n{number}", low=1) for number in range(40)]
    one_way = reduce(broadcast, sizes) == 1
    other_way = reduce(broadcast, sizes[::-1]) == 1
    assert forms.condition(one_way) == forms.condition(other_way)
    assert forms.condition(negation(one_way)) == forms.condition(negation(other_way))
    assert forms.condition(one_way) != forms.condition(reduce(broadcast, sizes[1:]) == 1)


@pytest.mark.parametrize("value", [0, 1, 2])
def test_equations_of_choices_mean_what_they_say(value: int) -> None:
    """All choices of two conditions among small values, against their values."""
    forms = Forms()
    options = [A, B, 1, 2]
    terms = [
        cond(condition, then, otherwise) == value
        for condition in (A == 1, negation(B == 1), A == B)
        for then, otherwise in itertools.product(options, repeat=2)
    ]
    by_form: dict[Hashable, list[Term]] = {}
    for term in terms:
        by_form.setdefault(forms.condition(term), []).append(term)
    for form, same in by_form.items():
        sizes = [
            dict(zip((A, B), pair, strict=True)) for pair in itertools.product((1, 2, 3), repeat=2)
        ]
        tables = {tuple(put(term, one) for one in sizes) for term in same}
        assert len(tables) == 1, f"{form}: {same}"
        if isinstance(form, bool):
            assert set(*tables) == {form}


@pytest.mark.parametrize(("inner", "outer"), [("and", "or"), ("or", "and")])
def test_what_another_part_needs_already_is_left_out(inner: str, outer: str) -> None:
    p, q, r = "p", "q", "r"
    assert joined(outer, [p, joined(inner, [p, q])]) == p
    assert joined(outer, [joined(inner, [p, q, r]), joined(inner, [p, q])]) == (
        inner,
        frozenset([p, q]),
    )
    assert joined(outer, [p, joined(outer, [q, r])]) == (outer, frozenset([p, q, r]))
    assert joined(outer, [p, joined(inner, [q, r])]) != p
