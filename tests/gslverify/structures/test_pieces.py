"""As many pieces of an axis are tried as a rule asks about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE
from gslverify.structures.sources.pieces import numbers_of_pieces
from tests.gslverify.stages.asking import is_refuted, question

pytestmark = pytest.mark.smt

Condition = Callable[[Any], Any]


def third_is_last(condition: Condition) -> Callable[[], Subst]:
    """The third piece of a matrix is the last one: with three pieces only."""

    def write() -> Subst:
        x = pat.Wildcard(ndim=2)
        pieces = op.Split(x, axis=1)
        count, size = pieces.indices_or_sections, x.shape[1]
        begin, end = (0, size - size // count), (x.shape[0], size)
        last = op.StridedSlice(x, begin=begin, end=end, strides=(1, 1))
        return Subst(op.Relu(pieces[2]), op.Relu(last), where=[condition(count)])

    return write


def joined(count: int) -> Subst:
    """All pieces, each of which is named, are the whole."""
    x = pat.Wildcard(ndim=2)
    pieces = op.Split(x, axis=1)
    fields = tuple(pieces[number] for number in range(count))
    where = [pieces.indices_or_sections == count]
    return Subst(op.Concatenate(fields, axis=1), x, where=where)


@pytest.mark.parametrize(
    "condition",
    [
        lambda count: count >= 3,
        lambda count: attr.In(count, (3, 5)),
        lambda count: attr.In(count, (3, 12)),
        lambda count: (count == 3) | (count == 6),
        lambda count: count % 3 == 0,
    ],
)
def test_more_pieces_than_usual_are_tried(condition: Condition) -> None:
    assert is_refuted(third_is_last(condition), SATISFIABLE, SHAPE, NUMERIC)


@pytest.mark.parametrize("count", [3, 9, 12])
def test_rules_about_many_pieces_have_structures(count: int) -> None:
    asked = question(lambda: joined(count))
    verdicts = {stage.run(asked).verdict for stage in (SATISFIABLE, SHAPE, NUMERIC)}
    assert verdicts == {Verdict.PASS}


def test_positions_of_cuts_are_as_many() -> None:
    def write() -> Subst:
        x = pat.Wildcard(ndim=1)
        pieces = op.Split(x, axis=0)
        cuts = pieces.indices_or_sections
        begin = attr.Cond(attr.Length(cuts) == 6, cuts[1], cuts[0])
        second = op.StridedSlice(x, begin=(begin,), end=(cuts[1],), strides=(1,))
        return Subst(op.Relu(pieces[1]), op.Relu(second), where=[attr.Length(cuts) >= 2])

    assert is_refuted(write, SATISFIABLE, SHAPE, NUMERIC)


def test_a_rule_that_does_not_ask_has_a_few_pieces() -> None:
    x = pat.Wildcard()
    pieces = op.Split(x)
    whole = op.Split(op.Relu(x), **pat.same_attr(pieces))
    assert numbers_of_pieces(Subst(op.Relu(pieces[1]), whole[1])) == {}
    (numbers,) = numbers_of_pieces(third_is_last(lambda count: count == 20)()).values()
    assert numbers == (4, 5, 6, 7, 8, 19, 20, 21)
