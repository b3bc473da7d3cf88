"""Conditions taken apart, and terms with parts exchanged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsl import attr, pat
from gsl.attr.conjuncts import MOST_UNROLLED, conjuncts, disjuncts, rebuilt, substitute
from gsl.attr.evaluate import conjunction, disjunction, evaluate
from gsl.attr.term import Access, Constant, Symbol, Term, as_term
from gsl.errors import EvaluationError
from tests.attr.environment import Known
from tests.attr.random_terms import CONDITIONS, PATTERN, VALUES, WHOLE

a, b, c = Symbol("a"), Symbol("b"), Symbol("c")


def test_conjunctions_are_opened_in_order() -> None:
    assert list(map(id, conjuncts((a & b) & c))) == list(map(id, (a, b, c)))
    assert list(map(id, disjuncts(a | (b | c)))) == list(map(id, (a, b, c)))
    assert len(list(conjuncts(a | b))) == len(list(disjuncts(a & b))) == 1


def test_short_known_ranges_are_opened() -> None:
    sizes = pat.Wildcard().shape

    parts = list(conjuncts(attr.All(lambda i: sizes[i] == i, length=3)))

    assert [part.operands[1].value for part in parts] == [0, 1, 2]


@pytest.mark.parametrize("length", [MOST_UNROLLED + 1, pat.Wildcard().ndim])
def test_long_or_unknown_ranges_stay(length: Any) -> None:
    term = attr.All(lambda i: i < 9, length=length)

    (part,) = conjuncts(term)

    assert part is term


def value(term: Term, values: dict[str, Any], symbols: Any = None) -> Any:
    known = Known({(PATTERN, name): one for name, one in values.items()}, symbols or {})
    try:
        return evaluate(term, known)
    except EvaluationError:
        return None


@settings(max_examples=200, deadline=None)
@given(CONDITIONS, VALUES)
def test_parts_together_say_what_the_whole_says(term: Term, values: dict[str, Any]) -> None:
    whole = value(term, values)
    parts = [value(part, values) for part in conjuncts(term)]
    options = [value(part, values) for part in disjuncts(term)]

    assert (whole is True) is all(part is True for part in parts)
    if None not in (whole, *parts, *options):
        assert conjunction(*parts) is disjunction(*options) is whole


@settings(max_examples=100, deadline=None)
@given(WHOLE, VALUES, st.integers(-3, 3))
def test_substitution_is_evaluation_with_a_known_symbol(
    term: Term, values: dict[str, Any], number: int
) -> None:
    symbol = Symbol("n")
    opened = rebuilt(term, lambda part: symbol if is_whole(part) else None)
    closed = substitute(opened, symbol, Constant(number))

    assert value(closed, values) == value(term, {**values, "whole": number})
    assert value(opened, values, {symbol: number}) == value(closed, values)


def is_whole(part: Term) -> bool:
    return isinstance(part, Access) and part.name == "whole"


def test_what_does_not_change_is_the_very_same_object() -> None:
    untouched = as_term((b * 2, (c, 1)))
    term = attr.Tuple(a + 1, untouched)

    changed = substitute(term, a, Constant(5))

    assert substitute(term, Symbol("a"), Constant(5)) is term
    assert changed.fields[1] is untouched
    assert evaluate(changed.fields[0], Known()) == 6
