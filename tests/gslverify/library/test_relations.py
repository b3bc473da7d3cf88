from __future__ import annotations

from dataclasses import replace

import pytest

from gsl.subst import Rule
from gslverify.finding import Finding
from gslverify.library.examination import examine_library
from tests.gslverify.library.rules import (
    collected,
    never,
    pad_of_nothing,
    relu_of_anything,
    relu_of_matrix,
    relu_of_no_matrix,
    relu_of_sum,
    relu_thrice,
    relu_twice,
    relu_twice_again,
    slice_of_everything,
    slice_of_spread,
)

pytestmark = pytest.mark.smt


def found(code: str, *rules: Rule) -> list[Finding]:
    """Return the findings of one code about a library."""
    result = examine_library(collected(*rules))
    return [finding for _, finding in result.findings if finding.code.id == code]


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


def test_what_only_holds_for_one_element_is_not_said() -> None:
    assert not found("GSL703", slice_of_everything, slice_of_spread)
    assert not found("GSL704", slice_of_everything, pad_of_nothing, slice_of_spread)


def test_ways_that_differ_from_graph_to_graph_are_all_named() -> None:
    *_, last = found("GSL704", relu_of_matrix, relu_of_no_matrix, relu_of_anything)
    ways = last.message.removeprefix("on different ways, ")

    assert ways.endswith(" do what `relu_of_anything` does")
    assert {"relu_of_matrix", "relu_of_no_matrix"} < set(ways.replace(",", "").split())


def test_rule_without_a_graph_is_said_to_be_unknown() -> None:
    (finding,) = found("GSL706", relu_thrice, never)

    assert "`never`" in finding.message
    assert not found("GSL706", relu_thrice)


def test_name_of_a_rule_in_another_file() -> None:
    (first,), (other,) = collected(relu_twice), collected(relu_thrice)
    renamed = replace(other.rule, name=first.rule.name, expect="GSL401")
    second = replace(other, rule_id="others.py::relu_twice", rule=renamed)
    result = examine_library([first, second])

    ((rule_id, finding),) = [f for f in result.findings if f[1].code.id == "GSL707"]
    assert rule_id == "others.py::relu_twice"
    assert finding.message == "`relu_twice` is the name of rules.py::relu_twice, too"
    assert not found("GSL707", relu_twice, relu_thrice)


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
