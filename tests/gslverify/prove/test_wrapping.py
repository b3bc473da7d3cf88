"""Integers that were computed may have wrapped, so nothing is known about their order."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, attr, op, pat, rule
from gsl.kernel.expression import Number, Read, Reduction
from gsl.kernel.meaning import apply
from gsl.pat import Pattern
from gslverify.prove.values.wrapping import Computed
from tests.gslverify.prove.proving import is_proved_rule

pytestmark = pytest.mark.smt


def count(x: Pattern, dtype: str) -> Pattern:
    return op.Sum(op.OnesLike(x, dtype=dtype), axis=(0,), keepdims=False)


def truth(value: object = 1.0) -> Pattern:
    return op.Full(shape=(), fill_value=value, dtype="bool")


def up_to(x: Pattern, most: int) -> list[object]:
    return [x.ndim == 1, x.shape[0] >= 1, x.shape[0] <= most]


def positive_count() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Greater(count(x, "int8"), 0), truth(), where=up_to(x, 200))


def count_that_is_not_zero() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Cast(count(x, "uint8"), dtype="bool"), truth(), where=up_to(x, 256))


def equal_counts() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    same = attr.Cond(x.shape[0] == y.shape[0], 1.0, 0.0)
    equal = op.Equal(count(x, "int8"), count(y, "int8"))
    return Subst(equal, truth(same), where=[x.ndim == 1, y.ndim == 1])


def doubled_positions() -> Subst:
    one, two = (op.Arange(dtype="uint8", start=0, step=1) for _ in range(2))
    upright = op.ExpandDims(one, axis=(1,))
    return Subst(op.Equal(upright * 2, two * 2), op.Equal(upright, two))


def added_positions() -> Subst:
    one, two = (op.Arange(dtype="int8", start=0, step=1) for _ in range(2))
    both = op.GreaterEqual(op.ExpandDims(one, axis=(1,)) + two, 0)
    ones = op.Full(shape=(one.shape[0], two.shape[0]), fill_value=1.0, dtype="bool")
    return Subst(both, ones)


def wider_count() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Cast(count(x, "int8"), dtype="int32"), count(x, "int32"), where=[x.ndim == 1])


def counts_beyond_three() -> Subst:
    x = pat.Wildcard()
    beyond, wide = (op.Greater(count(x, name), 3) for name in ("int8", "int32"))
    return Subst(beyond, wide, where=[x.ndim == 1])


def wider_quotient() -> Subst:
    x = pat.Wildcard()
    halves, wide = (op.FloorDivide(count(x, name), 2) for name in ("int8", "int32"))
    return Subst(op.Cast(halves, dtype="int32"), wide, where=[x.ndim == 1])


def doubled_quotient() -> Subst:
    x = pat.Wildcard()
    return Subst(op.FloorDivide(x * 2, 2), x, where=[x.dtype == "int8"])


def quotient_of_quotient() -> Subst:
    x, c, d = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    twice = op.FloorDivide(op.FloorDivide(x, c), d)
    where = [x.dtype == "int8", c.value > 0, d.value > 0]
    return Subst(twice, op.FloorDivide(x, c * d), where=where)


def wide(x: Pattern) -> Pattern:
    return op.Cast(x, dtype="int32")


def below_three() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Less(x * 2, 3), op.Less(wide(x) * 2, 3), where=[x.dtype == "int8"])


def sum_below_a_summand() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    target = op.Less(wide(x) + wide(y), wide(x))
    return Subst(op.Less(x + y, x), target, where=[x.dtype == "int8"])


def twice_is_four() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Equal(x * 2, 4), op.Equal(wide(x) * 2, 4), where=[x.dtype == "int8"])


def twice_is_true() -> Subst:
    x = pat.Wildcard()
    target = op.Cast(wide(x) * 2, dtype="bool")
    return Subst(op.Cast(x * 2, dtype="bool"), target, where=[x.dtype == "int8"])


def doubled_in_floats() -> Subst:
    x = pat.Wildcard()
    doubled = op.Cast(x * 2, dtype="float32")
    return Subst(doubled, op.Cast(x, dtype="float32") * 2, where=[x.dtype == "int8"])


def large_in_floats() -> Subst:
    x = pat.Wildcard()
    there = op.Cast(op.Cast(x, dtype="float32"), dtype="float64")
    return Subst(there, op.Cast(x, dtype="float64"), where=[x.dtype == "int32"])


def quotient_in_floats() -> Subst:
    x = pat.Wildcard()
    quotient = op.FloorDivide(x, 2) * 2
    there = op.Cast(quotient, dtype="float32")
    return Subst(there, op.Cast(x, dtype="float32"), where=[x.dtype == "int8"])


def wider_maximum() -> Subst:
    x = pat.Wildcard()
    most = op.Maximum(count(x, "int8"), 3)
    wide = op.Maximum(count(x, "int32"), 3)
    return Subst(op.Cast(most, dtype="int32"), wide, where=[x.ndim == 1])


def absolute_count() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Abs(count(x, "int8")), count(x, "int8"), where=[x.ndim == 1])


def largest_of_counts() -> Subst:
    x = pat.Wildcard()
    counts = op.Sum(op.OnesLike(x, dtype="int8"), axis=(1,), keepdims=False)
    most = op.Cast(op.Max(counts, axis=(0,), keepdims=False), dtype="int32")
    size = op.Cast(op.Full(shape=(), fill_value=x.shape[1], dtype="int32"), dtype="int32")
    return Subst(most, size, where=[x.ndim == 2])


@pytest.mark.parametrize(
    "write",
    [
        positive_count, count_that_is_not_zero, equal_counts, doubled_positions, added_positions,
        wider_count, wider_maximum, absolute_count, largest_of_counts, counts_beyond_three,
        doubled_in_floats, large_in_floats, quotient_in_floats,
        below_three, sum_below_a_summand, twice_is_four, twice_is_true,
        wider_quotient, doubled_quotient, quotient_of_quotient,
    ],
)  # fmt: skip
def test_what_wraps_is_not_proved(write: Callable[[], Subst]) -> None:
    assert not is_proved_rule(rule(write))


def compared_in_a_wider_dtype() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    where = [x.dtype == "int8", y.dtype == "int8"]
    return Subst(op.Less(x, y), op.Less(wide(x), wide(y)), where=where)


def sum_in_a_wider_dtype() -> Subst:
    x = pat.Wildcard()
    sums = (op.Cast(op.Cast(x, dtype=name), dtype="int64") + 1 for name in ("int32", "int64"))
    one, two = (op.Less(x, 5) for x in sums)
    return Subst(one, two, where=[x.dtype == "int8"])


def bytes_in_floats() -> Subst:
    x = pat.Wildcard()
    there = op.Cast(op.Cast(x, dtype="float16"), dtype="float32")
    return Subst(there, op.Cast(x, dtype="float32"), where=[x.dtype == "uint8"])


def bytes_within_limits() -> Subst:
    x = pat.Wildcard()
    limited = op.Clip(x, min=0.0, max=200.0)
    there = op.Cast(op.Cast(limited, dtype="uint8"), dtype="int32")
    return Subst(there, limited, where=[x.dtype == "int32"])


def same_count() -> Subst:
    x = pat.Wildcard()
    return Subst(op.GreaterEqual(count(x, "int8"), count(x, "int8")), truth(), where=[x.ndim == 1])


def sum_of_counts() -> Subst:
    x = pat.Wildcard()
    return Subst(count(x, "int8") + count(x, "int8"), count(x, "int8") * 2, where=[x.ndim == 1])


def few() -> Subst:
    x = pat.Wildcard()
    three = op.Cast(count(x, "int8"), dtype="int32")
    size = op.Full(shape=(), fill_value=3.0, dtype="int32")
    return Subst(three, size, where=[x.ndim == 1, x.shape[0] == 3])


def ordered_positions() -> Subst:
    one = op.Arange(dtype="int8", start=0, step=1)
    ones = op.Full(shape=(one.shape[0],), fill_value=1.0, dtype="bool")
    return Subst(op.GreaterEqual(one, 0), ones)


@pytest.mark.parametrize("write", [
        same_count, sum_of_counts, few, ordered_positions, compared_in_a_wider_dtype,
        sum_in_a_wider_dtype, bytes_in_floats, bytes_within_limits,
    ],
)  # fmt: skip
def test_what_holds_for_integers_that_wrap_is_proved(write: Callable[[], Subst]) -> None:
    assert is_proved_rule(rule(write))


def test_elements_constants_and_truth_values_are_not_computed() -> None:
    computed, x = Computed(), Read("x", ())
    kept = apply("max", apply("select", apply("<", x + 1, 3), x, 2), apply("cast", x, 0, 1))
    assert not computed(kept)
    assert not computed(Reduction("max", (), Number(1)))
    assert computed(apply("max", kept, x + 1))
    assert computed(Reduction("sum", (), x))
    assert computed(Reduction("product", (), x))


def plus_four_times(number: int) -> Callable[[], Subst]:
    """Return a rule that says that x + n + n + n + n is not x."""

    def subst() -> Subst:
        x, constant = pat.Wildcard(dtype="int8"), pat.Const(number, dtype="int8")
        whole = x + constant + constant + constant + constant
        return Subst(op.Equal(whole, x), op.ZerosLike(x, dtype="bool"))

    return subst


@pytest.mark.parametrize(("number", "is_true"), [(16, True), (64, False)])
def test_what_is_added_may_be_all_that_a_dtype_has(number: int, is_true: bool) -> None:
    assert is_proved_rule(rule(plus_four_times(number))) is is_true
