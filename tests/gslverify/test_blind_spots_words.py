"""Counts and places that integers of 16 bits cannot hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat
from gslverify.finding import Verdict
from gslverify.networks.rounds import WORDS
from gslverify.stages.numeric import NUMERIC
from gslverify.structures.written_values import names_any
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, is_refuted

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]


def through(value: Any, dtype: str) -> Any:
    """Return integers that were of a narrower dtype on their way to int64."""
    return op.Cast(op.Cast(value, dtype=dtype), dtype="int64")


def number_of_elements() -> Subst:
    x = pat.Wildcard()
    return Subst(through(op.Size(x), "uint16"), op.Size(x))


def place_of_the_largest() -> Subst:
    x = pat.Wildcard(ndim=1)
    place = op.Argmax(x)
    return Subst(through(place, "int16"), op.Cast(place, dtype="int64"))


def number_of_true_elements() -> Subst:
    mask = pat.Wildcard(dtype="bool")
    counted = op.Sum(op.Cast(mask, dtype="int16"))
    wide = op.Sum(op.Cast(mask, dtype="int64"), **pat.same_attr(counted))
    return Subst(op.Cast(counted, dtype="int64"), wide)


def least_of_words() -> Subst:
    """Integers wrap alike on both sides."""
    x = pat.Wildcard(dtype="int32")
    return Subst(op.Cast(-x, dtype="int16"), -op.Cast(x, dtype="int16"))


def negated_twice() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Negative(-x), x)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "write", [number_of_elements, place_of_the_largest, number_of_true_elements]
)
def test_axes_are_longer_than_words_can_count(write: Write, seed: int) -> None:
    assert is_refuted(write, NUMERIC, seed=seed)


def test_rules_that_name_words_may_be_right() -> None:
    assert ask(NUMERIC, least_of_words).verdict is Verdict.PASS


def test_axes_are_so_long_where_a_rule_names_words_only() -> None:
    assert names_any(least_of_words(), WORDS)
    assert not names_any(negated_twice(), WORDS)
