"""Flags that rules need at few numbers only: off the domain of a function, just below a tie."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from gsl import Subst, op, pat, rule
from gslverify.codes.levels import FLAG_MISSING, SPECIAL_VALUES_CHANGE
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import only

pytestmark = pytest.mark.smt

Sides = Callable[[Any], tuple[Any, Any]]


def result_of(sides: Sides, flags: Iterable[str], seed: int = 0, dtype: str = "float32") -> Any:
    def written() -> Subst:
        return Subst(*sides(pat.Wildcard(dtype=dtype)))

    settings = Settings(use_tvm=False, seed=seed, explained=False)
    return NUMERIC.run(Question("tests::written", rule(flags=flags)(written), settings))


def root_below(x: Any) -> tuple[Any, Any]:
    return op.Less(op.Sqrt(x), 2.0), op.Less(x, 4.0)


def logarithm_below(x: Any) -> tuple[Any, Any]:
    return op.Less(op.Log(x), 0.0), op.Less(x, 1.0)


def arc_below(x: Any) -> tuple[Any, Any]:
    return op.Less(op.Acos(x), 9.0), op.Less(x, 9.0)


def place_of_root(x: Any) -> tuple[Any, Any]:
    place = op.Argmax(op.Sqrt(x))
    return place, op.Argmax(x, **pat.same_attr(place))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("sides", [root_below, logarithm_below, arc_below, place_of_root])
def test_nan_of_ordinary_numbers_needs_nnan(sides: Sides, seed: int) -> None:
    found = only(result_of(sides, ("ninf", "nsz", "reassoc", "afn"), seed))
    assert found.code is SPECIAL_VALUES_CHANGE


@pytest.mark.parametrize("sides", [root_below, logarithm_below, place_of_root])
def test_with_nnan_there_is_no_nan(sides: Sides) -> None:
    assert result_of(sides, ("nnan", "ninf", "afn")).verdict is Verdict.PASS


def positive_beside_numbers(x: Any) -> tuple[Any, Any]:
    """The target looks at all elements, and one that is NaN decides about the others."""
    total = op.Sum(x * 0.0, axis=(0,), keepdims=True)
    return op.Greater(x, 0.0), op.LogicalAnd(op.Greater(x, 0.0), op.Equal(total, 0.0))


def test_nan_of_an_input_may_decide_about_other_places() -> None:
    def written() -> Subst:
        return Subst(*positive_beside_numbers(pat.Wildcard(dtype="float32", ndim=1)))

    settings = Settings(use_tvm=False, explained=False)
    ninf = Question("tests::written", rule(flags=("ninf", "reassoc"))(written), settings)
    assert SPECIAL_VALUES_CHANGE in {finding.code for finding in NUMERIC.run(ninf).findings}


def below_a_half(x: Any) -> tuple[Any, Any]:
    """0.49999997 + 0.5 is 1 in float32."""
    size = op.Abs(x)
    return op.Equal(op.Floor(size + 0.5), 0.0), op.Less(size, 0.5)


def sum_below_one(x: Any) -> tuple[Any, Any]:
    return op.Less(op.Abs(x) + 0.5, 1.0), op.Less(op.Abs(x), 0.5)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("sides", [below_a_half, sum_below_one])
def test_a_sum_that_is_rounded_to_a_tie_needs_reassoc(sides: Sides, dtype: str, seed: int) -> None:
    special = ("nnan", "ninf", "nsz")
    assert only(result_of(sides, special, seed, dtype)).code is FLAG_MISSING


def by_a_third(x: Any) -> tuple[Any, Any]:
    return x / 3.0, x * (1 / 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_reciprocal_that_is_written_needs_arcp(seed: int) -> None:
    assert only(result_of(by_a_third, ("reassoc",), seed)).code is FLAG_MISSING
    assert result_of(by_a_third, ("arcp",), seed).verdict is Verdict.PASS


def rounded_from_1023(x: Any) -> tuple[Any, Any]:
    return op.Where(op.GreaterEqual(op.Abs(x), 1023.0), op.Round(x), x), x


def infinite_beyond(number: float) -> Sides:
    return lambda x: (op.Greater(x, number), op.Equal(x, float("inf")))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("sides", "dtype"),
    [
        (rounded_from_1023, "float16"),
        (infinite_beyond(65472.0), "float16"),
        (infinite_beyond(3.4028232e38), "float32"),
    ],
    ids=["1023.5", "the largest float16", "the largest float32"],
)
def test_numbers_beside_those_of_a_rule_are_tried(sides: Sides, dtype: str, seed: int) -> None:
    assert only(result_of(sides, ("nnan", "nsz"), seed, dtype)).code is OUTPUTS_DIFFER
