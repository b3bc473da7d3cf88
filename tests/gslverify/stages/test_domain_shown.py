"""The line of a rule says where its operators are not defined on all integers they may get."""

from __future__ import annotations

import pytest

from gsl import Subst, op, pat
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.stages.asking import ask

pytestmark = pytest.mark.smt


def take_of_relu() -> Subst:
    x, indices = pat.Wildcard(), pat.Wildcard(ndim=1)
    taken = op.Take(op.Relu(x), indices, axis=0)
    return Subst(taken, op.Relu(op.Take(x, indices, axis=0)))


def quotient_of_remainder() -> Subst:
    x, y = pat.Wildcard(dtype="int32"), pat.Wildcard(dtype="int32")
    quotient = op.FloorDivide(op.Mod(x, y), y)
    return Subst(quotient + 1, 1 + quotient)


def known_divisor() -> Subst:
    quotient = op.FloorDivide(pat.Wildcard(dtype="int32"), 2)
    return Subst(quotient + 1, 1 + quotient)


def root() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Sqrt(x) + y, y + op.Sqrt(x))


def wider_integer() -> Subst:
    wide = op.Cast(pat.Wildcard(dtype="uint8"), dtype="int32")
    return Subst(wide + 0, wide)


def integer_of_a_float() -> Subst:
    whole = op.Cast(pat.Wildcard(dtype="float32"), dtype="int32")
    return Subst(whole + 0, whole)


SHOWN = [
    (wider_integer, None),
    (integer_of_a_float, "where Cast is defined"),
    (take_of_relu, "where Take is defined"),
    (quotient_of_remainder, "where FloorDivide and Mod are defined"),
    (known_divisor, None),
    (root, None),
]


@pytest.mark.parametrize(("written", "shown"), SHOWN)
def test_a_verdict_says_which_domain_it_rests_on(written, shown):
    result = ask(NUMERIC, written, max_examples=12, min_examples=5, max_variants=8)
    said = [str(one) for one in result.assurances if str(one).startswith("where ")]
    assert said == ([shown] if shown else [])
