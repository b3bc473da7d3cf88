from __future__ import annotations

import pytest

from gsl.subst import Rule
from gslverify.library.samples import members_of
from gslverify.library.termination import Measure, measure_of
from tests.gslverify.library.rules import (
    abs_of_exp,
    collected,
    doubled,
    growing,
    negative_of_exp,
    relu_of_sum,
    relu_thrice,
    relu_twice,
    sqrt_of_exp,
    swapped,
)

pytestmark = pytest.mark.smt


def measured(*rules: Rule) -> Measure:
    return measure_of(members_of(collected(*rules)))


def test_weights_that_every_rule_lowers() -> None:
    measure = measured(relu_twice, relu_thrice, negative_of_exp, abs_of_exp)
    (layer,) = measure.layers

    assert measure.shows_the_end
    assert measure.finding() is None
    assert layer["Relu"] > 0
    assert layer["Negative"] > layer["Abs"] > layer.get("Sqrt", 0)
    (line,) = measure.lines()
    assert line.startswith("layer 1: Abs ")


def test_rules_that_stand_in_each_others_way() -> None:
    measure = measured(doubled, relu_of_sum)
    finding = measure.finding()

    assert not measure.shows_the_end
    assert finding is not None
    assert finding.code.id == "GSL705"
    assert {member.name for member in measure.clashing} == {"doubled", "relu_of_sum"}


@pytest.mark.parametrize("rule", [growing, sqrt_of_exp, swapped], ids=lambda rule: rule.name)
def test_rule_that_no_weights_lower(rule: Rule) -> None:
    measure = measured(relu_twice, rule)

    assert [member.name for member in measure.left] == [rule.name] or measure.shows_the_end
    assert measure.shows_the_end is (rule is sqrt_of_exp)


def test_empty_library_comes_to_an_end() -> None:
    assert measured().shows_the_end
