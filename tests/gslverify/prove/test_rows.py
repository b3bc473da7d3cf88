"""Every law that is a row holds by itself: on random numbers, and for all where z3 can tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import z3
from hypothesis import assume, given
from hypothesis import strategies as st

from gsl.kernel.expression import Apply, Number, Read
from gsl.kernel.functions import FUNCTIONS
from gsl.kernel.meaning import apply
from gslverify.prove.laws.division import DIVISION
from gslverify.prove.laws.elementary import ELEMENTARY
from gslverify.prove.laws.law import A, B, Law
from tests.gslverify.prove.test_laws import UndefinedError, wrapped

pytestmark = pytest.mark.smt

NAMES = "abcd"


def _divided(left: int, right: int) -> int:
    """Return a quotient of int8, which has none by 0 and none beyond its range."""
    if right == 0 or left // right > 127:
        raise UndefinedError
    return left // right


INT8: Mapping[str, Callable[..., int]] = {
    "+": lambda a, b: wrapped(a + b),
    "*": lambda a, b: wrapped(a * b),
    "neg": lambda a: wrapped(-a),
    "//": _divided,
    ">>": lambda a, n: a >> n,
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
}
EXACT = INT8 | {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "neg": lambda a: -a}


def computed(expression: Any, numbers: Mapping[str, Any], functions: Mapping[str, Any]) -> Any:
    match expression:
        case Read(tensor=name):
            return numbers[name]
        case Number(value=value):
            return value
    arguments = [computed(argument, numbers, functions) for argument in expression.arguments]
    return functions[expression.function](*arguments)


def holds(law: Law, numbers: Mapping[str, int]) -> bool:
    """Tell whether a law holds for numbers of int8; it does where its conditions do not."""
    if not all(computed(condition, numbers, EXACT) for condition in law.where):
        return True
    if not all(-128 <= computed(one, numbers, EXACT) <= 127 for one in law.fits):
        return True
    return computed(law.left, numbers, INT8) == computed(law.right, numbers, INT8)


LAWS = [law for law in DIVISION if not law.name.startswith("shifted by") or law.name[11:] in "0167"]
BYTES = st.one_of(st.integers(-128, 127), st.integers(-5, 5))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@given(numbers=st.tuples(BYTES, BYTES, BYTES, BYTES))
def test_a_row_holds_for_numbers_of_int8(law: Law, numbers: tuple[int, int, int, int]) -> None:
    try:
        assert holds(law, dict(zip(NAMES, numbers, strict=True)))
    except UndefinedError:
        assume(False)


def _floor(left: Any, right: Any) -> Any:
    return z3.If(right > 0, left / right, -left / -right)


FORMULAS: Mapping[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "neg": lambda a: -a,
    "//": _floor,
    ">>": lambda a, n: _floor(a, z3.IntVal(2 ** n.as_long())),
    "<": lambda a, b: z3.If(a < b, 1, 0),
    ">": lambda a, b: z3.If(a > b, 1, 0),
    ">=": lambda a, b: z3.If(a >= b, 1, 0),
}


def refuted(law: Law) -> z3.CheckSatResult:
    """Ask whether there are whole numbers for which a law does not hold."""
    unknowns = {name: z3.Int(name) for name in NAMES}
    constants = {**unknowns}

    def formula(expression: Any) -> Any:
        match expression:
            case Number(value=value):
                return z3.IntVal(value)
            case Read(tensor=name):
                return constants[name]
        return FORMULAS[expression.function](*map(formula, expression.arguments))

    solver = z3.Solver()
    solver.set("rlimit", 20_000_000)
    solver.add(*(formula(condition) == 1 for condition in law.where))
    solver.add(*(divisor != 0 for divisor in map(formula, _divisors(law.left))))
    solver.add(formula(law.left) != formula(law.right))
    return solver.check()


def _divisors(expression: Any) -> list[Any]:
    if not isinstance(expression, Apply):
        return []
    own = [expression.arguments[1]] if expression.function == "//" else []
    return own + [one for argument in expression.arguments for one in _divisors(argument)]


HARD = {"of a quotient"}
"""Laws about products of unknowns that z3 does not decide."""


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_a_row_holds_for_all_whole_numbers(law: Law) -> None:
    assert refuted(law) != z3.sat
    assert law.name in HARD or refuted(law) == z3.unsat


@pytest.mark.parametrize("law", ELEMENTARY, ids=lambda law: f"{law.name}")
@given(number=st.floats(-0.99, 0.99))
def test_a_row_about_real_numbers_holds(law: Law, number: float) -> None:
    functions = {name: function.numpy for name, function in FUNCTIONS.items()}
    sides = (computed(side, {"a": number}, functions) for side in (law.left, law.right))
    one, other = (float(side) for side in sides)
    assert one == pytest.approx(other)


def test_a_false_row_is_refuted() -> None:
    left = apply("//", A, B)
    assert isinstance(left, Apply)
    false = Law("false", left, Number(0), (apply(">=", A, 0),))
    assert not holds(false, {"a": 5, "b": 2, "c": 0, "d": 0})
    assert refuted(false) == z3.sat
