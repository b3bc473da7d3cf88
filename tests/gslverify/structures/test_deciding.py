"""Ways in which conditions fall: together they leave nothing out, and every part decides once."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from gsl.attr.evaluate import conjunction, disjunction
from gsl.attr.term import Symbol, Term, operation
from gslverify.structures.models.concrete import value_in
from gslverify.structures.targets.deciding import MOST_WAYS, ways_to_be

A, B, C = (Symbol(name, sort="bool") for name in "abc")
N = Symbol("n", sort="int")


def either(*parts: Any) -> Any:
    return disjunction(*parts)


def both(*parts: Any) -> Any:
    return conjunction(*parts)


def negated(part: Term) -> Term:
    return operation("not", part)


CONDITIONS = [
    A,
    negated(A),
    either(A, B),
    both(A, B),
    either(A, B, C),
    both(either(A, B), C),
    either(both(A, B), negated(C)),
    negated(both(A, either(B, negated(C)))),
    either(A, both(negated(A), either(B, both(negated(B), C)))),
    either(negated(A), both(A, B)),
    both(A, either(negated(A), both(B, C))),
    either(A, negated(A)),
]


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("outcome", [True, False])
def test_the_ways_are_the_condition(condition: Term, outcome: bool) -> None:
    ways = ways_to_be(condition, outcome)

    for values in product((True, False), repeat=3):
        model = dict(zip((A, B, C), values, strict=True))
        found = [value_in(way, model) for way in ways]
        assert any(found) == (value_in(condition, model) is outcome)


def test_each_part_of_a_disjunction_decides_alone() -> None:
    ways = ways_to_be(either(A, B), True)

    for model in ({A: True, B: False}, {A: False, B: True}):
        assert any(_only(way, model) for way in ways)


def _only(way: Term, model: dict[Any, Any]) -> bool:
    models = [dict(zip((A, B), values, strict=True)) for values in product((True, False), repeat=2)]
    return [one for one in models if value_in(way, one) is True] == [model]


def test_each_part_of_a_conjunction_fails_alone() -> None:
    ways = ways_to_be(both(A, B), False)

    assert any(_only(way, {A: True, B: False}) for way in ways)
    assert any(_only(way, {A: False, B: True}) for way in ways)


def test_values_that_exclude_each_other_are_one_way_each() -> None:
    parts = [operation("==", N, value) for value in (0, 77, -1)]

    ways = ways_to_be(either(*parts), True)
    assert all(way is part for way, part in zip(ways, parts, strict=True))


def test_too_many_parts_are_one() -> None:
    condition = either(*(Symbol(f"p{number}", sort="bool") for number in range(200)))

    (way,) = ways_to_be(condition, True)
    assert way is condition


def test_a_chain_of_questions_has_a_way_for_each_answer() -> None:
    """As a table has it that is looked up at a remainder: `t[n % 30]`."""
    condition: Any = A
    for number in range(20):
        asked = operation("==", N, number)
        condition = either(asked, both(negated(asked), condition))

    assert len(ways_to_be(condition, True)) == 2 * 21
    assert len(ways_to_be(condition, False)) == 1


@pytest.mark.parametrize("outcome", [True, False])
def test_questions_within_questions_are_one_where_they_have_too_many_ways(outcome: bool) -> None:
    a, b = Symbol("a", sort="int"), Symbol("b", sort="int")
    condition = operation("==", a, 0)
    for number in range(1, 40):
        first, second = operation("==", a, number), operation("==", b, number)
        condition = either(both(first, condition), both(second, negated(condition)))
    assert len(ways_to_be(condition, outcome)) <= MOST_WAYS
