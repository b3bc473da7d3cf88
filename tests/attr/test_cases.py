"""What may be one of a few values is computed for each of them, and never for another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsl import attr
from gsl.attr.cases import MOST_CASES, Cases, cases_of, decided
from gsl.attr.evaluate import evaluate, evaluate_in_cases
from gsl.attr.memory import Memory
from gsl.attr.term import Symbol, Term, as_term, operation
from gsl.errors import EvaluationError, UndecidedError
from tests.attr.environment import Known, Open

s, n = Symbol("s"), Symbol("n", low=0)


def held(cases: Cases, **symbols: int) -> list[Any]:
    """Return the values whose conditions hold."""
    known = Known(symbols={s: symbols["s"], n: symbols["n"]})
    return [value for value, one in cases.items() if evaluate(as_term(one), known) is True]


FEW = [
    (attr.Cond(s == 1, 0, 2), {0, 2}),
    (attr.Cond(s == 1, 0, attr.Cond(n == 1, 1, 2)), {0, 1, 2}),
    (3 - attr.Cond(s == 1, 0, 2), {3, 1}),
    (attr.Min(attr.Cond(s == 1, 0, 3), attr.Cond(n == 1, 1, 3)), {0, 1, 3}),
    (attr.Min(n, 3), {0, 1, 2, 3}),
    (attr.Max(attr.Min(s, 2), -1) + 1, {0, 1, 2, 3}),
    (s % 3, {0, 1, 2}),
    (attr.Cond(s == 1, 7, 5) // 2, {3, 2}),
    (-attr.Cond(s == 1, 7, 5), {-7, -5}),
]


@pytest.mark.parametrize(("term", "values"), FEW, ids=[str(v) for _, v in FEW])
def test_the_values_that_a_term_may_have(term: Term, values: set[int]) -> None:
    cases = cases_of(term)

    assert cases is not None
    assert set(cases) == values
    for one in range(-4, 5):
        for other in range(5):
            expected = evaluate(term, Known(symbols={s: one, n: other}))
            assert held(cases, s=one, n=other) == [expected]


@pytest.mark.parametrize(
    "term",
    [
        s,
        attr.Min(s, 3),  # may be any negative number
        attr.Min(n, MOST_CASES),
        attr.Max(attr.Min(Symbol("r", "real"), 3), 0),  # between integers
        attr.Cond(s == 1, n, 2),
        attr.Cond(s == 1, 0.5, 2),
        attr.Cond(s == 1, "NCHW", "NHWC"),
        1 // attr.Cond(s == 1, 0, 1),  # may have no value
        s % n,
    ],
)
def test_terms_that_may_be_too_much(term: Term) -> None:
    assert cases_of(term) is None
    with pytest.raises(UndecidedError, match="of this"):
        decided(term, lambda cases: pytest.fail("nothing can be asked"), "of this")


LEAVES = st.sampled_from([s, n]) | st.integers(-4, 4).map(as_term)
TERMS = st.recursive(
    st.integers(-2, 3).map(as_term),
    lambda parts: (
        st.builds(
            operation,
            st.sampled_from(["+", "-", "*", "min", "max", "//", "%"]),
            parts,
            parts,
        )
        | st.builds(lambda a, b, x, y: attr.Cond(a < b, x, y), LEAVES, LEAVES, parts, parts)
        | st.builds(lambda leaf, low: attr.Max(attr.Min(leaf, low + 3), low), LEAVES, parts)
    ),
    max_leaves=8,
)


@given(TERMS, st.integers(-5, 5), st.integers(0, 5))
@settings(max_examples=300, deadline=None)
def test_exactly_one_case_holds(term: Term, first: int, second: int) -> None:
    try:
        expected = [evaluate(term, Known(symbols={s: first, n: second}))]
        value = evaluate(term, Open())
    except EvaluationError:  # a divisor is 0
        return
    cases = {value: True} if not isinstance(value, Term) else cases_of(value)

    if cases is not None:
        assert held(cases, s=first, n=second) == expected


def every_value(term: Term) -> dict[Any, Any]:
    """Return the value of a term for every case of what has to be known first."""
    asked: list[Cases] = []

    def first(cases: Cases) -> Any:
        asked.append(cases)
        return next(iter(cases))

    def always(one: Any) -> Any:
        return evaluate_in_cases(term, Open(), Memory(), lambda cases: one)

    evaluate_in_cases(term, Open(), Memory(), first)
    return {one: always(one) for one in asked[0]}


FEW_FIELDS = attr.Cond(s == 1, 1, 3)

STRUCTURES: list[tuple[str, Callable[[], Any], dict[Any, Any]]] = [
    ("length", lambda: attr.Variadic(lambda k: k, length=FEW_FIELDS), {1: (0,), 3: (0, 1, 2)}),
    ("sum", lambda: attr.Sum(lambda k: k, length=FEW_FIELDS), {1: 0, 3: 3}),
    ("bounds", lambda: as_term((4, 5, 6, 7))[FEW_FIELDS:], {1: (5, 6, 7), 3: (7,)}),
    ("axes", lambda: attr.axes_left(attr.Tuple(FEW_FIELDS), 4), {1: (0, 2, 3), 3: (0, 1, 2)}),
    ("tuples", lambda: attr.Cond(s == 1, (1,), (1, 2)), {True: (1,), False: (1, 2)}),
]


@pytest.mark.parametrize(
    ("build", "expected"), [c[1:] for c in STRUCTURES], ids=[c[0] for c in STRUCTURES]
)
def test_structures_are_computed_in_every_case(
    build: Callable[[], Any], expected: dict[Any, Any]
) -> None:
    with pytest.raises(UndecidedError):
        evaluate(build(), Open())
    assert every_value(build()) == expected


def test_what_was_decided_is_not_asked_again() -> None:
    asked: list[Cases] = []

    def pick(cases: Cases) -> Any:
        asked.append(cases)
        return 3

    whole = attr.Sum(lambda k: k, length=FEW_FIELDS) + attr.Product(lambda k: 2, length=FEW_FIELDS)

    assert evaluate_in_cases(whole, Open(), Memory(), pick) == 11
    assert len(asked) == 1


def test_a_number_of_a_field_is_asked_for_each_of_them() -> None:
    nested = attr.Sum(lambda i: attr.Sum(lambda j: 1, length=attr.Cond(s == 1, i, 2)), length=3)
    asked: list[Cases] = []

    def last(cases: Cases) -> Any:
        asked.append(cases)
        return list(cases)[-1]

    assert evaluate_in_cases(nested, Open(), Memory(), last) == 6
    assert [set(cases) for cases in asked] == [{0, 2}, {1, 2}]  # in the last field both are 2


INDEX = attr.Cond(s == 1, -2, attr.Cond(s == 2, 5, 0))


def test_an_unknown_index_counts_from_the_end_and_has_no_value_outside() -> None:
    whole = attr.Tuple(n, 7)[INDEX]
    half = evaluate(whole, Open())

    assert evaluate(half, Known(symbols={s: 1, n: 4})) == 4
    assert evaluate(half, Known(symbols={s: 3, n: 4})) == 4
    with pytest.raises(EvaluationError):
        evaluate(half, Known(symbols={s: 2, n: 4}))


@pytest.mark.parametrize("index", range(-4, 4))
def test_any_index_means_what_it_means_when_it_is_known(index: int) -> None:
    half = evaluate(as_term((5, 6, 7))[s], Open())
    known = Known(symbols={s: index})

    if -3 <= index < 3:
        assert evaluate(half, known) == (5, 6, 7)[index]
    else:
        with pytest.raises(EvaluationError):
            evaluate(half, known)


def test_truth_values_have_no_value_outside_either() -> None:
    half = evaluate(as_term((True, False))[s], Open())

    assert evaluate(half, Known(symbols={s: -2})) is True
    with pytest.raises(EvaluationError):
        evaluate(half, Known(symbols={s: 2}))
