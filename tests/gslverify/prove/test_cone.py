"""What a question depends on, and which questions are one."""

from __future__ import annotations

import pytest

from gsl.attr.term import Symbol, Term, operation
from gslverify.prove.indices.cone import cone_of, shape_of

A, B, C, D = (Symbol(name, low=1) for name in "abcd")
E = Symbol("e", low=0)
DTYPE = Symbol("dtype", "text")


@pytest.mark.parametrize(
    ("goal", "expected"),
    [(A < 3, [0, 1]), (C < 3, [0, 1]), (D < 3, [2]), (E < 3, []), (A < D, [0, 1, 2])],
)
def test_only_connected_conditions_are_taken(goal: Term, expected: list[int]) -> None:
    conditions = [A < B, B < C, D > 4]
    cone = cone_of([goal], conditions)
    assert [id(one) for one in cone] == [id(conditions[number]) for number in expected]


def test_names_of_unknowns_make_no_difference() -> None:
    assert shape_of([A < B, B < 3]) == shape_of([C < D, D < 3])
    shared = A + 1
    assert shape_of([operation("*", shared, shared)]) == shape_of([operation("*", shared, shared)])


@pytest.mark.parametrize(
    "other",
    [
        [A < B, A < 3],
        [A < B, B < 4],
        [A <= B, B < 3],
        [A < E, E < 3],
        [B < 3, A < B],
        [A < B, B < 3.0],
        [A < B],
        [A < A, A < 3],
    ],
)
def test_other_questions_differ(other: list[Term]) -> None:
    assert shape_of([A < B, B < 3]) != shape_of(other)


def test_numbers_and_names_are_told_apart() -> None:
    assert shape_of([operation("==", A, 1)]) != shape_of([operation("==", A, True)])
    assert shape_of([operation("==", DTYPE, "int8")]) != shape_of([operation("==", A, "int8")])
