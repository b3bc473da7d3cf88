"""Wrong rules that only tensors refute whose elements are alike, or that are alike themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]


def at_least(size: int) -> tuple[pat.Pattern, list[attr.Term]]:
    x = pat.Variable(shape=(None,), dtype="float32")
    return x, [x.shape[0] >= size]


def normalised_without_guard() -> Subst:
    x = pat.Variable(dtype="float32")
    total = op.Sum(x * x, axis=(-1,), keepdims=True)
    guarded = x / op.Maximum(op.Sqrt(total), pat.Const(1e-12))
    return Subst(guarded, x * op.Rsqrt(total), where=[x.ndim >= 1, x.shape[-1] >= 8])


def largest_is_no_least() -> Subst:
    x, where = at_least(32)
    largest, least = (reduce(x, axis=(0,), keepdims=False) for reduce in (op.Max, op.Min))
    return Subst(op.Equal(largest, least), op.Zeros(shape=(), dtype="bool"), where=where)


def places_differ() -> Subst:
    x, where = at_least(12)
    places = (place(x, axis=0, keepdims=False) for place in (op.Argmax, op.Argmin))
    return Subst(op.Equal(*places), op.Zeros(shape=(), dtype="bool"), where=where)


def variance_is_positive() -> Subst:
    x, where = at_least(16)
    spread = op.Variance(x, axis=(0,), keepdims=False)
    return Subst(op.Greater(spread, pat.Const(0.0)), op.Ones(shape=(), dtype="bool"), where=where)


def sum_without_guard() -> Subst:
    x, where = at_least(4)
    total = op.Sum(op.Abs(x), axis=(0,), keepdims=False)
    return Subst(op.Maximum(total, pat.Const(1e-6)), total, where=where)


def attention_without_guard() -> Subst:
    x = pat.Variable(shape=(None, 32), dtype="float32")
    kept = op.Relu(x)
    total = op.Sum(kept, axis=(1,), keepdims=True)
    return Subst(kept / op.Maximum(total, pat.Const(1e-6)), kept / total)


def tensors_never_equal() -> Subst:
    x, y = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    equal = op.Cast(op.Equal(x, y), dtype="int32")
    never = op.Zeros(shape=(), dtype="int32")
    where = [x.shape[0] >= 4, x.shape == y.shape]
    return Subst(op.Min(equal, axis=(0,), keepdims=False), never, where=where)


WRONG = (
    normalised_without_guard, largest_is_no_least, places_differ, variance_is_positive,
    sum_without_guard, attention_without_guard, tensors_never_equal,
)  # fmt: skip


def guard_of_a_positive_sum() -> Subst:
    x, where = at_least(4)
    total = op.Sum(op.Abs(x) + 1.0, axis=(0,), keepdims=False)
    return Subst(op.Maximum(total, pat.Const(1e-6)), total, where=where)


def variance_is_not_negative() -> Subst:
    x, where = at_least(16)
    spread = op.Variance(x, axis=(0,), keepdims=False)
    ones = op.Ones(shape=(), dtype="bool")
    return Subst(op.GreaterEqual(spread, pat.Const(0.0)), ones, where=where)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG)
def test_mistakes_where_all_is_alike_are_found(write: Write, seed: int) -> None:
    assert only(ask(NUMERIC, write, seed=seed, explained=False)).code is OUTPUTS_DIFFER


@pytest.mark.parametrize("write", [guard_of_a_positive_sum, variance_is_not_negative])
def test_sound_rules_beside_them_pass(write: Write) -> None:
    assert ask(NUMERIC, write).findings == ()
