"""Rules that feed each other are named."""

from __future__ import annotations

import pytest

from gsl import Subst, Workload, apply, op, pat
from gsl.engine.history import LONGEST, Noted, explanation, period_of
from gsl.errors import RewriteError
from gsl.graph import Node, node_of
from tests.match.toys import relu, tag, var

A = var("a")
X = pat.Wildcard()


def to_exp() -> Subst:
    return Subst(op.Relu(X), op.Exp(X))


def to_relu() -> Subst:
    return Subst(op.Exp(X), op.Relu(X))


def grow() -> Subst:
    return Subst(op.Tanh(X), op.Tanh(-X))


ONE, TWO, THREE = to_exp(), to_relu(), grow()
PERIODS = {
    "nothing": ([], []),
    "once is no period": ([ONE], []),
    "one rule": ([TWO, ONE, ONE], [ONE]),
    "two rules": ([THREE, ONE, TWO, ONE, TWO], [ONE, TWO]),
    "the shortest": ([ONE, ONE, ONE, ONE], [ONE]),
    "only the end counts": ([ONE, TWO, ONE, TWO, THREE], []),
}


@pytest.mark.parametrize("name", PERIODS)
def test_period_is_what_comes_twice_at_the_end(name: str) -> None:
    rules, period = PERIODS[name]

    assert list(period_of(rules)) == period


def node() -> Node:
    return node_of(tag(A), ())


def test_period_is_looked_for_along_causes_first() -> None:
    """Two places where one rule feeds itself, with another rule in between."""
    history: list[Noted] = []
    one, other = node(), node()
    for rule in (ONE, ONE, THREE, ONE):
        made = node()
        history.append((rule, [one if rule is ONE else other], [made]))
        one, other = (made, other) if rule is ONE else (one, made)

    assert explanation(history) == "the rules feed each other: to_exp -> to_exp"


def test_without_a_period_the_last_rules_are_named() -> None:
    history: list[Noted] = []
    for rule in (ONE, TWO, THREE):
        history.append((rule, [node()], []))

    assert explanation(history) == "the last rules were to_exp, to_relu, grow"


def test_rule_that_applies_in_many_places_does_not_feed_itself() -> None:
    history: list[Noted] = [(ONE, [node()], [node()]) for _ in range(4)]

    assert explanation(history) == "the last rules were to_exp"


def test_what_is_remembered_for_the_explanation_is_bounded() -> None:
    history: list[Noted] = []
    matched = node()
    for _ in range(3 * LONGEST):
        made = node()
        history.append((THREE, [matched], [made]))
        matched = made

    assert explanation(history) == "the rules feed each other: grow -> grow"


ENDLESS = [
    ([to_exp(), to_relu()], relu(A), "to_relu -> to_exp -> to_relu|to_exp -> to_relu -> to_exp"),
    ([Subst(op.Relu(X), op.Relu(op.Relu(X)))], relu(A), "the rule at .* -> the rule at .*"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "network", "names"), ENDLESS)
def test_error_names_the_rules_that_feed_each_other(
    rules: list[Subst], network: object, names: str
) -> None:
    with pytest.raises(RewriteError, match=f"not done after 40 rewrites; .*({names})"):
        apply(Workload(network), rules, max_rewrites=40)
