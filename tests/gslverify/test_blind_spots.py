"""Wrong rules that only rare graphs refute, and sound ones that only rare graphs match."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, attr, op, pat
from gslverify.finding import Level, Verdict
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, is_refuted, question

pytestmark = pytest.mark.smt

INTEGERS = ("int8", "uint8", "int32", "int64")


def next_integer() -> Subst:
    """Wrong where c is the largest integer."""
    x, c = pat.Wildcard(), pat.Const(shape=())
    return Subst(op.Less(x, c + 1), op.LessEqual(x, c), where=[attr.In(x.dtype, INTEGERS)])


def narrowed_constant() -> Subst:
    """Wrong where c is more than 255."""
    x, c = pat.Wildcard(), pat.Const(shape=(), dtype="int32")
    source = op.Less(op.Cast(x, dtype="int32"), c)
    target = op.Less(x, op.Cast(c, dtype="uint8"))
    return Subst(source, target, where=[x.dtype == "uint8", c.value >= 0])


def floor_of_shifted() -> Subst:
    """Wrong where an element of c lies between integers."""
    x, c = pat.Wildcard(), pat.Const(shape=(None,))
    return Subst(op.Floor(x + c), op.Floor(x) + c)


def root_of_square() -> Subst:
    """Wrong where x is negative."""
    x = pat.Wildcard()
    return Subst(op.Power(op.Power(x, 2.0), 0.5), x)


def clamped_logarithm() -> Subst:
    """Wrong where x is tiny."""
    x = pat.Wildcard()
    return Subst(op.Log(x), op.Log(op.Maximum(x, 1e-4)))


def wide_clip() -> Subst:
    """Wrong where x is large."""
    x = pat.Wildcard()
    return Subst(op.Clip(x, min=-200.0, max=200.0), x, where=[x.dtype == "float32"])


def leaky_maximum() -> Subst:
    """Wrong where alpha is more than 1."""
    x = pat.Wildcard()
    leaky = op.LeakyRelu(x)
    return Subst(leaky, op.Maximum(x, x * leaky.alpha), where=[leaky.alpha <= 1.5])


def leaky_twice() -> Subst:
    """Wrong where the inner alpha is negative."""
    x = pat.Wildcard()
    inner = op.LeakyRelu(x)
    outer = op.LeakyRelu(inner)
    target = op.LeakyRelu(x, alpha=outer.alpha * inner.alpha)
    return Subst(outer, target, where=[inner.alpha > -0.4])


def maximum_first() -> Subst:
    """Wrong where a is more than b."""
    x, a, b = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    target = op.Minimum(op.Maximum(x, a), b)
    return Subst(op.Maximum(op.Minimum(x, b), a), target, where=[a.value <= b.value + 0.2])


def two_sums() -> Subst:
    """Wrong where the first axis comes before the second."""
    x = pat.Wildcard()
    total = op.Sum(x, axis=(None, None), keepdims=False)
    one, other = total.axis[0] % x.ndim, total.axis[1] % x.ndim
    inner = op.Sum(x, axis=(one,))
    return Subst(total, op.Sum(inner, axis=((other - 1) % (x.ndim - 1),)))


def narrow_index() -> Subst:
    """Wrong where an axis is longer than 128."""
    x = pat.Wildcard()
    index = op.Argmax(x)
    return Subst(op.Cast(op.Cast(index, dtype="int8"), dtype="int64"), index)


def narrow_count() -> Subst:
    """Wrong where more than 255 elements are true."""
    x = pat.Variable(shape=(None, None), dtype="bool")
    total = op.Sum(op.Cast(x, dtype="uint8"), axis=(None,))
    wide = op.Sum(op.Cast(x, dtype="int32"), **pat.same_attr(total))
    return Subst(op.Cast(total, dtype="int32"), wide)


def all_of_rank_four() -> Subst:
    """Wrong where all three inputs have rank 4, which is one of 125 structures."""
    x, y, z = (pat.Wildcard() for _ in range(3))
    wrong = x.ndim + y.ndim + z.ndim == 12
    return Subst((x + y) + z, pat.Cond(wrong, (x + y) - z, x + (y + z)))


def scaled_by_its_size() -> Subst:
    """Wrong where the first axis has 17 elements."""
    x = pat.Variable(shape=(None, None))
    wrong = x.shape[0] == 17
    return Subst(op.Relu(op.Relu(x)), pat.Cond(wrong, op.Abs(x), op.Relu(x)))


def guarded_index() -> Subst:
    """Wrong where an index lies beyond the end."""
    x, i = pat.Wildcard(), pat.Wildcard()
    inside = op.Minimum(i, pat.Const(x.shape[0] - 1, like=i))
    return Subst(op.Take(x, inside, axis=0), op.Take(x, i, axis=0))


def guarded_divisor() -> Subst:
    """Wrong where y is 0."""
    x, y = pat.Wildcard(), pat.Wildcard()
    safe = op.FloorDivide(x, op.Maximum(y, 1))
    return Subst(safe, op.FloorDivide(x, y), where=[x.dtype == "uint8"])


def quotient_with_itself() -> Subst:
    """Wrong where y is 0, for which the target has no value."""
    y = pat.Wildcard()
    ones = op.FloorDivide(y, y)
    return Subst(op.Maximum(op.Square(y), op.OnesLike(y)), op.Maximum(op.Square(y), ones))


def through_float() -> Subst:
    """Wrong where an integer has more than 24 bits."""
    x = pat.Variable(dtype="int32")
    return Subst(op.Cast(op.Cast(x, dtype="float32"), dtype="int32"), x)


def power_by_logarithm() -> Subst:
    """Wrong where x is negative and y is whole."""
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Power(x, y), op.Exp(y * op.Log(x)))


def remainder_of_the_least() -> Subst:
    """Wrong where x is -128."""
    x = pat.Variable(dtype="int8")
    return Subst(op.Mod(x, 7), op.Negative(op.Mod(op.Negative(x), -7)))


def bias_of_volumes() -> Subst:
    """Wrong where x has five axes."""
    x, b = pat.Wildcard(), pat.Wildcard()
    biased = op.BiasAdd(x, b, axis=1)
    wide = pat.Cond(x.ndim == 3, op.ExpandDims(b, axis=(1,)), op.ExpandDims(b, axis=(1, 2)))
    return Subst(biased, x + wide, where=[x.ndim >= 3])


def few_repetitions() -> Subst:
    """Wrong where there are more than four repetitions."""
    x = pat.Variable(shape=(None, None), dtype="float32")
    repeated = op.Repeat(x, axis=0)
    total = op.Sum(x, axis=(0,), keepdims=False)
    return Subst(op.Sum(repeated, axis=(0,), keepdims=False), total * attr.Min(repeated.repeats, 4))


def counted_in_half() -> Subst:
    """Wrong where more than 2048 elements are true."""
    x = pat.Variable(shape=(None, None), dtype="bool")
    total = op.Sum(op.Cast(x, dtype="int32"), axis=(0,))
    return Subst(op.Cast(op.Cast(total, dtype="float16"), dtype="int32"), total)


def half(*operands: pat.Pattern) -> list[object]:
    return [operand.dtype == "float16" for operand in operands]


def rounded_sum() -> Subst:
    """Wrong where 11 binary digits do not hold the sum."""
    x, y = pat.Wildcard(), pat.Wildcard()
    wide = op.Cast(x, dtype="float32") + op.Cast(y, dtype="float32")
    narrow = op.Cast(wide, dtype="float16")
    return Subst(op.Relu(op.Cast(narrow, dtype="float32")), op.Relu(wide), where=half(x, y))


def digits_kept() -> Subst:
    """Wrong where 11 binary digits do not hold x."""
    x = pat.Wildcard()
    there = op.Cast(x, dtype="float16")
    return Subst(op.Cast(there, dtype="float32"), x, where=[x.dtype == "float32"])


def shifted_range() -> Subst:
    """Wrong where the sum leaves what one byte holds."""
    numbers, c = op.Arange(start=0), pat.Const(shape=())
    small = [numbers.end <= 1000, c.value >= 1, c.value <= 1000]
    integers = attr.In(numbers.dtype, ("int8", "uint8", "int32", "int64"))
    return Subst((numbers + c) % c, numbers % c, where=[integers, *small])


WRONG = [
    guarded_index,
    guarded_divisor,
    quotient_with_itself,
    through_float,
    power_by_logarithm,
    remainder_of_the_least,
    bias_of_volumes,
    few_repetitions,
    counted_in_half,
    rounded_sum,
    digits_kept,
    all_of_rank_four,
    scaled_by_its_size,
    next_integer,
    narrowed_constant,
    floor_of_shifted,
    root_of_square,
    clamped_logarithm,
    wide_clip,
    leaky_maximum,
    leaky_twice,
    maximum_first,
    two_sums,
    narrow_index,
    narrow_count,
    shifted_range,
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=lambda write: write.__name__)
def test_rules_that_are_wrong_on_rare_graphs_are_refuted(
    write: Callable[[], Subst], seed: int
) -> None:
    assert is_refuted(write, SHAPE, NUMERIC, seed=seed)


def relu_twice(*where: object, axes: object = None) -> Subst:
    x = pat.Wildcard()
    inner = x if axes is None else op.Sum(x, axis=axes, keepdims=True)
    return Subst(op.Relu(op.Relu(inner)), op.Relu(inner), where=[test(x) for test in where])


def long_axis() -> Subst:
    return relu_twice(lambda x: x.ndim == 2, lambda x: x.shape[0] >= 25)


def many_channels() -> Subst:
    return relu_twice(lambda x: x.ndim == 2, lambda x: x.shape[1] % 32 == 0)


def rank_five() -> Subst:
    return relu_twice(lambda x: x.ndim == 5)


def last_axes() -> Subst:
    x = pat.Wildcard()
    total = op.Sum(x, keepdims=True)
    where = [total.axis == (-2, -1), x.ndim == 4]
    return Subst(op.Relu(op.Relu(total)), op.Relu(total), where=where)


def three_new_axes() -> Subst:
    x = pat.Wildcard()
    wide = op.ExpandDims(x, axis=(None, None, None))
    return Subst(op.Relu(wide), op.ExpandDims(op.Relu(x), axis=wide.axis))


def sixth_piece() -> Subst:
    x = pat.Wildcard()
    piece = op.Split(x, indices_or_sections=6, axis=0)[5]
    return Subst(op.Relu(op.Relu(piece)), op.Relu(piece))


def large_weight() -> Subst:
    x, w = pat.Wildcard(), pat.Variable(shape=(400, 300))
    dense = op.Dense(x, w)
    return Subst(op.Relu(op.Relu(dense)), op.Relu(dense))


def identity_matrix() -> Subst:
    x, eye = pat.Wildcard(), pat.Const(((1.0, 0.0), (0.0, 1.0)), dtype="float32")
    product = op.Matmul(x, eye, out_dtype="float32")
    return Subst(product, x, where=[x.dtype == "float32", x.ndim >= 1])


def narrow_indices() -> Subst:
    x, i = pat.Wildcard(), pat.Wildcard()
    taken = op.Take(x, op.Cast(i, dtype="int64"))
    return Subst(taken, op.Take(x, i, axis=taken.axis), where=[i.dtype == "int32"])


def scale_of_heads() -> Subst:
    q, k, v = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    scaled = op.Attention(q, k, v, scale=0.125)
    return Subst(scaled, op.Attention(q, k, v), where=[q.shape[3] == 64])


def sum_in_a_wider_type() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    wide = op.Cast(x, dtype="float32") + op.Cast(y, dtype="float32")
    return Subst(op.Cast(wide, dtype="float16"), x + y, where=half(x, y))


def product_in_a_wider_type() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    wide = op.Cast(x, dtype="float32") * op.Cast(y, dtype="float32")
    return Subst(op.Cast(wide, dtype="float16"), x * y, where=half(x, y))


SOUND = [
    sum_in_a_wider_type,
    product_in_a_wider_type,
    long_axis,
    many_channels,
    rank_five,
    last_axes,
    three_new_axes,
    sixth_piece,
    large_weight,
    identity_matrix,
    narrow_indices,
    scale_of_heads,
]


@pytest.mark.parametrize("write", SOUND, ids=lambda write: write.__name__)
def test_sound_rules_that_match_rare_graphs_pass(write: Callable[[], Subst]) -> None:
    asked = question(write, max_examples=14, min_examples=5)
    for stage in (SATISFIABLE, SHAPE, NUMERIC):
        result = stage.run(asked)
        kinds = {finding.code.id for finding in result.findings}
        assert result.verdict is Verdict.PASS
        assert kinds <= {"GSL471"}


@pytest.mark.parametrize("write", [last_axes])
def test_shapes_of_rare_graphs_are_claimed_where_all_were_looked_at(
    write: Callable[[], Subst],
) -> None:
    (assurance,) = ask(SHAPE, write).assurances

    assert (assurance.level, assurance.text) == (Level.PROVED, "proved, rank 4")


def conditional(size: int) -> Subst:
    """Wrong where the only axis has `size` elements."""
    x = pat.Variable(shape=(None,))
    return Subst(op.Relu(op.Relu(x)), pat.Cond(x.shape[0] == size, op.Abs(x), op.Relu(x)))


@pytest.mark.parametrize(
    ("size", "verdict"),
    [(3001, Verdict.FAIL), (1_000_003, Verdict.INCONCLUSIVE), (0, Verdict.PASS)],
)
def test_ways_that_are_not_tried_are_not_passed(size: int, verdict: Verdict) -> None:
    result = ask(NUMERIC, lambda: conditional(size), use_tvm=False)

    assert result.verdict is verdict
    if verdict is Verdict.INCONCLUSIVE:
        (finding,) = result.findings
        assert finding.message == "no graph was run on which a condition of the target is true"
        assert not result.assurances
