"""Wrong rules whose numbers or integers are rounded on the way to another dtype."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.prove import PROVE
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

X = pat.Variable(dtype="float32")
SMALL, OTHER = pat.Variable(dtype="int8"), pat.Variable(dtype="int8")

Write = Callable[[], Subst]


def in_half(number: float) -> Subst:
    """x * c => x * cast[float32](c in half precision)."""
    return Subst(X * number, X * op.Cast(pat.Const(number, dtype="float16"), dtype="float32"))


def tenth_in_half() -> Subst:
    return in_half(0.1)


def odd_number_in_half() -> Subst:
    return in_half(2049.0)


def any_constant_in_half() -> Subst:
    factor = pat.Const(shape=(), dtype="float32")
    narrow = op.Cast(pat.Const(factor.value, dtype="float16"), dtype="float32")
    return Subst(factor * X, narrow * X, where=[factor.value >= -6e4, factor.value <= 6e4])


def filled_in_half() -> Subst:
    full = op.Full(dtype="float16")
    wide = op.Full(shape=full.shape, fill_value=full.fill_value, dtype="float32")
    return Subst(op.Cast(full, dtype="float32"), wide)


def products_of(dtype: str) -> Subst:
    """The product of two bytes, which has 14 bits and a sign."""
    one, other = (op.Cast(x, dtype="int32") for x in (SMALL, OTHER))
    real = op.Cast(SMALL, dtype=dtype) * op.Cast(OTHER, dtype=dtype)
    return Subst(one * other, op.Cast(real, dtype="int32"))


def products_in_half() -> Subst:
    return products_of("float16")


def products_in_single() -> Subst:
    return products_of("float32")


def double_in_single() -> Subst:
    """A number that is rounded once, or twice as it would be once."""
    wide = pat.Const(0.1, dtype="float64")
    return Subst(X * op.Cast(wide, dtype="float32"), X * pat.Const(0.1, dtype="float32"))


def there_and_back() -> Subst:
    full = op.Full(dtype="float32")
    return Subst(op.Cast(op.Cast(full, dtype="float64"), dtype="float32"), full)


def moved_before_conversion() -> Subst:
    full = op.Full(dtype="float16")
    joined = op.Concatenate((full, op.Negative(full)), axis=0)
    wide = op.Cast(full, dtype="float32")
    where = [attr.Length(full.shape) >= 1]
    target = op.Concatenate((wide, op.Negative(wide)), axis=0)
    return Subst(op.Cast(joined, dtype="float32"), target, where=where)


def filled_in_half_from_double() -> Subst:
    full = op.Full(dtype="float64")
    narrow = op.Full(shape=full.shape, fill_value=full.fill_value, dtype="float16")
    where = [full.fill_value >= 0.001, full.fill_value <= 1000]
    return Subst(op.Cast(full, dtype="float16"), narrow, where=where)


def computed_in_single() -> Subst:
    """Half precision rounds the sum once more, which is rounding."""
    x = pat.Variable(dtype="float16")
    one, other = (pat.Const(0.1, dtype="float16") for _ in range(2))
    wide = op.Cast(x, dtype="float32") + op.Cast(other, dtype="float32")
    return Subst(x + one, op.Cast(wide, dtype="float16"))


def constant_folded_down() -> Subst:
    """A constant of double precision in single, converted when the rule is applied."""
    constant = pat.Const(shape=(), dtype="float64")
    folded = pat.Const(constant.value, dtype="float32")
    return Subst(X + op.Cast(constant, dtype="float32"), X + folded)


def next_number_beside_another() -> Subst:
    """x * 0.1 + y * 2 => x * 0.10003 + y * 2 in half precision, where only the 2 is converted."""
    x, y = half_vector(), half_vector()
    two = op.Cast(pat.Const(2.0, dtype="float32"), dtype="float16")
    return Subst(x * 0.1 + two * y, x * 0.10003 + two * y)


def half_vector() -> pat.Variable:
    return pat.Variable(dtype="float16", shape=(None,))


def half_in_half() -> Subst:
    return in_half(0.5)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "write",
    [
        tenth_in_half,
        odd_number_in_half,
        any_constant_in_half,
        filled_in_half,
        products_in_half,
        next_number_beside_another,
    ],
)
def test_numbers_that_are_rounded_are_found(write: Write, seed: int) -> None:
    assert only(ask(NUMERIC, write, seed=seed, explained=False)).code is OUTPUTS_DIFFER
    assert not any("proved" in one.text for one in ask(PROVE, write).assurances)


@pytest.mark.parametrize(
    "write",
    [
        half_in_half,
        products_in_single,
        double_in_single,
        computed_in_single,
        constant_folded_down,
        there_and_back,
        moved_before_conversion,
        filled_in_half_from_double,
    ],
)
def test_numbers_that_are_held_pass(write: Write) -> None:
    assert ask(NUMERIC, write).findings == ()


def test_numbers_that_are_held_are_proved() -> None:
    result = ask(PROVE, half_in_half)
    assert result.verdict is Verdict.PASS
    assert any("proved" in one.text for one in result.assurances)


def converted_twice(dtype: str, first: str, then: str) -> Subst:
    """cast[then](cast[first](x)) => cast[then](x)"""
    x = pat.Variable(dtype=dtype)
    return Subst(op.Cast(op.Cast(x, dtype=first), dtype=then), op.Cast(x, dtype=then))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers_beside_ties_are_rounded_twice(dtype: str, seed: int) -> None:
    rule = ask(NUMERIC, lambda: converted_twice(dtype, "float64", "float32"), seed=seed)
    assert only(rule).code is OUTPUTS_DIFFER


@pytest.mark.parametrize("dtype", ["int32", "uint32"])
def test_what_double_precision_holds_is_rounded_once(dtype: str) -> None:
    result = ask(NUMERIC, lambda: converted_twice(dtype, "float64", "float32"))
    assert result.verdict is Verdict.PASS
