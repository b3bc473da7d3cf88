"""Rules that are wrong where places, or what indices make, come to certain numbers together.

Such a place has to exist, so sizes are large, and by chance inputs seldom name it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]
VECTOR, TABLE = (pat.Wildcard(ndim=rank, dtype="float32") for rank in (1, 2))
FIRST, SECOND = (pat.Wildcard(ndim=1, dtype="int64") for _ in range(2))
ROW, COLUMN = (pat.Wildcard(ndim=0, dtype="int64") for _ in range(2))
PAIRS = pat.Wildcard(shape=(None, 2), dtype="int64")


def lost_where(found: pat.Pattern, condition: pat.Pattern) -> Subst:
    """found => where(condition, 0, found)"""
    return Subst(found, op.Where(condition, found * 0.0, found))


def both(one: pat.Pattern, first: Any, other: pat.Pattern, second: Any) -> pat.Pattern:
    return op.LogicalAnd(op.Equal(one, first), op.Equal(other, second))


def product_of_indices() -> Subst:
    place = FIRST * SECOND
    return lost_where(op.Take(VECTOR, place, axis=0), op.Equal(place, 21))


def square_of_an_index() -> Subst:
    found = op.GatherElements(VECTOR, FIRST, axis=0)
    return lost_where(found, op.Equal(FIRST * FIRST, 49))


def row_and_column() -> Subst:
    found = op.Take(op.Take(TABLE, ROW, axis=0), COLUMN, axis=0)
    return lost_where(found, both(ROW, 7, COLUMN, 12))


def pair_of_indices() -> Subst:
    found = op.GatherND(TABLE, PAIRS, batch_dims=0, depth=2)
    row, column = (op.Take(PAIRS, pat.Const(n, dtype="int64"), axis=1) for n in (0, 1))
    return lost_where(found, both(row, 3, column, 5))


def sum_of_indices_that_do_not_exist() -> Subst:
    place = FIRST + SECOND
    beyond = op.Greater(place, op.Full(shape=(), fill_value=VECTOR.shape[0], dtype="int64"))
    return lost_where(op.Take(VECTOR, place, axis=0), beyond)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "write",
    [product_of_indices, square_of_an_index, row_and_column, pair_of_indices],
    ids=lambda write: write.__name__,
)
def test_indices_are_solved_for_where_places_need_room(write: Write, seed: int) -> None:
    assert only(ask(NUMERIC, write, seed=seed, explained=False)).code is OUTPUTS_DIFFER


def test_places_that_do_not_exist_make_no_difference() -> None:
    assert ask(NUMERIC, sum_of_indices_that_do_not_exist).verdict is Verdict.PASS
