"""Inputs that come to the poles of operators only together."""

from __future__ import annotations

import numpy as np
import pytest

from gsl import Call, Var
from gsl.expr import Expr
from gsl.operators import lookup
from gslverify.networks.network import Network
from gslverify.networks.poles import MOST_ELEMENTS, meetings, poles_of


def network(output: Expr) -> Network:
    return Network((output,), (output,), "alone")


def quotient(operator: str = "FloorDivide", dtype: str = "int8", size: int = 3) -> Network:
    return network(Call(lookup(operator), [Var("x", (size,), dtype), Var("y", (size,), dtype)]))


def meets(inputs: dict[str, np.ndarray], dividend: str, divisor: str) -> bool:
    least = np.iinfo(inputs[dividend].dtype).min
    return bool(((inputs[dividend] == least) & (inputs[divisor] == -1)).all())


@pytest.mark.parametrize(
    ("dtype", "least"), [("int8", -128), ("int32", -(2**31)), ("int64", -(2**63))]
)
@pytest.mark.parametrize("operator", ["FloorDivide", "Mod"])
def test_the_least_integer_has_no_quotient_by_minus_one(
    operator: str, dtype: str, least: int
) -> None:
    assert poles_of(lookup(operator), (dtype, dtype)) == ((least, -1),)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_bytes_without_sign_and_floats_have_quotients(dtype: str) -> None:
    assert poles_of(lookup("FloorDivide"), (dtype, dtype)) == ()
    assert meetings(quotient(dtype=dtype), 0) == []


@pytest.mark.parametrize("operator", ["FloorDivide", "Mod"])
def test_both_operands_are_at_the_pole(operator: str) -> None:
    assert any(meets(inputs, "x", "y") for inputs in meetings(quotient(operator), 0))


def test_operators_without_poles_and_large_networks_are_left_alone() -> None:
    assert meetings(quotient("Add"), 0) == []
    assert meetings(quotient(size=MOST_ELEMENTS), 0) == []


def test_dividends_are_there_one_by_one_whichever_is_chosen() -> None:
    c, x, y, z = Var("c", (3,), "bool"), *(Var(name, (3,), "int8") for name in "xyz")
    chosen = Call(lookup("Where"), [c, x, y])
    drawn = meetings(network(Call(lookup("FloorDivide"), [chosen, z])), 0)
    alone = [d for d in drawn if meets(d, "y", "z") and not (d["x"] == -128).any()]
    assert {bool(inputs["c"].all()) for inputs in alone} == {True, False}
