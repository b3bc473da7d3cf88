"""Functions that have reached a limit: in their dtype two values tie, and for real numbers not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Call, Subst, Var, op, pat
from gsl.operators import lookup
from gslverify.comparison.under_flags import Sides, compare_under
from gslverify.finding import StageResult
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask

FLAGS = frozenset({"afn"})


def flags_shown(result: StageResult) -> set[str]:
    return {flag for assurance in result.assurances for flag in assurance.flags}


@pytest.mark.smt
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("function", [op.Tanh, op.Sigmoid, op.Exp])
def test_places_of_functions_at_their_limits_need_other_functions(function: Any, seed: int) -> None:
    def written() -> Subst:
        x = pat.Wildcard()
        place = op.Argmax(function(x))
        return Subst(place, op.Argmax(x, **pat.same_attr(place)))

    assert "afn" in flags_shown(ask(NUMERIC, written, seed=seed))


def sides_of(*numbers: float, function: str = "Tanh") -> Sides:
    """argmax(function(x)) and argmax(x)"""
    x = Var("x", (len(numbers),), "float32")
    made = Call(lookup("Argmax"), [Call(lookup(function), [x])], {"axis": 0})
    inputs = {"x": np.array(numbers, np.float32)}
    return Sides([made], [Call(lookup("Argmax"), [x], {"axis": 0})], inputs)


def test_what_float64_tells_apart_is_explained_by_exact_functions() -> None:
    sides = sides_of(12.0, 14.0)
    without, granted = compare_under(frozenset(), sides), compare_under(FLAGS, sides)

    assert without is not None
    assert without.apart is not None
    assert granted is not None
    assert granted.apart is None


def test_what_float64_does_not_tell_apart_is_not_known() -> None:
    sides = sides_of(30.0, 40.0)
    without = compare_under(frozenset(), sides)

    assert without is not None
    assert without.apart is not None
    assert compare_under(FLAGS, sides) is None


def test_ties_that_do_not_decide_are_followed() -> None:
    agreement = compare_under(FLAGS, sides_of(-30.0, -40.0, 1.0))
    assert agreement is not None
    assert agreement.apart is None


@pytest.mark.smt
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("function", [op.Sigmoid, lambda x: op.Abs(op.Tanh(x))])
def test_functions_at_their_limits_are_whole_numbers_elsewhere_only(
    function: Any, seed: int
) -> None:
    def written() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Floor(function(x)), op.ZerosLike(x, dtype=x.dtype))

    assert "afn" in flags_shown(ask(NUMERIC, written, seed=seed))
