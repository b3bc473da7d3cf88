from __future__ import annotations

import re

import pytest

from gsl.canonical import rule_hash
from gsl.subst import Rule
from gslverify.mutation.mutants import as_rule, mutants_of, operators
from tests.gslverify.mutation.rules import (
    ALL,
    minus_itself,
    pad_twice,
    split_in_two,
    two_dense,
    variadic_relu,
)

MADE_BY_NO_RULE = {"M37", "M38", "M40", "M44"}
"""What the graph around a match or a set of rules gets wrong, and no single rule can."""


def changes(rule: Rule, operator: str) -> list[str]:
    return [m.description for m in mutants_of(rule) if m.operator.id == operator]


def test_all_mutation_operators_are_there() -> None:
    numbers = {f"M{number:02}" for number in range(1, 45)}

    assert set(operators()) == numbers - MADE_BY_NO_RULE


@pytest.mark.parametrize(
    ("rule", "operator", "expected"),
    [
        (pad_twice, "M01", []),
        (
            pad_twice,
            "M11",
            [
                "drop the constraint on `pad_value` of inner",
                "drop the constraint on `pad_value` of outer",
            ],
        ),
        (
            two_dense,
            "M02",
            [
                "drop the constraint on `out_dtype` of one",
                "drop the constraint on `out_dtype` of two",
            ],
        ),
        (two_dense, "M03", ["drop the constraint on `shape` of w2"]),
        (pad_twice, "M13", ["drop condition 1, which is about shapes"]),
        (split_in_two, "M03", ["drop the constraint on `shape` of x"]),
        (split_in_two, "M12", ["drop the constraint on `axis` of whole"]),
        (split_in_two, "M34", ["the outputs are reversed", "the first output is returned twice"]),
        (variadic_relu, "M10", ["a single field matches"]),
        (two_dense, "M15", []),
        (two_dense, "M25", ["`out_dtype` of dense is always float32", "omit `out_dtype` of dense"]),
        (two_dense, "M27", ["Add becomes Subtract"]),
        (two_dense, "M08", ["one may be used elsewhere", "two may be used elsewhere"]),
        (variadic_relu, "M08", []),
        (minus_itself, "M07", ["another input than x as operand 1 of subtract"]),
        (minus_itself, "M27", ["OnesLike becomes ZerosLike", "Multiply becomes Divide"]),
        (minus_itself, "M42", ["the target is the source"]),
    ],
)
def test_changes_of_one_operator(rule: Rule, operator: str, expected: list[str]) -> None:
    assert changes(rule, operator) == expected


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.name)
def test_mutants_are_reproducible_distinct_and_named_after_their_rule(rule: Rule) -> None:
    first, second = mutants_of(rule), mutants_of(rule)
    hashes = [rule_hash(m.subst) for m in first if m.subst is not None]

    assert [m.name for m in first] == [m.name for m in second]
    assert len(hashes) == len(set(hashes))
    assert rule_hash(rule()) not in hashes
    assert all(re.fullmatch(rule.name + r"~M\d\d\.\d+", m.name) for m in first)


def test_mutant_that_the_language_refuses_is_stillborn() -> None:
    stillborn = [m for m in mutants_of(split_in_two) if m.stillborn]

    assert stillborn
    assert all(m.subst is None for m in stillborn)
    assert all(re.match(r"GSL\d+ |.*\w", m.stillborn) for m in stillborn)


def test_a_mutant_is_a_rule_that_expects_nothing() -> None:
    mutant = next(m for m in mutants_of(two_dense) if m.subst is not None)
    rule = as_rule(two_dense, mutant)

    assert rule.name == mutant.name
    assert rule.expect == rule.twin == ""
    assert rule() is mutant.subst
    assert rule.span == two_dense.span
