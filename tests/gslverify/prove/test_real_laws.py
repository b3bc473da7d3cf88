"""Laws of real functions hold: on random numbers, and for all where z3 can tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite, nan
from typing import Any

import numpy as np
import pytest
import z3
from hypothesis import assume, given
from hypothesis import strategies as st

from gsl.kernel.expression import Apply, Number, Read
from gsl.kernel.functions import FUNCTIONS
from gsl.kernel.meaning import apply
from gslverify.prove.laws.law import A, B, Law, Numbers
from gslverify.prove.laws.real_laws import REAL_LAWS
from tests.gslverify.prove.test_rows import computed

pytestmark = pytest.mark.smt

NUMPY: Mapping[str, Any] = {name: function.numpy for name, function in FUNCTIONS.items()} | {
    "/": lambda a, b: a / b if b else nan  # which has no value
}
POSITIVE = st.integers(1, 384).map(lambda number: number / 64)
NUMBERS = st.one_of(POSITIVE, st.integers(-384, 384).map(lambda number: number / 64))


def holds(law: Law, numbers: Mapping[str, float]) -> bool | None:
    """Tell whether a law holds for numbers, None where it says nothing about them."""
    with np.errstate(all="ignore"):
        asked = all(computed(condition, numbers, NUMPY) for condition in law.where)
        sides = [float(computed(side, numbers, NUMPY)) for side in (law.left, law.right)]
    if not asked or not all(map(isfinite, sides)):
        return None
    return sides[0] == pytest.approx(sides[1], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("law", REAL_LAWS, ids=lambda law: law.name)
@given(numbers=st.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_a_law_holds_for_random_numbers(law: Law, numbers: tuple[float, float, float]) -> None:
    found = holds(law, dict(zip("abc", numbers, strict=True)))
    assume(found is not None)
    assert found


FORMULAS: Mapping[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
    "max": lambda a, b: z3.If(a > b, a, b),
    "min": lambda a, b: z3.If(a < b, a, b),
    "abs": lambda a: z3.If(a < 0, -a, a),
    "sign": lambda a: z3.If(a < 0, -1.0, z3.If(a > 0, z3.RealVal(1), z3.RealVal(0))),
    "floor": lambda a: z3.ToReal(z3.ToInt(a)),
    "ceil": lambda a: -z3.ToReal(z3.ToInt(-a)),
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
}


def functions_of(expression: Any) -> set[str]:
    if not isinstance(expression, Apply):
        return set()
    return {expression.function}.union(*map(functions_of, expression.arguments))


def formula(expression: Any) -> Any:
    match expression:
        case Number(value=value):
            return z3.RealVal(value)
        case Read(tensor=name):
            return z3.Real(name)
    return FORMULAS[expression.function](*map(formula, expression.arguments))


def refuted(law: Law) -> z3.CheckSatResult:
    """Ask whether there are real numbers for which a law does not hold."""
    solver = z3.Solver()
    solver.set("rlimit", 20_000_000)
    solver.add(*map(formula, law.where), z3.Real("b") != 0)
    solver.add(formula(law.left) != formula(law.right))
    return solver.check()


DECIDED = [
    law for law in REAL_LAWS if functions_of(law.left) | functions_of(law.right) <= FORMULAS.keys()
]


HARD = {"maximum of ceil", "minimum of ceil", "maximum of floor", "minimum of floor"}
"""Laws about whole parts that z3 does not always decide."""


@pytest.mark.parametrize("law", DECIDED, ids=lambda law: law.name)
def test_a_law_holds_for_all_numbers(law: Law) -> None:
    assert refuted(law) != z3.sat
    assert law.name in HARD or refuted(law) == z3.unsat


def test_many_laws_are_decided() -> None:
    assert len(DECIDED) >= 20


def test_a_false_law_is_refuted() -> None:
    left = apply("abs", A + B)
    assert isinstance(left, Apply)
    right = apply("abs", A) + apply("abs", B)
    false = Law("false", left, right, of=Numbers.REALS)
    assert holds(false, {"a": 1.0, "b": -1.0, "c": 0.0}) is False
    assert refuted(false) == z3.sat
