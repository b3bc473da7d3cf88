"""Which calls leave axes at their places, and which axes that stay are the same ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from gsl import op, pat
from gslverify.ranks.alignment import Label
from gslverify.ranks.places import Axis, Sketch, Sketches, names_no_axes

X, W = pat.Wildcard(), pat.Wildcard()
CALL = op.Negative(X)
INPUT: Label = (X, -1)
OTHER: Label = (W, -1)
RESULT: Label = (CALL, -1)

Links = Callable[[int], Iterator[Sequence[Axis]]]


def sketches(links: Links, staying: Sequence[Axis] = ()) -> Sketches:
    """Return those of a call at ranks up to 4; axes that stay count from the end if below 0."""
    found = Sketches()
    for rank in range(1, 5):
        ranks = {INPUT: rank, OTHER: 2, RESULT: rank}
        axes = {(of, axis % ranks[of]) for of, axis in staying}
        made = {CALL: list(links(rank))}
        found.every.append(Sketch(ranks, made, set(), {(INPUT, RESULT)}, axes, {}))
    return found


def in_place(rank: int) -> Iterator[Sequence[Axis]]:
    yield from (((INPUT, axis), (RESULT, axis)) for axis in range(rank))


def rotated(rank: int) -> Iterator[Sequence[Axis]]:
    yield from (((INPUT, axis), (RESULT, (axis + 1) % rank)) for axis in range(rank))


def reversed_axes(rank: int) -> Iterator[Sequence[Axis]]:
    yield from (((INPUT, axis), (RESULT, rank - 1 - axis)) for axis in range(rank))


def ends_exchanged(rank: int) -> Iterator[Sequence[Axis]]:
    ends = {0: rank - 1, rank - 1: 0}
    yield from (((INPUT, axis), (RESULT, ends.get(axis, axis))) for axis in range(rank))


def product(rank: int) -> Iterator[Sequence[Axis]]:
    """A product with a matrix."""
    yield from (((INPUT, axis), (RESULT, axis)) for axis in range(rank - 1))
    yield (INPUT, rank - 1), (OTHER, 0)
    yield (OTHER, 1), (RESULT, rank - 1)


def with_a_last_one(rank: int) -> Iterator[Sequence[Axis]]:
    """Most axes are in place, and one is with the first of a matrix."""
    yield from in_place(rank)
    yield (INPUT, rank - 1), (OTHER, 0)


def shifted_behind_the_first(rank: int) -> Iterator[Sequence[Axis]]:
    yield (INPUT, 0), (RESULT, 0)
    yield from (((INPUT, axis), (RESULT, 1 + axis % (rank - 1))) for axis in range(1, rank))


def with_the_middle(rank: int) -> Iterator[Sequence[Axis]]:
    yield (INPUT, rank // 2), (OTHER, 0)


@pytest.mark.parametrize(
    ("links", "certain"),
    [
        (in_place, True),
        (product, True),
        (with_a_last_one, True),
        (shifted_behind_the_first, False),
        (rotated, False),
        (reversed_axes, False),
        (ends_exchanged, False),
        (with_the_middle, False),
    ],
)
def test_calls_are_certain_that_leave_axes_at_their_places(links: Links, certain: bool) -> None:
    assert sketches(links).certain() == ({CALL} if certain else set())


@pytest.mark.parametrize(("links", "in_order"), [(in_place, True), (product, False)])
def test_outputs_are_in_order_if_all_axes_are_the_same(links: Links, in_order: bool) -> None:
    assert sketches(links).are_in_order({CALL}) is in_order


@pytest.mark.parametrize(
    ("links", "staying", "count"),
    [
        (in_place, [(INPUT, -1), (RESULT, -1)], 1),
        (in_place, [(INPUT, 0), (RESULT, -1)], 2),
        (product, [(INPUT, -1), (OTHER, 0), (OTHER, 1), (RESULT, -1)], 2),
        (product, [(INPUT, -1), (RESULT, -1)], 2),
    ],
)
def test_axes_count_once_that_are_the_same_for_certain(
    links: Links, staying: Sequence[Axis], count: int
) -> None:
    found = sketches(links, staying=staying)
    assert found.staying({CALL}, [], in_order=False) == count
    assert found.staying(set(), [], in_order=False) == len(staying)


def test_all_axes_of_others_stay() -> None:
    assert sketches(in_place).staying({CALL}, [OTHER], in_order=True) == 2


@pytest.mark.parametrize(
    ("call", "names_none"),
    [
        (op.Negative(X), True),
        (op.Matmul(X, W), True),
        (op.Transpose(W, axes=(1, 0)), True),
        (op.Transpose(W), False),
        (op.Sum(X), False),
        (op.Sum(X, axis=(None,)), False),
        (op.Sum(X, axis=(-1,)), True),
        (op.Flip(X, axis=CALL.ndim - 1), False),
    ],
)
def test_written_numbers_are_no_names(call: pat.Call, names_none: bool) -> None:
    assert names_no_axes(call) is names_none
