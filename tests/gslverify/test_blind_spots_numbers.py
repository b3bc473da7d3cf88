"""Wrong rules that only some numbers refute: of fields, in quotients, as elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.numeric import TOO_FEW_EXAMPLES
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, is_refuted, only

pytestmark = pytest.mark.smt


def relus(chosen: Callable[[pat.Variadic, attr.Symbol], Any]) -> Subst:
    """cat(relu(x_0), ...) => relu(cat(x_chosen(0), ...)), all of one shape."""
    x = pat.Wildcard()
    limited = op.Relu(x)
    fields = pat.Variadic(limited, templates=[limited, x], min_len=2)
    i = attr.Symbol("i")
    inner = fields(x, chosen(fields, i))
    inputs = pat.Variadic(inner, templates=[inner], index=i, length=fields.length)
    joined = op.Concatenate(fields, axis=0)
    alike = attr.All(lambda k: fields(x, k).shape == fields(x, 0).shape, length=fields.length)
    return Subst(joined, op.Relu(op.Concatenate(inputs, axis=0)), where=[alike])


def fifth_of_five() -> Subst:
    return relus(lambda fields, i: attr.Cond(fields.length == 5, 4 - i, i))


def seven_fields() -> Subst:
    return relus(lambda fields, i: attr.Cond(fields.length == 7, 6 - i, i))


def thirteenth_field() -> Subst:
    return relus(lambda fields, i: attr.Cond(i == 12, 11, i))


def capped_field() -> Subst:
    return relus(lambda fields, i: attr.Min(i, 14))


def every_sixteenth_field() -> Subst:
    return relus(lambda fields, i: i - (i % 16) // 15)


def thousandth_field() -> Subst:
    return relus(lambda fields, i: attr.Cond(i == 1000, 0, i))


def field_of_long_input() -> Subst:
    """Wrong where an input is longer than 20."""
    x = pat.Wildcard()
    limited = op.Relu(x)
    fields = pat.Variadic(limited, templates=[limited, x], min_len=2)
    i = attr.Symbol("i")
    is_long = fields(x, i).shape[0] > 20
    inner = fields(x, attr.Cond(is_long, 0, i))
    inputs = pat.Variadic(inner, templates=[inner], index=i, length=fields.length)
    joined = op.Concatenate(fields, axis=0)
    alike = attr.All(lambda k: fields(x, k).shape == fields(x, 0).shape, length=fields.length)
    return Subst(joined, op.Relu(op.Concatenate(inputs, axis=0)), where=[alike])


def other_axis(allowed: Callable[[Any], Any]) -> Subst:
    """flip[0](flip[a](cat[a](x_0, ...))) => cat[a](x_0, ...), for a = 0 or as lengths allow."""
    x = pat.Wildcard()
    fields = pat.Variadic(x, min_len=2)
    joined = op.Concatenate(fields)
    flipped = op.Flip(op.Flip(joined, axis=joined.axis), axis=0)
    return Subst(flipped, joined, where=[(joined.axis == 0) | allowed(fields.length)])


def axis_of_six_fields() -> Subst:
    return other_axis(lambda length: length >= 6)


def axis_of_seven_fields() -> Subst:
    return other_axis(lambda length: length == 7)


def no_more_than_nine_fields() -> Subst:
    x = pat.Wildcard()
    fields = pat.Variadic(x, min_len=2)
    joined = op.Relu(op.Concatenate(fields, axis=0))
    return Subst(op.Relu(joined), joined, where=[fields.length < 10])


def no_more_than_a_thousand_fields() -> Subst:
    x = pat.Wildcard()
    fields = pat.Variadic(x, min_len=2)
    joined = op.Relu(op.Concatenate(fields, axis=0))
    return Subst(op.Relu(joined), joined, where=[fields.length <= 1000])


def repeated_instead_of_tiled() -> Subst:
    """Wrong where five elements are taken five times, which the condition allows by mistake."""
    x = pat.Wildcard()
    tiled = op.Tile(x, repeats=(None,))
    times, size = tiled.repeats[0], x.shape[0]
    spread = op.BroadcastTo(op.ExpandDims(x, axis=(1,)), shape=(size, times))
    allowed = (times == 1) | (size <= 1) | ((times == 5) & (size == 5))
    return Subst(tiled, op.Reshape(spread, shape=tiled.shape), where=[allowed, x.ndim == 1])


def all_fields() -> Subst:
    return relus(lambda fields, i: attr.Cond(i == 12, 12, i))


def rotated(by: Callable[[Any], Any]) -> Subst:
    """relu(x) => relu(x) with the first elements behind the others."""
    x = pat.Variable(shape=(None,))
    n = x.shape[0]
    first = op.StridedSlice(x, begin=(0,), end=(by(n),))
    others = op.StridedSlice(x, begin=(by(n),), end=(n,))
    return Subst(op.Relu(x), op.Relu(op.Concatenate((others, first), axis=0)))


def half_a_hundred() -> Subst:
    return rotated(lambda n: n // 50)


def thousands() -> Subst:
    return rotated(lambda n: n // 1000)


def nine_thousand() -> Subst:
    return rotated(lambda n: n // 9_000)


def many_thousands() -> Subst:
    return rotated(lambda n: n // 90_000)


def a_million() -> Subst:
    return rotated(lambda n: n // 1_000_000)


def multiples_of_53() -> Subst:
    return rotated(lambda n: attr.Cond(n % 53 == 52, 1, 0))


def nothing_behind() -> Subst:
    return rotated(lambda n: n // 50 * 0)


def padded_by_eight() -> Subst:
    """Wrong where 8 rows or more are padded above."""
    x, w = pat.Wildcard(), pat.Wildcard()
    conv = op.Conv2D(x, w)
    top, left, bottom, right = (conv.padding[i] for i in range(4))
    padding = (top - top // 8, left, bottom + top // 8, right)
    others = ["strides", "dilation", "groups", "out_dtype", "data_layout", "kernel_layout"]
    target = op.Conv2D(x, w, padding=padding, **pat.same_attr(conv, others))
    return Subst(conv, target)


def number_among_many() -> Subst:
    """Wrong where x is one number."""
    x = pat.Wildcard()
    same = op.Equal(x, pat.Const(value=123456, dtype="int32"))
    return Subst(same, op.NotEqual(x, x))


def real_among_many() -> Subst:
    """Wrong where x is one number."""
    x = pat.Wildcard()
    same = op.Equal(x, pat.Const(value=37.25, dtype="float32"))
    return Subst(same, op.NotEqual(x, x))


def number_of_the_target() -> Subst:
    """Wrong where x is one number that only the target names."""
    x = pat.Wildcard()
    needle = pat.Const(value=54321, dtype="int32")
    return Subst(
        op.Equal(x, x),
        op.NotEqual(x, needle),
        where=[x.dtype == "int32"],
    )


def zeros_of_a_product() -> Subst:
    """(x - 3)(x - 5)(x - 300) == 0 => x in {3, 5, 300}, wrong for 5 - 2^31, whose product wraps."""
    x = pat.Variable(dtype="int32", shape=(None,))
    product = (x - 3) * (x - 5) * (x - 300)
    one = [op.Equal(x, pat.Const(number, dtype="int32")) for number in (3, 5, 300)]
    target = op.LogicalOr(one[0], op.LogicalOr(one[1], one[2]))
    return Subst(op.Equal(product, pat.Const(0, dtype="int32")), target)


def whole_halves() -> Subst:
    """Wrong above 2048, where half precision no longer counts."""
    x = pat.Wildcard()
    through = op.Cast(op.Round(op.Cast(x, dtype="float16")), dtype="int32")
    return Subst(through, x, where=[x.dtype == "int32"])


def any_of_bytes() -> Subst:
    """Wrong where a multiple of 256 elements are true."""
    x = pat.Variable(shape=(None,), dtype="bool")
    narrow = op.Sum(op.Cast(x, dtype="uint8"), axis=(0,), keepdims=False)
    wide = op.Sum(op.Cast(x, dtype="int32"), axis=(0,), keepdims=False)
    return Subst(op.Cast(narrow, dtype="bool"), op.Cast(wide, dtype="bool"))


WRONG = (
    repeated_instead_of_tiled,
    axis_of_six_fields,
    axis_of_seven_fields,
    any_of_bytes,
    fifth_of_five,
    seven_fields,
    thirteenth_field,
    capped_field,
    every_sixteenth_field,
    field_of_long_input,
    half_a_hundred,
    thousands,
    multiples_of_53,
    padded_by_eight,
    number_among_many,
    real_among_many,
    number_of_the_target,
    zeros_of_a_product,
    whole_halves,
)


DECIDED = (all_fields, nothing_behind, no_more_than_nine_fields, no_more_than_a_thousand_fields)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=lambda write: write.__name__)
def test_mistakes_at_some_numbers_are_found(write: Callable[[], Subst], seed: int) -> None:
    assert is_refuted(write, NUMERIC, seed=seed)


@pytest.mark.parametrize("write", [thousandth_field, a_million])
def test_numbers_out_of_reach_leave_the_verdict_open(write: Callable[[], Subst]) -> None:
    assert only(ask(NUMERIC, write)).code is TOO_FEW_EXAMPLES


def test_numbers_of_thousands_are_reached() -> None:
    assert is_refuted(nine_thousand, NUMERIC)
    assert is_refuted(many_thousands, NUMERIC)


@pytest.mark.parametrize("write", DECIDED)
def test_decisions_without_consequences_pass(write: Callable[[], Subst]) -> None:
    result = ask(NUMERIC, write)
    assert result.verdict is Verdict.PASS
    assert not result.findings


def other_between(low: float, high: float, dtype: str, added: int = 1) -> Subst:
    """relu(x) => low < x < high ? x + added : max(x, 0)"""
    x = pat.Variable(dtype=dtype, shape=(None,))
    inside = op.LogicalAnd(op.Greater(x, low), op.Less(x, high))
    return Subst(op.Relu(x), op.Where(inside, x + added, op.Maximum(x, 0)))


NARROW = [
    (5150.0, 5151.0, "float32"),
    (77777.0, 77777.5, "float64"),
    (30.0, 30.5, "float16"),
    (1000000, 1000040, "int32"),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("low", "high", "dtype"), NARROW)
def test_numbers_between_those_that_a_rule_mentions_are_drawn(
    low: float, high: float, dtype: str, seed: int
) -> None:
    wrong = ask(NUMERIC, lambda: other_between(low, high, dtype), seed=seed)
    assert wrong.verdict is Verdict.FAIL
    right = ask(NUMERIC, lambda: other_between(low, high, dtype, 0), seed=seed)
    assert right.verdict is Verdict.PASS
