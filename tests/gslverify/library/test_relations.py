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
    never,
    relu_of_anything,
    relu_of_matrix,
    relu_of_sum,
    relu_thrice,
    relu_twice,
    relu_twice_again,
    swapped,
)

pytestmark = pytest.mark.smt


def found(code: str, *rules: Rule) -> list[Finding]:
    """Return the findings of one code about a library."""
    result = examine_library(collected(*rules))
    return [finding for _, finding in result.findings if finding.code.id == code]


def names_in_loop(finding: Finding) -> list[str]:
    *names, last = finding.message.removeprefix("the rules feed each other: ").split(" -> ")
    assert last == names[0]
    return names


def test_rules_that_undo_each_other_with_a_graph() -> None:
    (finding,) = found("GSL701", doubled, relu_twice, relu_of_sum)

    assert sorted(names_in_loop(finding)) == ["doubled", "relu_of_sum"]
    assert any("Relu" in line for line in finding.details)


@pytest.mark.parametrize("order", list(permutations(CYCLE))[::17])
def test_cycle_of_five_rules_in_any_order(order: tuple[Rule, ...]) -> None:
    (finding,) = found("GSL701", relu_twice, *order)

    assert len(names_in_loop(finding)) == 5


@pytest.mark.parametrize("missing", range(5))
def test_cycle_that_is_broken_is_none(missing: int) -> None:
    assert not found("GSL701", *(CYCLE[:missing] + CYCLE[missing + 1 :]))


def test_rule_that_feeds_itself() -> None:
    (grows,) = found("GSL701", growing)
    (swaps,) = found("GSL701", swapped)

    assert names_in_loop(grows) == ["growing"]
    assert set(names_in_loop(swaps)) == {"swapped"}


def test_equal_rules_under_other_names() -> None:
    (finding,) = found("GSL702", relu_twice, relu_of_sum, relu_twice_again)

    assert "`relu_twice_again` says the same as `relu_twice`" in finding.message
    assert not found("GSL702", relu_twice, relu_thrice, relu_of_sum)


def test_special_rule_behind_a_general_one() -> None:
    (finding,) = found("GSL703", relu_of_anything, relu_of_matrix)

    assert "`relu_of_anything` comes before `relu_of_matrix`" in finding.message
    assert not found("GSL703", relu_of_matrix, relu_of_anything)


def test_rule_that_others_do_together() -> None:
    (finding,) = found("GSL704", relu_twice, relu_thrice)

    assert finding.message == "relu_twice, then relu_twice do what `relu_thrice` does"
    assert not found("GSL704", relu_twice, relu_of_sum)


def test_rule_without_a_graph_is_said_to_be_unknown() -> None:
    (finding,) = found("GSL706", relu_thrice, never)

    assert "`never`" in finding.message
    assert not found("GSL706", relu_thrice)


def test_rules_wrong_on_purpose_are_left_out() -> None:
    items = collected(relu_twice, relu_twice_again)
    wrong = [
        type(item)(
            item.rule_id,
            item.path,
            Rule(**{**_fields(item.rule), "expect": "GSL401"}),
        )
        for item in items
    ]

    assert examine_library(wrong).rules == 0


def _fields(rule: Rule) -> dict[str, object]:
    return {name: getattr(rule, name) for name in Rule.__slots__}
