"""Rules that are wrong where all of many elements are the largest, or alike but for one.

A sum of 258 bytes wraps in uint16 if all are 255, and 17 elements are positive out of 17 sooner
than out of any other number. By chance many elements are seldom so.
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
BYTES, OTHERS = (pat.Wildcard(ndim=1, dtype="uint8") for _ in range(2))
SIGNED, SHORT = (pat.Wildcard(ndim=1, dtype=dtype) for dtype in ("int8", "int32"))
EIGHT = pat.Wildcard(shape=(8,), dtype="int32")


def total(one: Any, dtype: str) -> pat.Pattern:
    return op.Sum(op.Cast(one, dtype=dtype), axis=(0,), keepdims=False)


def narrow_sum(one: pat.Pattern, dtype: str, most: int) -> Subst:
    """cast[int32](sum(cast[dtype](x)))  =>  sum(cast[int32](x)) for at most so many elements"""
    narrow = op.Cast(total(one, dtype), dtype="int32")
    return Subst(narrow, total(one, "int32"), where=[one.shape[0] <= most])


def narrow_difference(most: int) -> Subst:
    narrow = op.Cast(total(BYTES, "int16") - total(OTHERS, "int16"), dtype="int32")
    where = [BYTES.shape == OTHERS.shape, BYTES.shape[0] <= most]
    return Subst(narrow, total(BYTES, "int32") - total(OTHERS, "int32"), where=where)


def positive() -> pat.Pattern:
    return total(op.Greater(SHORT, 0), "int64")


def counted(number: int) -> Subst:
    """count(x > 0)  =>  count(x > 0) + 1 where that is `number`"""
    return Subst(positive(), op.Where(op.Equal(positive(), number), positive() + 1, positive()))


def ordered() -> pat.Pattern:
    return op.ArgSort(EIGHT, axis=0, descending=False)


def in_order() -> Subst:
    """argsort(x)  =>  its reverse if it is 0, 1, 2, ..."""
    places = op.Sum(
        op.Cast(op.Equal(ordered(), op.Arange(end=8)), dtype="int64"), axis=(0,), keepdims=True
    )
    other = op.ArgSort(EIGHT, axis=0, descending=True)
    return Subst(ordered(), op.Where(op.Equal(places, 8), other, ordered()))


def extremes() -> tuple[pat.Pattern, pat.Pattern]:
    return tuple(reduce(SHORT, axis=(0,), keepdims=False) for reduce in (op.Max, op.Min))


def lost_where(condition: pat.Pattern) -> Subst:
    """max(x)  =>  min(x) where a condition holds, for sixteen elements and more"""
    (largest, least), (most, _) = extremes(), extremes()
    return Subst(most, op.Where(condition, least, largest), where=[SHORT.shape[0] >= 16])


def one_of_many() -> Subst:
    largest, least = extremes()
    whole = op.Sum(SHORT, axis=(0,), keepdims=False)
    few = op.LogicalAnd(op.Equal(largest, 1), op.Equal(least, 0))
    return lost_where(op.LogicalAnd(few, op.Equal(whole, 1)))


def same_from_behind() -> Subst:
    largest, least = extremes()
    alike = op.Cast(op.Equal(SHORT, op.Flip(SHORT, axis=0)), dtype="int32")
    every = op.Equal(op.Min(alike, axis=(0,), keepdims=False), 1)
    return lost_where(op.LogicalAnd(every, op.Greater(largest, least)))


WRONG: tuple[tuple[str, Write], ...] = (
    ("bytes in 16 bits", lambda: narrow_sum(BYTES, "uint16", 258)),
    ("signed bytes in 16 bits", lambda: narrow_sum(SIGNED, "int16", 257)),
    ("difference", lambda: narrow_difference(129)),
    ("count of 17", lambda: counted(17)),
    ("count of 170", lambda: counted(170)),
    ("in order", in_order),
    ("one of many", one_of_many),
    ("same from behind", same_from_behind),
)
RIGHT: tuple[tuple[str, Write], ...] = (
    ("bytes in 16 bits", lambda: narrow_sum(BYTES, "uint16", 257)),
    ("signed bytes in 16 bits", lambda: narrow_sum(SIGNED, "int16", 256)),
    ("difference", lambda: narrow_difference(128)),
    ("count below 0", lambda: counted(-17)),
)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "write"), WRONG, ids=[name for name, _ in WRONG])
def test_what_is_wrong_of_certain_elements_is_found(name: str, write: Write, seed: int) -> None:
    assert only(ask(NUMERIC, write, seed=seed, explained=False)).code is OUTPUTS_DIFFER


@pytest.mark.parametrize(("name", "write"), RIGHT, ids=[name for name, _ in RIGHT])
def test_what_is_right_up_to_a_limit_is_not_refuted(name: str, write: Write) -> None:
    assert ask(NUMERIC, write).verdict is Verdict.PASS
