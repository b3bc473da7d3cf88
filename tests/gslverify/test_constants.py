"""Constants in rules: their values, what their dtypes hold, and what rounding does to them."""

from __future__ import annotations

from typing import Any

import pytest

from gsl import Const, Subst, op, pat
from gslverify.comparison.bounded import Bounded
from gslverify.comparison.compare import evaluate_bounded
from gslverify.finding import StageResult, Verdict
from gslverify.stage import Stage
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.shape import SHAPE
from tests.gslverify.stages.asking import ask


def sum_of_two(dtype: str, *conditions: Any) -> Subst:
    """x + a + b  =>  x + (a + b), the constants added beforehand"""
    x, a, b = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    added = a.value + b.value
    where = [x.dtype == dtype]
    if conditions:
        where += [added >= -128, added < 128]
    return Subst((x + a) + b, x + pat.Const(added, like=x), where=where)


def asked(stage: Stage, subst: Subst) -> StageResult:
    def written() -> Subst:
        return subst

    return ask(stage, written, max_examples=30)


def findings(stage: Stage, subst: Subst) -> list[str]:
    result = asked(stage, subst)
    return [finding.code.id for finding in result.findings]


def test_sums_that_a_small_integer_does_not_hold_are_found() -> None:
    assert findings(SHAPE, sum_of_two("int8")) == ["GSL303"]


@pytest.mark.parametrize("subst", [sum_of_two("int8", "guarded"), sum_of_two("float16")])
def test_sums_that_fit_pass(subst: Subst) -> None:
    assert findings(SHAPE, subst) == []
    assert findings(NUMERIC, subst) == []


@pytest.mark.parametrize("dtype", [None, "float16", "float32", "float64"])
@pytest.mark.parametrize("deviation", [0.0, 1e-9])
def test_numbers_of_a_source_are_found_rounded(dtype: str | None, deviation: float) -> None:
    x = pat.Wildcard()
    where = [x.dtype == dtype] if dtype else []
    wanted = op.Relu(x) * (0.1 + deviation)

    found = findings(NUMERIC, Subst(op.Relu(x * 0.1), wanted, where=where))

    assert found == (["GSL401"] if deviation else [])


def test_a_number_of_a_source_is_read_as_it_is_stored() -> None:
    x, c = pat.Wildcard(), pat.Const(0.1)
    again = op.Relu(x) * pat.Const(c.value, like=x)

    assert findings(NUMERIC, Subst(op.Relu(x * c), again, where=[x.dtype == "float32"])) == []


@pytest.mark.parametrize("deviation", [1e-9, 1e-12])
def test_small_deviations_of_a_constant_are_found(deviation: float) -> None:
    def scaled(factor: float) -> Subst:
        x = pat.Wildcard()
        third = pat.Variable(dtype="float32", shape=())
        return Subst(
            op.Divide(x, pat.Const(3.0)) + third,
            op.Multiply(x, pat.Const(factor, dtype="float32")) + third,
            where=[x.dtype == "float32"],
        )

    assert findings(NUMERIC, scaled(1 / 3)) == []
    assert findings(NUMERIC, scaled(1 / 3 + deviation)) == ["GSL401"]


def test_divisors_are_not_zero() -> None:
    x, c = pat.Wildcard(), pat.Const(shape=())
    twice = op.FloorDivide(op.FloorDivide(x, c), c)
    once = op.FloorDivide(x, pat.Const(c.value * c.value, like=x))
    subst = Subst(twice, once, where=[x.dtype == "int32", c.value < 100, c.value >= 0])
    result = asked(NUMERIC, subst)
    assert result.verdict is Verdict.PASS


@pytest.mark.parametrize(("number", "is_exact"), [(0.5, True), (3.0, True), (0.1, False)])
def test_numbers_with_many_digits_have_an_error(number: float, is_exact: bool) -> None:
    (value,), _ = evaluate_bounded([Const(number)], {})
    assert isinstance(value, Bounded)
    assert value.value == number
    assert value.is_exact is is_exact


def test_elements_of_constants_of_some_length_are_all_looked_at() -> None:
    """Turned round, a constant of up to three elements is the same if its ends are."""
    x, c = pat.Wildcard(ndim=1), pat.Const(ndim=1)
    last = c.shape[0] - 1
    where = [x.shape == c.shape, c.shape[0] >= 2, c.value[0] == c.value[last]]

    assert findings(NUMERIC, Subst(x * c, x * op.Flip(c, axis=0), where=where)) == ["GSL401"]


def fourth_power(target: Any) -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(op.Power(x, 4.0), target(x * x))


def test_a_rule_may_write_numbers_that_are_seldom_drawn() -> None:
    """Power draws exponents from -3 to 3, which says nothing about those of a rule."""
    assert asked(NUMERIC, fourth_power(lambda square: square * square)).verdict is Verdict.PASS
    assert findings(NUMERIC, fourth_power(lambda square: square * square * 1.001)) == ["GSL401"]


def test_powers_of_a_number() -> None:
    x, ten = pat.Wildcard(dtype="float32"), pat.Const(10.0, dtype="float32")
    once = op.Power(ten, x)
    assert asked(NUMERIC, Subst(once * once, op.Power(ten, x + x))).verdict is Verdict.PASS
    assert findings(NUMERIC, Subst(once * once, op.Power(ten, x * x)))[:1] == ["GSL401"]


def test_a_number_without_a_logarithm_says_nothing() -> None:
    minus = op.Log(pat.Const(-1.0, dtype="float32"))
    x = pat.Wildcard(dtype="float32")
    assert asked(NUMERIC, Subst(x + minus, minus + x)).verdict is Verdict.INCONCLUSIVE
