"""Wrong rules about numbers that a floating dtype does not have, as attributes of what it fills."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gsl import Call, Const, Subst, Var, op, pat
from gsl.expr import Expr
from gsl.operators import lookup
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.comparison.bounded import AmbiguousError
from gslverify.comparison.compare import evaluate_bounded
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt


def filled(dtype: str, most: int) -> Subst:
    """int(full[v: float]) => full[v: int], for whole numbers v up to `most`."""
    full = op.Full(dtype=dtype)
    value = full.fill_value
    whole = op.Full(shape=full.shape, fill_value=value, dtype="int32")
    return Subst(op.Cast(full, dtype="int32"), whole, where=[value >= 0, value <= most])


def ranged(dtype: str, most: int) -> Subst:
    """int(range[start, end: float]) => range[start, end: int], up to `most`."""
    numbers = op.Arange(dtype=dtype)
    given = {"start": numbers.start, "end": numbers.end, "step": numbers.step}
    where = [numbers.start >= 0, numbers.end <= most]
    return Subst(op.Cast(numbers, dtype="int64"), op.Arange(**given, dtype="int64"), where=where)


def filled_by_way_of(dtype: str, own: str) -> Subst:
    """own(dtype(full(n))) => full(n)"""
    whole = op.Full(dtype=own)
    there_and_back = op.Cast(op.Cast(whole, dtype=dtype), dtype=own)
    return Subst(there_and_back, op.Full(**pat.same_attr(whole)))


WRONG = [
    lambda: filled_by_way_of("float64", "int64"),
    lambda: filled_by_way_of("float32", "int32"),
    lambda: filled("float16", 4000),
    lambda: filled("float32", 2**25),
    lambda: ranged("float16", 4000),
    lambda: ranged("float32", 2**26),
    lambda: ranged("float64", 2**60),
]
SOUND = [
    lambda: filled_by_way_of("float64", "int32"),
    lambda: ranged("float16", 2**11),
    lambda: ranged("float32", 2**24),
    lambda: ranged("float64", 2**53),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG)
def test_numbers_that_are_rounded_are_tried(write: Callable[[], Subst], seed: int) -> None:
    assert only(ask(NUMERIC, write, seed=seed, explained=False)).code is OUTPUTS_DIFFER


@pytest.mark.parametrize("write", SOUND)
def test_numbers_that_are_held_are_no_counterexample(write: Callable[[], Subst]) -> None:
    assert ask(NUMERIC, write).verdict is Verdict.PASS


def test_filling_with_an_attribute_that_is_rounded_in_both_is_right() -> None:
    def repeated() -> Subst:
        full = op.Full(dtype="float32")
        wide = op.Full(shape=full.shape, fill_value=full.fill_value, dtype="float32")
        return Subst(op.Cast(op.Abs(full), dtype="int64"), op.Cast(op.Abs(wide), dtype="int64"))

    assert ask(NUMERIC, repeated).verdict is Verdict.PASS


def converted(operand: Expr) -> Any:
    (value,), _ = evaluate_bounded([Call(lookup("Cast"), [operand], {"dtype": "int32"})], {})
    return value


def full(value: float, dtype: str = "float32") -> Expr:
    return Call(lookup("Full"), [], {"shape": (2,), "fill_value": value, "dtype": dtype})


def test_a_number_is_converted_as_its_dtype_has_it() -> None:
    assert converted(full(2.0**24 + 1)).tolist() == [2**24, 2**24]
    assert converted(full(2049.0, "float16")).tolist() == [2048, 2048]
    assert converted(Const(2.0**24 + 1, "float32")) == 2**24
    moved = Call(lookup("Reshape"), [full(2.0**24 + 1)], {"shape": (2, 1)})
    assert converted(moved).ravel().tolist() == [2**24, 2**24]
    chosen = Call(lookup("Maximum"), [Call(lookup("Negative"), [moved]), full(-3e7)])
    assert converted(chosen).ravel().tolist() == [-(2**24)] * 4


def test_what_is_computed_with_a_number_is_as_uncertain_as_before() -> None:
    with pytest.raises(AmbiguousError):
        converted(Call(lookup("Multiply"), [full(2.0**24 + 1), full(3.0)]))
    x = Var("x", (2,))
    (kept,), _ = evaluate_bounded([x], {"x": np.ones(2, np.float32)})
    assert kept.is_exact
