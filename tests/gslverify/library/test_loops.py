from __future__ import annotations

from itertools import permutations

import pytest

from gsl.subst import Rule
from gslverify.finding import Finding
from gslverify.library.examination import examine_library
from tests.gslverify.library.rules import (
    CYCLE,
    collected,
    doubled,
    growing,
    halves_of_relu,
    larger_stride,
    negative_and_abs,
    relu_of_halves,
    relu_of_sum,
    relu_twice,
    sigmoid_and_erf,
    swapped,
    transposed,
    words,
)

pytestmark = pytest.mark.smt

PERMUTATIONS = ((1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2))
THROUGH_AXES = tuple(map(transposed, PERMUTATIONS, (*PERMUTATIONS[1:], PERMUTATIONS[0])))


def loops(*rules: Rule) -> list[Finding]:
    """Return the loops that are found in a library."""
    result = examine_library(collected(*rules))
    return [finding for _, finding in result.findings if finding.code.id == "GSL701"]


def names_in_loop(finding: Finding) -> list[str]:
    feed, _, circle = finding.message.partition(": ")
    *names, last = circle.split(" -> ")
    assert last == names[0]
    assert feed == ("the rules feed each other" if len(names) > 1 else "the rule feeds itself")
    return names


def test_rules_that_undo_each_other_with_a_graph() -> None:
    (finding,) = loops(doubled, relu_twice, relu_of_sum)

    assert sorted(names_in_loop(finding)) == ["doubled", "relu_of_sum"]
    assert any("Relu" in line for line in finding.details)


@pytest.mark.parametrize("order", list(permutations(CYCLE))[::17])
def test_cycle_of_five_rules_in_any_order(order: tuple[Rule, ...]) -> None:
    (finding,) = loops(relu_twice, *order)

    assert len(names_in_loop(finding)) == 5


@pytest.mark.parametrize("missing", range(5))
def test_cycle_that_is_broken_is_none(missing: int) -> None:
    assert not loops(*(CYCLE[:missing] + CYCLE[missing + 1 :]))


def test_rule_that_feeds_itself() -> None:
    (grows,) = loops(growing)
    (swaps,) = loops(swapped)

    assert names_in_loop(grows) == ["growing"]
    assert set(names_in_loop(swaps)) == {"swapped"}


@pytest.mark.parametrize("missing", range(6))
def test_cycle_of_five_through_values_of_an_attribute(missing: int) -> None:
    found = loops(*THROUGH_AXES[:missing], *THROUGH_AXES[missing + 1 :])

    assert [len(names_in_loop(finding)) for finding in found] == ([5] if missing == 5 else [])


@pytest.mark.parametrize("after", ["ab", "cab"])
def test_loop_is_told_of_its_own_rules_with_a_graph_that_they_rewrite(after: str) -> None:
    first, looping = words("cd", "ab"), words("ab", after)
    found = examine_library(collected(first, looping)).findings
    ((rule_id, finding),) = [f for f in found if f[1].code.id == "GSL701"]

    assert rule_id == f"rules.py::{looping.name}"
    assert names_in_loop(finding) == [looping.name]
    assert finding.details[1:3] == ("%0 = Exp(x)", "%1 = Relu(%0)")


def test_attribute_that_grows() -> None:
    (grows,) = loops(relu_twice, larger_stride)

    assert names_in_loop(grows) == ["larger_stride"]


@pytest.mark.parametrize(
    ("one", "other"), [(sigmoid_and_erf, negative_and_abs), (relu_of_halves, halves_of_relu)]
)
def test_rules_with_several_outputs(one: Rule, other: Rule) -> None:
    (finding,) = loops(relu_twice, one, other)

    assert set(names_in_loop(finding)) == {one.name, other.name}
    assert not loops(relu_twice, one)
    assert not loops(relu_twice, other)


AROUND = {
    "below": ("ab cd", "dg eh", "ce af", "fh bg"),
    "five below": ("ab cd", "dg eh", "ce af", "fh ih", "ih bg"),
    "above": ("a df", "bd bg", "gf a"),
    "twice": ("ab cd", "dg ef", "fh ij", "cei ablk", "lkj gh"),
}
"""Rules that lead in circles through words that none of them has on either side."""


@pytest.mark.parametrize("name", AROUND)
def test_loop_that_no_rule_holds(name: str) -> None:
    rules = [words(*pair.split()) for pair in AROUND[name]]
    found = loops(relu_twice, *rules)

    assert {r.name for r in rules} in [set(names_in_loop(finding)) for finding in found]
    for number in range(len(rules)):
        assert not loops(*rules[:number], *rules[number + 1 :])


def test_rule_that_feeds_itself_through_more_of_its_kind() -> None:
    (found,) = loops(words("ab", "bbaa"))

    assert set(names_in_loop(found)) == {"ab_to_bbaa"}
    assert not loops(words("ab", "ba"))
    assert not loops(words("aabb", "bbbaaa"))
