"""Rules that are wrong at lengths of thousands, near numbers that they write, or by a constant."""

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


def axis_of_fifty_thousand() -> Subst:
    x = pat.Wildcard(ndim=1, dtype="int8")
    count = op.Size(x)
    return Subst(op.Minimum(count, 49_999), count, where=[x.shape[0] <= 50_000])


def axis_beyond_twenty_thousand() -> Subst:
    count = op.Size(pat.Wildcard(ndim=1, dtype="int8"))
    return Subst(op.Minimum(count, 20_000), count)


def range_up_to_its_limit() -> Subst:
    numbers = op.Arange(start=0, step=1, dtype="int64")
    known = [numbers.end >= 1, numbers.end <= 30_000]
    return Subst(op.Minimum(numbers, 29_998), numbers, where=known)


def product_in_int32(wide: Any, narrow: Any, factor: int) -> tuple[Any, Any]:
    product = narrow * pat.Const(factor, dtype="int32")
    return wide * pat.Const(factor, dtype="int64"), op.Cast(product, dtype="int64")


def range_times(factor: int) -> Subst:
    numbers = op.Arange(start=0, step=1, dtype="int64")
    narrow = op.Arange(start=0, end=numbers.end, step=1, dtype="int32")
    known = [numbers.end >= 1, numbers.end < 30_000]
    return Subst(*product_in_int32(numbers, narrow, factor), where=known)


def range_times_a_large_number() -> Subst:
    return range_times(100_000)


def range_times_a_constant() -> Subst:
    numbers = op.Arange(start=0, step=1, dtype="int64")
    factor = pat.Const(shape=(), dtype="int64")
    narrow = op.Arange(start=0, end=numbers.end, step=1, dtype="int32")
    product = narrow * op.Cast(factor, dtype="int32")
    known = [numbers.end >= 1, numbers.end < 30_000, factor.value >= 0, factor.value < 100_000]
    return Subst(numbers * factor, op.Cast(product, dtype="int64"), where=known)


def size_times_a_constant() -> Subst:
    x, factor = pat.Wildcard(ndim=1, dtype="int8"), pat.Const(shape=(), dtype="int64")
    count = op.Size(x)
    product = op.Cast(count, dtype="int32") * op.Cast(factor, dtype="int32")
    known = [factor.value >= 0, factor.value < 10_000_000]
    return Subst(count * factor, op.Cast(product, dtype="int64"), where=known)


def range_times_a_small_number() -> Subst:
    return range_times(70_000)


def range_below_its_limit() -> Subst:
    numbers = op.Arange(start=0, step=1, dtype="int64")
    known = [numbers.end >= 1, numbers.end <= 30_000]
    return Subst(op.Minimum(numbers, 29_999), numbers, where=known)


WRONG = (
    axis_of_fifty_thousand,
    axis_beyond_twenty_thousand,
    range_up_to_its_limit,
    range_times_a_large_number,
    range_times_a_constant,
    size_times_a_constant,
)


def by_name(write: Any) -> str:
    return write.__name__


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=by_name)
def test_what_is_wrong_at_one_length_is_found(write: Write, seed: int) -> None:
    assert only(ask(NUMERIC, write, seed=seed)).code is OUTPUTS_DIFFER


@pytest.mark.parametrize("write", [range_times_a_small_number, range_below_its_limit], ids=by_name)
def test_what_is_right_at_all_lengths_passes(write: Write) -> None:
    assert ask(NUMERIC, write).verdict is Verdict.PASS
