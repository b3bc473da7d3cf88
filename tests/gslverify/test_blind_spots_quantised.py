"""Rules about floats that become short integers, wrong where two numbers come together."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, op, pat
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import is_refuted

pytestmark = pytest.mark.smt

Converted = Callable[[pat.Pattern, pat.Pattern], pat.Pattern]


def wrong_at(converted: Converted, number: int, zero_point: int) -> Subst:
    """f(x, z)  =>  f(x, z), but with all bits flipped where it is a number and z is another"""
    x, z = pat.Wildcard(dtype="float32", ndim=1), pat.Wildcard(dtype="uint8", ndim=0)
    result = converted(x, z)
    is_number = op.Equal(result, pat.Const(number, dtype="uint8"))
    rare = op.LogicalAnd(is_number, op.Equal(z, pat.Const(zero_point, dtype="uint8")))
    return Subst(result, op.Where(rare, op.BitwiseNot(result), result))


def saturating(x: pat.Pattern, z: pat.Pattern) -> pat.Pattern:
    shifted = op.Round(x) + op.Cast(z, dtype="float32")
    return op.Cast(op.Clip(shifted, min=0.0, max=255.0), dtype="uint8")


def wrapping(x: pat.Pattern, z: pat.Pattern) -> pat.Pattern:
    return op.Cast(op.Round(x), dtype="uint8") + z


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("converted", [saturating, wrapping])
def test_a_number_and_a_zero_point_come_together(converted: Converted, seed: int) -> None:
    assert is_refuted(lambda: wrong_at(converted, 173, 99), NUMERIC, seed=seed)
