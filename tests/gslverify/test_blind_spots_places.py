"""Rules about places: indices beyond the smallest axis, extrema where a rule writes a place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER, TARGET_UNDEFINED
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]
X = pat.Variable(shape=(None, None), dtype="float32")
PAGES = pat.Variable(shape=(None, None, None), dtype="float32")
PAIRS = pat.Wildcard(shape=(None, 2), dtype="int64")
NEW = pat.Wildcard(shape=(None,), dtype="float32")


def whole(number: Any) -> pat.Pattern:
    return op.Full(shape=(), fill_value=number, dtype="int64")


def gathered_below(limit: Callable[..., Any]) -> Subst:
    """gather(x, i) => gather(x, min(i, limit))"""
    found = op.GatherND(X, PAIRS, batch_dims=0, depth=2)
    few = op.Minimum(PAIRS, whole(limit(*(X.shape[axis] for axis in (0, 1))) - 1))
    return Subst(found, op.GatherND(X, few, batch_dims=0, depth=2))


def below_the_smaller_size() -> Subst:
    return gathered_below(attr.Min)


def below_the_larger_size() -> Subst:
    return gathered_below(attr.Max)


def scattered_below_the_smaller_size() -> Subst:
    written = op.ScatterND(X, PAIRS, NEW, reduction="none", depth=2)
    few = op.Minimum(PAIRS, whole(attr.Min(X.shape[0], X.shape[1]) - 1))
    return Subst(written, op.ScatterND(X, few, NEW, reduction="none", depth=2))


def rows_of_pages(size: Callable[..., Any]) -> Subst:
    """take(reshape(pages), i) => gather(pages, (i // size, i % size))"""
    pages, rows, length = (PAGES.shape[axis] for axis in range(3))
    places = pat.Wildcard(shape=(None,), dtype="int64")
    row = op.Take(op.Reshape(PAGES, shape=(pages * rows, length)), places, axis=0)
    divisor = whole(size(pages, rows))
    pair = op.Stack((op.FloorDivide(places, divisor), op.Mod(places, divisor)), axis=1)
    return Subst(row, op.GatherND(PAGES, pair), where=[pages <= rows])


def row_of_a_page() -> Subst:
    return rows_of_pages(lambda pages, rows: rows)


def row_of_as_many_as_there_are_pages() -> Subst:
    return rows_of_pages(lambda pages, rows: pages)


WRONG = [
    below_the_smaller_size,
    scattered_below_the_smaller_size,
    row_of_as_many_as_there_are_pages,
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=lambda write: write.__name__)
def test_indices_beyond_the_smallest_size_are_tried(write: Write, seed: int) -> None:
    assert only(ask(NUMERIC, write, seed=seed, explained=False)).code in (
        OUTPUTS_DIFFER,
        TARGET_UNDEFINED,
    )


@pytest.mark.parametrize("write", [below_the_larger_size, row_of_a_page])
def test_an_index_may_be_as_large_as_its_own_axis_allows(write: Write) -> None:
    assert ask(NUMERIC, write).verdict is Verdict.PASS


def found_at(place: int, other: int, argument: Callable[..., Any], rank: int = 1) -> Subst:
    """argument(x) => where(argument(x) == place, other, argument(x))"""
    x = pat.Wildcard(ndim=rank)
    found = argument(x, axis=0, keepdims=False)
    return Subst(found, op.Where(op.Equal(found, whole(place)), whole(other), found))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rank", [1, 3])
@pytest.mark.parametrize("argument", [op.Argmax, op.Argmin])
@pytest.mark.parametrize("place", [23, 41])
def test_extrema_are_at_places_that_a_rule_writes(
    place: int, argument: Callable[..., Any], rank: int, seed: int
) -> None:
    def wrong() -> Subst:
        return found_at(place, place + 1, argument, rank)

    assert only(ask(NUMERIC, wrong, seed=seed, explained=False)).code is OUTPUTS_DIFFER


def test_a_place_that_is_kept_makes_no_difference() -> None:
    assert ask(NUMERIC, lambda: found_at(23, 23, op.Argmax)).verdict is Verdict.PASS
