"""Terms in place of symbols: the value is that of evaluating, the rest stays the same object."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsl.attr.evaluate import choose, equal
from gsl.attr.term import Operation, Symbol, Term, TupleOf, operation
from gsl.errors import EvaluationError
from gslverify.prove.indices.replacing import put

P, Q = Symbol("i", low=0), Symbol("j", low=0)
M, N = Symbol("m", low=1), Symbol("n", low=1)


@pytest.mark.parametrize(
    ("term", "mapping", "value"),
    [
        (P + 2 * M, {P: 3, M: 4}, 11),
        (P // M, {P: 7, M: 2}, 3),
        (P % M, {P: 7, M: 2}, 1),
        (P < M, {P: 1, M: 2}, True),
        (equal(P, M), {P: 1, M: 2}, False),
        (operation("and", P < M, M < N), {P: 1, M: 2}, None),
        (choose(P < M, P, M), {P: 5, M: 2}, 2),
        (choose(equal(M, 0), 0, P // M), {P: 5, M: 0}, 0),
        (operation("max", P, M), {P: 5, M: 2}, 5),
        (operation("neg", P), {P: 5}, -5),
        (7, {P: 1}, 7),
        (operation("+", 3, 4), {P: 1}, 7),
    ],
)
def test_known_symbols_become_numbers(term: Any, mapping: Any, value: Any) -> None:
    found = put(term, mapping)

    assert isinstance(found, Term) if value is None else found == value


@pytest.mark.parametrize("term", [P + 1, (P < M) & (M < N), P])
def test_what_has_none_of_the_symbols_stays_the_same_object(term: Term) -> None:
    assert put(term, {Q: N}) is term
    assert put(term, {}) is term


def test_parts_without_the_symbols_stay_the_same_objects() -> None:
    same = M * N

    found = put(same + P, {P: Q + 1})

    assert isinstance(found, Operation)
    assert found.operands[0] is same


def test_all_symbols_are_replaced_at_once() -> None:
    found = put(P - Q, {P: Q, Q: P})

    assert isinstance(found, Operation)
    assert [operand is one for operand, one in zip(found.operands, (Q, P), strict=True)] == [
        True,
        True,
    ]


def test_what_is_no_index_arithmetic_has_its_parts_replaced_too() -> None:
    assert put(TupleOf((P, M)), {P: 2, M: 3}) == (2, 3)


def test_a_division_by_zero_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="division by zero"):
        put(P // M, {P: 1, M: 0})


@given(st.lists(st.sampled_from(["+", "-", "*", "min", "max", "<", "=="]), max_size=5), st.data())
def test_replacing_in_two_steps_is_replacing_at_once(heads: list[str], data: Any) -> None:
    term: Any = P
    for head in heads:
        other = data.draw(st.sampled_from([P, Q, M, 2]))
        term = (
            choose(operation(head, term, other), P, Q)
            if head in "<=="
            else operation(head, term, other)
        )
    numbers = {P: data.draw(st.integers(0, 4)), Q: data.draw(st.integers(0, 4)), M: 3}

    first = put(term, {P: numbers[P]})

    assert put(first, numbers) == put(term, numbers)
