from __future__ import annotations

import re

import pytest

from gsl.span import Span
from gsl.subst import Rule, Subst
from gslverify.corpus.selection import SelectionError, rule_selector


def never() -> Subst:
    raise AssertionError("selection does not write rules down")


def a_rule(name: str, *tags: str) -> Rule:
    return Rule(name, never, "", "", Span("rules.py", 1), frozenset(tags))


RULES = [
    a_rule("two_conv_add", "conv"),
    a_rule("diamond_conv_add", "conv", "slow"),
    a_rule("trans_trans", "movement"),
    a_rule("and_so_on"),
]


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("conv", ["two_conv_add", "diamond_conv_add"]),
        ("CONV", ["two_conv_add", "diamond_conv_add"]),
        ("trans_trans", ["trans_trans"]),
        ("movement", ["trans_trans"]),
        ("not conv", ["trans_trans", "and_so_on"]),
        ("conv and not slow", ["two_conv_add"]),
        ("slow or movement", ["diamond_conv_add", "trans_trans"]),
        ("not slow and conv or movement", ["two_conv_add", "trans_trans"]),
        ("not (slow or movement)", ["two_conv_add", "and_so_on"]),
        ("(conv)and(slow)", ["diamond_conv_add"]),
        ("not not conv", ["two_conv_add", "diamond_conv_add"]),
        ("nothing", []),
    ],
)
def test_words_are_combined(expression: str, names: list[str]) -> None:
    selected = rule_selector(expression)
    assert [rule.name for rule in RULES if selected(rule)] == names


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "a word is missing"),
        ("conv and", "a word is missing after `conv and`"),
        ("or conv", "a word is missing"),
        ("(conv", "a closing parenthesis is missing after `( conv`"),
        ("conv slow", "`slow` was not expected after `conv`"),
        ("conv)", "`)` was not expected"),
        ("()", "a word is missing"),
    ],
)
def test_mistakes_are_located(expression: str, message: str) -> None:
    with pytest.raises(SelectionError, match=re.escape(message)):
        rule_selector(expression)
