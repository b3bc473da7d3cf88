"""Reads of one element become one where that is proved, and nothing else changes."""

from __future__ import annotations

import pytest

from gsl.attr.evaluate import choose, equal
from gsl.attr.term import Symbol, Term
from gslverify.prove.indices.facts import Facts
from gslverify.prove.indices.learning import forms_of
from gslverify.prove.values.algebra import Algebra
from gslverify.prove.values.merge import merged
from gslverify.prove.values.values import Region, Value
from gslverify.semantics.solver import Solver

pytestmark = pytest.mark.smt

PLACE, SIZE = Symbol("i", low=0), Symbol("n", low=1)
BROADCAST = choose(equal(SIZE, 1), 0, PLACE)


def quotient(algebra: Algebra, name: str) -> Value:
    """Return x[i] / NAME[the same place, written for broadcasting]."""
    powers = [(algebra.read("x", [PLACE]), 1), (algebra.read(name, [BROADCAST]), -1)]
    return algebra.family(1, powers, Region())


@pytest.mark.parametrize(
    ("claims", "name", "number"),
    [([PLACE < SIZE], "x", 1), ([], "x", None), ([PLACE < SIZE], "y", None)],
)
def test_reads_cancel_where_they_are_of_one_element(
    claims: list[Term], name: str, number: int | None
) -> None:
    forms = forms_of(claims)
    algebra, facts = Algebra(forms), Facts(Solver(claims, 100_000), forms)
    value = quotient(algebra, name)
    assert value.constant is None
    assert merged([value], algebra, facts)[0].constant == number
