"""What a target follows from, with nothing in it that follows from the rest."""

from __future__ import annotations

import pytest

from gsl import Subst, op, pat
from gsl.pat import Pattern
from gsl.rewrite.facts import ATTRIBUTES, TYPE, Fact, Facts
from tests.match.toys import p_tag

X, Y = pat.Wildcard(), pat.Wildcard()
T = p_tag(X)
ROOT = op.Relu(op.Relu(X))
SPLIT = op.Transpose(X)


def facts(source: Pattern, target: Pattern) -> set[Fact]:
    rule = Subst(source, target)
    return set(Facts(rule, None, rule.source_patterns, ()).independent())


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        pytest.param(ROOT, op.Relu(X), {(X, TYPE)}, id="calls without attributes follow"),
        pytest.param(ROOT + Y, op.Relu(X) + Y, {(X, TYPE), (Y, TYPE)}, id="through two calls"),
        pytest.param(SPLIT, op.Relu(X), {(SPLIT, TYPE), (X, TYPE)}, id="attributes unknown"),
        pytest.param(
            T, p_tag(op.Relu(X), k=T.k), {(T, ATTRIBUTES), (X, TYPE)}, id="attributes known"
        ),
        pytest.param(
            op.Exp(ROOT),
            op.Tanh(X),
            {(X, TYPE)},
            id="what the target does not look at follows, too",
        ),
    ],
)
def test_types_that_follow_are_left_out(
    source: Pattern, target: Pattern, expected: set[Fact]
) -> None:
    assert facts(source, target) == expected
