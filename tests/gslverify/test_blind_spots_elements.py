"""Wrong rules about which elements are read, and near misses that hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, attr, op, pat
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.prove import PROVE
from gslverify.stages.shape import SHAPE
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, is_refuted, question

pytestmark = pytest.mark.smt


def maximum_of_parts(end: Callable[[attr.Term], attr.Term], start: Callable[..., object]) -> Subst:
    """max(x) => the larger one of the maxima of a beginning and an end of x."""
    x = pat.Variable(shape=(None,), dtype="int32")
    n = x.shape[0]
    first = op.StridedSlice(x, begin=(0,), end=(end(n),))
    last = op.StridedSlice(x, begin=(start(n),), end=(n,))
    one, other = (op.Max(part, axis=(0,), keepdims=True) for part in (first, last))
    return Subst(op.Max(x, axis=(0,), keepdims=True), op.Maximum(one, other))


def half(n: attr.Term) -> attr.Term:
    return attr.Max(n // 2, 1)


def gap_in_long_inputs() -> Subst:
    """Wrong where x has 11 elements or more, and the largest is in the middle."""
    return maximum_of_parts(half, lambda n: attr.Min(n // 2 + n // 11, n - 1))


def overlapping_parts() -> Subst:
    return maximum_of_parts(lambda n: n - n // 2, lambda n: n // 2)


def product_of_overlapping_parts() -> Subst:
    """Wrong where x has an odd number of elements: the middle one counts twice."""
    x = pat.Variable(shape=(None,), dtype="int32")
    n = x.shape[0]
    first = op.StridedSlice(x, begin=(0,), end=(n - n // 2,))
    last = op.StridedSlice(x, begin=(n // 2,), end=(n,))
    one, other = (op.Prod(part, axis=(0,), keepdims=True) for part in (first, last))
    return Subst(op.Prod(x, axis=(0,), keepdims=True), one * other)


def every_third(starts: tuple[int, ...]) -> Subst:
    """sum(x) => the sums of every third element."""
    x = pat.Variable(shape=(None,), dtype="int32")
    n = x.shape[0]
    sums = [
        op.Sum(op.StridedSlice(x, begin=(attr.Min(k, n),), end=(n,), strides=(3,)), keepdims=True)
        for k in starts
    ]
    return Subst(op.Sum(x, keepdims=True), sums[0] + sums[1] + sums[2])


def every_third_but_one() -> Subst:
    return every_third((0, 1, 1))


def all_thirds() -> Subst:
    return every_third((0, 1, 2))


def flipped_convolution(swapped: bool) -> Subst:
    """flip(conv(x, w)) => conv(flip(x), flip(w)) with the padding of both ends."""
    x, w = pat.Wildcard(), pat.Wildcard()
    conv = op.Conv1D(x, w, data_layout="NCW", kernel_layout="OIW", groups=1, strides=(1,))
    ends = (conv.padding[1], conv.padding[0])
    attributes = {**pat.same_attr(conv), "padding": ends if swapped else conv.padding}
    target = op.Conv1D(op.Flip(x, axis=2), op.Flip(w, axis=2), **attributes)
    return Subst(op.Flip(conv, axis=2), target)


def padding_stays_where_it_was() -> Subst:
    return flipped_convolution(swapped=False)


def padding_changes_sides() -> Subst:
    return flipped_convolution(swapped=True)


def reversed_channels(groups: int | None) -> Subst:
    """conv(flip(x), flip(w)) => conv(x, w), wrong with groups of channels."""
    x, w = pat.Wildcard(), pat.Wildcard()
    given = {} if groups is None else {"groups": groups}
    flipped = op.Flip(x, axis=1), op.Flip(w, axis=1)
    conv = op.Conv1D(*flipped, data_layout="NCW", kernel_layout="OIW", **given)
    return Subst(conv, op.Conv1D(x, w, **pat.same_attr(conv)))


def channels_of_groups() -> Subst:
    return reversed_channels(None)


def channels_of_one_group() -> Subst:
    return reversed_channels(1)


def onehot_of_the_same(gap: float) -> Subst:
    """argmax(onehot(i)) => i, wrong where both values are one."""
    i = pat.Variable(dtype="int64")
    hot = op.OneHot(i, dtype="float32")
    found = op.Argmax(hot, axis=hot.axis, keepdims=False)
    return Subst(found, i, where=[hot.on_value >= hot.off_value + gap])


def onehot_or_all_equal() -> Subst:
    return onehot_of_the_same(0)


def exclusive_sums(exclusive: bool | None) -> Subst:
    """cumsum(x) => cumsum(x, exclusive=False) - x, wrong where it includes x itself."""
    x = pat.Wildcard()
    given = {} if exclusive is None else {"exclusive": exclusive}
    sums = op.Cumsum(x, **given)
    return Subst(sums, op.Cumsum(x, axis=sums.axis, exclusive=False) - x)


def sums_of_either_kind() -> Subst:
    return exclusive_sums(None)


def sums_without_the_element() -> Subst:
    return exclusive_sums(True)


def rounded_next(step: float) -> Subst:
    """round(x + step) => round(x) + step, wrong for odd steps: halves go to the even neighbour."""
    x = pat.Variable(dtype="float64")
    return Subst(op.Round(x + step), op.Round(x) + step)


def rounded_one_further() -> Subst:
    return rounded_next(1.0)


def rounded_two_further() -> Subst:
    return rounded_next(2.0)


def one_of_three_diagonals(strict: bool) -> Subst:
    """triu(tril(x)) => 0 where the diagonals do not meet."""
    x = pat.Variable(shape=(None, None))
    below = op.Tril(x)
    both = op.Triu(below)
    apart = both.k > below.k if strict else both.k >= below.k
    return Subst(both, op.ZerosLike(x, dtype=x.dtype), where=[apart])


def shared_diagonal() -> Subst:
    return one_of_three_diagonals(strict=False)


def no_shared_diagonal() -> Subst:
    return one_of_three_diagonals(strict=True)


def difference_of_extrema() -> Subst:
    """Wrong where the difference of bytes wraps."""
    x, y = pat.Variable(dtype="int8"), pat.Variable(dtype="int8")
    return Subst(op.Maximum(x, y) - op.Minimum(x, y), op.Abs(x - y))


def softmax_of_the_other_axis() -> Subst:
    """Wrong for one permutation of three axes, which is not its own inverse."""
    x = pat.Variable(shape=(None, None, None), dtype="float32")
    moved = op.Transpose(x)
    soft = op.Softmax(moved)
    axis = soft.axis % 3
    inside = attr.Cond(moved.axes == (2, 0, 1), (axis + 1) % 3, moved.axes[axis])
    return Subst(soft, op.Transpose(op.Softmax(x, axis=inside), axes=moved.axes))


def place_in(dtype: str, longest: int) -> Subst:
    """The place of the largest element, kept in a narrow dtype."""
    x = pat.Variable(shape=(None,))
    place = op.Argmax(x, axis=0)
    through = op.Cast(op.Cast(place, dtype=dtype), dtype="int64")
    return Subst(through, place, where=[x.shape[0] <= longest])


def last_place_in_int8() -> Subst:
    return place_in("int8", 129)


def last_place_in_uint8() -> Subst:
    return place_in("uint8", 257)


def last_place_in_halves() -> Subst:
    return place_in("float16", 2050)


def places_in_int8() -> Subst:
    return place_in("int8", 128)


def places_in_halves() -> Subst:
    return place_in("float16", 2049)


def index_within(dtype: str) -> Subst:
    """take(cat(x, x), i) => take(x, i % n), where n is a number of the dtype of i."""
    x, i = pat.Variable(shape=(None, None)), pat.Variable(dtype=dtype)
    taken = op.Take(op.Concatenate((x, x), axis=0), i, axis=0)
    return Subst(taken, op.Take(x, op.Mod(i, pat.Const(x.shape[0], dtype=dtype)), axis=0))


def size_in_32_bits() -> Subst:
    """Wrong where x has 2 ** 31 rows."""
    return index_within("int32")


def size_in_64_bits() -> Subst:
    return index_within("int64")


def responses_of_doubled(factor: float) -> Subst:
    """lrn(2 x) => 2 lrn(x) with four times alpha; an attribute stands before a sum."""
    x = pat.Wildcard(dtype="float32")
    source = op.LRN(x * 2.0)
    kept = {name: getattr(source, name) for name in ("size", "beta", "bias")}
    return Subst(source, op.LRN(x, alpha=source.alpha * factor, **kept) * 2.0)


def responses_of_twice_alpha() -> Subst:
    return responses_of_doubled(2.0)


def responses_of_four_times_alpha() -> Subst:
    return responses_of_doubled(4.0)


WRONG = [
    responses_of_twice_alpha,
    last_place_in_int8,
    last_place_in_uint8,
    last_place_in_halves,
    size_in_32_bits,
    gap_in_long_inputs,
    product_of_overlapping_parts,
    every_third_but_one,
    padding_stays_where_it_was,
    channels_of_groups,
    onehot_or_all_equal,
    sums_of_either_kind,
    rounded_one_further,
    shared_diagonal,
    difference_of_extrema,
    softmax_of_the_other_axis,
]

SOUND = [
    responses_of_four_times_alpha,
    places_in_int8,
    places_in_halves,
    size_in_64_bits,
    overlapping_parts,
    all_thirds,
    padding_changes_sides,
    channels_of_one_group,
    sums_without_the_element,
    rounded_two_further,
    no_shared_diagonal,
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=lambda write: write.__name__)
def test_wrong_elements_are_found(write: Callable[[], Subst], seed: int) -> None:
    assert is_refuted(write, SHAPE, NUMERIC, seed=seed)


@pytest.mark.parametrize("write", WRONG, ids=lambda write: write.__name__)
def test_wrong_elements_are_never_proved(write: Callable[[], Subst]) -> None:
    assert not ask(PROVE, write).assurances


@pytest.mark.parametrize("write", SOUND, ids=lambda write: write.__name__)
def test_right_elements_pass(write: Callable[[], Subst]) -> None:
    asked = question(write)
    for stage in (SHAPE, PROVE, NUMERIC):
        assert stage.run(asked).verdict is Verdict.PASS
