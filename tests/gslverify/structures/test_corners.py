"""Rules that are wrong only in a corner: at several limits, for long ranges, in one way at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gsl.attr.term import Symbol, Term
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from gslverify.structures.models.concrete import meets
from gslverify.structures.models.corners import joint_boundaries, multiples, without_ones
from gslverify.structures.targets.arms import Arms, with_all_axes_seen
from gslverify.structures.variants import enumerate_variants
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, is_refuted

pytestmark = pytest.mark.smt

N, M = Symbol("n", low=1), Symbol("m", low=1)


def counted_in(dtype: str, most: int) -> Subst:
    x = pat.Wildcard()
    count, wide = (
        op.Sum(op.OnesLike(x, dtype=one), axis=(0, 1), keepdims=False) for one in (dtype, "int32")
    )
    limits = [x.ndim == 2, x.shape[0] <= most, x.shape[1] <= most]
    return Subst(op.Cast(count, dtype="int32"), wide, where=limits)


def sum_of_clipped(most: int) -> Subst:
    one, two = op.Clip(pat.Variable(dtype="int8")), op.Clip(pat.Variable(dtype="int8"))
    wide = op.Cast(one, dtype="int32") + op.Cast(two, dtype="int32")
    limits = [one.max <= most, two.max <= most, one.min >= -60, two.min >= -60]
    return Subst(op.Cast(one + two, dtype="int32"), wide, where=limits)


def range_by_way_of(dtype: str) -> Subst:
    numbers = op.Arange(dtype="int32", start=0, step=1)
    there_and_back = op.Cast(op.Cast(numbers, dtype=dtype), dtype="int32")
    return Subst(there_and_back, op.Arange(**pat.same_attr(numbers)))


def slices_turned_round(stride: int, axis: int) -> Subst:
    x = pat.Wildcard()
    source = op.StridedSlice(x)
    piece = op.Relu(op.StridedSlice(x, **pat.same_attr(source)))
    turned = op.Flip(op.Flip(piece, axis=0), axis=axis) if axis else op.Flip(piece, axis=0)
    target = pat.Cond(source.strides[0] == stride, turned, piece)
    return Subst(op.Relu(source), target, where=[x.ndim == 1])


def lower_parts(special: int) -> Subst:
    x = pat.Wildcard()
    one = op.Tril(x)
    two = op.Tril(one)
    both = attr.Min(one.k, two.k)
    return Subst(two, op.Tril(x, k=attr.Cond(one.k == special, one.k, both) if special else both))


def upper_part(other: int) -> Subst:
    x = pat.Wildcard()
    part = op.Triu(x)
    target = op.Triu(op.Relu(x), k=attr.Cond(part.k == 7, other, part.k))
    return Subst(op.Relu(part), target)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("write", "verdict"),
    [
        (lambda: counted_in("int8", 20), Verdict.FAIL),
        (lambda: counted_in("uint8", 16), Verdict.FAIL),
        (lambda: counted_in("int8", 11), Verdict.PASS),
        (lambda: counted_in("uint16", 260), Verdict.FAIL),
        (lambda: counted_in("int16", 180), Verdict.PASS),
        (lambda: sum_of_clipped(64), Verdict.FAIL),
        (lambda: sum_of_clipped(63), Verdict.PASS),
        (lambda: range_by_way_of("int8"), Verdict.FAIL),
        (lambda: range_by_way_of("float16"), Verdict.FAIL),
        (lambda: range_by_way_of("int64"), Verdict.PASS),
        (lambda: slices_turned_round(4, 0), Verdict.FAIL),
        (lambda: lower_parts(-2), Verdict.FAIL),
        (lambda: lower_parts(0), Verdict.PASS),
        (lambda: upper_part(8), Verdict.FAIL),
        (lambda: upper_part(7), Verdict.PASS),
    ],
)
def test_rule_that_is_wrong_in_a_corner_is_refuted(
    write: Callable[[], Any], verdict: Verdict, seed: int
) -> None:
    assert ask(NUMERIC, write, seed=seed, explained=False).verdict is verdict


def _reached(demand: Term) -> list[tuple[int, int]]:
    return [(n, m) for n in range(1, 22) for m in range(1, 8) if meets({N: n, M: m}, demand)]


def test_upper_and_lower_limits_are_reached_together() -> None:
    upper, lower = joint_boundaries([N <= 20, M < 7, N >= 2, M >= 3])
    assert _reached(upper) == [(20, 6)]
    assert _reached(lower) == [(2, 3)]
    assert not list(joint_boundaries([N <= 20]))


def test_pairs_of_choices_fall_both_ways() -> None:
    arms = Arms(open=[N == 1, M == 1], extremes=[N < M])
    assert len(arms.pairs(100)) == 4 + 2 + 2
    assert len(arms.pairs(3)) == 3
    assert not Arms(open=[N == 1]).pairs(100)


def repeated(whole: int) -> Subst:
    """repeat(x) => tile(x), wrong where `whole` is a product of two numbers from 2 on."""
    x = pat.Wildcard()
    source = op.Repeat(x, axis=0)
    size, times = x.shape[0], source.repeats
    condition = (size - 1) * (times - 1) * (size * times - whole) == 0
    target = op.Tile(x, repeats=(times,))
    return Subst(source, target, where=[x.ndim == 1, condition])


def resized(as_repeated: bool) -> Subst:
    """resize[n to m](x)  =>  repeat[m // n](x), or the same by its own attributes"""
    nearest = {"mode": "nearest", "coordinates": "asymmetric", "rounding": "round_prefer_floor"}
    x = pat.Wildcard(ndim=1)
    made = op.Resize(x, **nearest)
    size = made.sizes[0]
    same = op.Resize(x, **pat.same_attr(made))
    target = op.Repeat(x, repeats=size // x.shape[0], axis=0) if as_repeated else same
    return Subst(op.Abs(made), op.Abs(target), where=[size % x.shape[0] == 0])


@pytest.mark.parametrize("seed", SEEDS)
def test_sizes_that_divide_others_are_several_times_as_small(seed: int) -> None:
    assert is_refuted(lambda: resized(as_repeated=True), NUMERIC, seed=seed)


def test_sizes_that_divide_others_make_no_difference_by_themselves() -> None:
    assert ask(NUMERIC, lambda: resized(as_repeated=False)).verdict is Verdict.PASS


def test_quotients_have_corners() -> None:
    demands = list(multiples([N // M == 3, N % 4 == 0, N % M == 0]))

    assert len(demands) == 6
    reached = [_reached(demand) for demand in demands[:3]]
    assert [pairs[0] for pairs in reached] == [(4, 2), (6, 2), (8, 2)]


@pytest.mark.parametrize("seed", SEEDS)
def test_factors_that_are_not_one_are_tried(seed: int) -> None:
    assert is_refuted(lambda: repeated(35), NUMERIC, seed=seed)


def test_a_product_that_has_no_such_factors_is_no_counterexample() -> None:
    assert ask(NUMERIC, lambda: repeated(37)).verdict is Verdict.PASS


def test_conditions_that_multiply_unknown_numbers_have_a_corner() -> None:
    (demand,) = without_ones(N * M == 35)

    assert [meets({N: n, M: 35 // n}, demand) for n in (1, 5, 7, 35)] == [False, True, True, False]
    assert not list(without_ones(2 * N + M == 35))


def projected(swapped: bool) -> Subst:
    """self_attention(x, w, b) => its parts; heads and channels of values may be swapped."""
    x, w, b = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(ndim=1)
    source = op.SelfAttention(x, w, b, pat.Absent())
    batches, count = x.shape[0], x.shape[1]
    heads, whole = source.num_heads, w.shape[1] // 3
    cut = op.Split(op.Matmul(x, w, out_dtype=x.dtype) + b, indices_or_sections=3, axis=2)
    wide, high = (batches, count, heads, whole // heads), (batches, count, whole // heads, heads)
    query, key = (op.Transpose(op.Reshape(cut[n], shape=wide), axes=(0, 2, 1, 3)) for n in (0, 1))
    order = (0, 3, 1, 2) if swapped else (0, 2, 1, 3)
    value = op.Transpose(op.Reshape(cut[2], shape=high if swapped else wide), axes=order)
    flags = {name: getattr(source, name) for name in ("scale", "is_causal")}
    attended = op.MaskedAttention(query, key, value, pat.Absent(), **flags)
    joined = op.Reshape(op.Transpose(attended, axes=(0, 2, 1, 3)), shape=(batches, count, whole))
    return Subst(source, joined, where=[count >= 1, whole >= 1])


@pytest.mark.parametrize(
    ("swapped", "verdict"), [(True, Verdict.FAIL), (False, Verdict.PASS)], ids=["swapped", "sound"]
)
def test_axes_that_only_the_target_has_are_longer_than_one(swapped: bool, verdict: Verdict) -> None:
    assert ask(NUMERIC, lambda: projected(swapped)).verdict is verdict


def test_what_the_source_has_is_no_demand_on_the_target() -> None:
    x = pat.Wildcard()
    flat = op.Reshape(x, shape=(x.shape[0] // 2, 2 * x.shape[1]))
    for target, made in ((op.Relu(op.Abs(x)), 0), (op.Abs(flat), 1)):
        subst = Subst(op.Abs(op.Relu(x)), target, where=[x.ndim == 2])
        (variant,) = enumerate_variants(subst).variants
        assert len(with_all_axes_seen(variant.instance(subst))) == made
