"""What the target computes and no output reads may be undefined, but only where nothing stops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from gsl import Const, Subst, Var, op, pat
from gsl.expr import Call, Expr, Proj
from gsl.operators import lookup
from gslverify.codes.numeric import TARGET_UNDEFINED
from gslverify.networks.network import Network
from gslverify.trials.trial import Outcome, run_trial

PIECES = {"indices_or_sections": 3, "axis": 0}


def trial_of(subst: Subst, network: Network, inputs: Mapping[str, Any]) -> Outcome:
    return run_trial(subst, network, inputs)


def cast_of_first_piece() -> Subst:
    """cast(split(x).0) => split(cast(x)).0, which converts the other pieces as well."""
    x = pat.Wildcard()
    source = op.Cast(op.Split(x, **PIECES)[0], dtype="uint8")
    return Subst(source, op.Split(op.Cast(x, dtype="uint8"), **PIECES)[0])


def quotient_of_first_piece() -> Subst:
    """(6 + y) // y for y = split(x).0 => split((6 + x) // x).0, which divides by all pieces."""
    x, six = pat.Wildcard(), pat.Const(value=6, dtype="int32")
    first = op.Split(x, **PIECES)[0]
    source = op.FloorDivide(first + six, first)
    return Subst(source, op.Split(op.FloorDivide(x + six, x), **PIECES)[0])


def rewritten(values: Any) -> Any:
    array = np.array(values)
    x: Expr = Var("x", array.shape, array.dtype.name)
    first = Proj(Call(lookup("Split"), [x], PIECES), 0)
    cast = Call(lookup("Cast"), [first], {"dtype": "uint8"})
    return trial_of(cast_of_first_piece(), Network((cast,), (cast,), "alone"), {"x": array})


def test_conversions_that_no_output_reads_do_not_matter() -> None:
    outcome = rewritten(np.float32([1, -1, 300]))
    assert (outcome.code, outcome.rejected) == (None, "")


def test_conversions_of_the_source_have_to_be_defined() -> None:
    assert rewritten(np.float32([-1, 1, 1])).rejected


def test_conversions_that_an_output_reads_have_to_be_defined() -> None:
    x = pat.Wildcard()
    subst = Subst(op.Cast(op.Abs(x), dtype="uint8"), op.Abs(op.Cast(x, dtype="uint8")))
    source = Call(lookup("Cast"), [Call(lookup("Abs"), [Var("x", (2,))])], {"dtype": "uint8"})
    inputs = {"x": np.float32([1, -1])}
    outcome = trial_of(subst, Network((source,), (source,), "alone"), inputs)
    assert outcome.code is TARGET_UNDEFINED


@pytest.mark.parametrize("zero", [1, 2])
def test_divisions_by_zero_matter_wherever_they_are(zero: int) -> None:
    divisors = np.array([2, 3, 1], "int32")
    divisors[zero] = 0
    first = Proj(Call(lookup("Split"), [Var("x", (3,), "int32")], PIECES), 0)
    total = Call(lookup("Add"), [first, Const(np.int32(6), "int32")])
    source = Call(lookup("FloorDivide"), [total, first])
    network = Network((source,), (source,), "alone")
    outcome = trial_of(quotient_of_first_piece(), network, {"x": divisors})
    assert outcome.code is TARGET_UNDEFINED
