"""For which rules sizes have a limit."""

from __future__ import annotations

from typing import Any

import pytest

from gsl import Subst, op, pat
from gslverify.structures.limits import LARGEST_SIZE, largest_size


def constant_of_size(x: Any) -> Any:
    return op.Relu(x) * pat.Const(x.shape[0], like=x)


def filled_with_size(x: Any) -> Any:
    return op.Full(shape=x.shape, fill_value=x.shape[0] - 1, dtype="int64")


def like_filled_with_size(x: Any) -> Any:
    return op.FullLike(x, fill_value=x.shape[0], dtype="int64")


def counted_up_to_size(x: Any) -> Any:
    return op.Arange(end=x.shape[0], dtype="int64")


def cut_at_size(x: Any) -> Any:
    return op.StridedSlice(x, begin=(0,), end=(x.shape[0] - 1,))


def spread_to_size(x: Any) -> Any:
    return op.BroadcastTo(x, shape=x.shape)


def filled_with_number(x: Any) -> Any:
    return op.Full(shape=x.shape, fill_value=3.0, dtype="int64")


@pytest.mark.parametrize(
    ("write", "largest"),
    [
        (constant_of_size, LARGEST_SIZE),
        (filled_with_size, LARGEST_SIZE),
        (like_filled_with_size, LARGEST_SIZE),
        (counted_up_to_size, LARGEST_SIZE),
        (cut_at_size, None),
        (spread_to_size, None),
        (filled_with_number, None),
    ],
)
def test_sizes_are_limited_where_the_target_makes_numbers_of_them(write: Any, largest: Any) -> None:
    x = pat.Variable(shape=(None,))
    assert largest_size(Subst(op.Relu(x), write(x))) == largest


def test_sizes_are_limited_where_the_target_makes_numbers_of_an_attribute_that_is_one() -> None:
    hot = op.OneHot(pat.Variable(ndim=1, dtype="int64"), axis=-1)
    counted = op.Cast(op.Arange(end=hot.depth, dtype="int64"), dtype="float32")
    assert largest_size(Subst(hot, counted)) == LARGEST_SIZE
