"""Rules whose proofs hold for every rank, and rules that keep the ranks that were tried."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, attr, op, pat
from gslverify.stages.prove import PROVE
from tests.gslverify.stages.asking import ask

pytestmark = pytest.mark.smt


def twice_negative() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Negative(op.Negative(x)), x)


def sums_commute() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x + y, y + x)


def difference_of_equals() -> Subst:
    x = pat.Wildcard()
    floating = attr.In(x.dtype, ("float16", "float32", "float64"))
    return Subst(x - x, op.Zeros(shape=x.shape, dtype=x.dtype), where=[floating])


def negative_sum() -> Subst:
    x = pat.Wildcard()
    total = op.Sum(op.Negative(x))
    return Subst(total, op.Negative(op.Sum(x, **pat.same_attr(total))))


def softmax_of_twice_negative() -> Subst:
    x = pat.Wildcard()
    soft = op.Softmax(op.Negative(op.Negative(x)))
    return Subst(soft, op.Softmax(x, axis=soft.axis))


def last_axis_only() -> Subst:
    x = pat.Wildcard()
    soft = op.Softmax(op.Negative(op.Negative(x)), axis=-1)
    return Subst(soft, op.Softmax(x, axis=-1))


def flip_of_flip() -> Subst:
    x = pat.Wildcard()
    inner = op.Flip(x)
    outer = op.Flip(inner)
    return Subst(outer, x, where=[inner.axis % x.ndim == outer.axis % x.ndim])


def transpose_of_negative() -> Subst:
    x = pat.Wildcard()
    moved = op.Transpose(op.Negative(x))
    return Subst(moved, op.Negative(op.Transpose(x, axes=moved.axes)))


def not_scalars() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Negative(op.Negative(x)), x, where=[x.ndim >= 1])


ALL = [
    twice_negative,
    sums_commute,
    difference_of_equals,
    negative_sum,
    softmax_of_twice_negative,
    last_axis_only,
    flip_of_flip,
    transpose_of_negative,
    not_scalars,
]


@pytest.mark.parametrize("write", ALL)
def test_a_proof_holds_for_all_ranks(write: Callable[[], Subst]) -> None:
    (assurance,) = ask(PROVE, write).assurances
    assert assurance.text == "proved, all ranks"


def of_matrices() -> Subst:
    x = pat.Wildcard(shape=(None, None))
    return Subst(op.Negative(op.Negative(x)), x)


def below_four() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Negative(op.Negative(x)), x, where=[x.ndim <= 3])


@pytest.mark.parametrize(
    ("write", "text"),
    [(of_matrices, "proved, rank 2"), (below_four, "proved, ranks 0-3")],
)
def test_the_ranks_stay_where_there_are_no_others(write: Callable[[], Subst], text: str) -> None:
    (assurance,) = ask(PROVE, write).assurances
    assert assurance.text == text


def test_not_all_structures_are_not_all_ranks() -> None:
    (assurance,) = ask(PROVE, twice_negative, max_variants=2).assurances
    assert assurance.text == "proved for 2 of 5 structures, ranks 1-2"


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        (below_four, "not for all ranks: no structure with more axes was found"),
        (twice_negative, ""),
    ],
)
def test_the_reason_against_all_ranks_is_told(write: Callable[[], Subst], reason: str) -> None:
    assert "".join(ask(PROVE, write).notes) == reason
