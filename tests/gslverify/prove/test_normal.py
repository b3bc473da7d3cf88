"""Normal forms have the value of the expressions they come from: every law holds numerically."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gsl.attr.term import Symbol, Term
from gsl.kernel.expression import Expression, Number, Read, Select
from gsl.kernel.functions import FUNCTIONS
from gsl.kernel.meaning import apply, over
from gslverify.prove.failure import UnprovableError
from gslverify.prove.indices.facts import Facts
from gslverify.prove.indices.forms import Forms
from gslverify.prove.indices.replacing import put
from gslverify.prove.normal import Normaliser
from gslverify.prove.values.algebra import Algebra
from gslverify.prove.values.values import Factor, Family, Region, Value
from gslverify.semantics.solver import Solver

pytestmark = pytest.mark.smt

P, N = Symbol("i", low=0), Symbol("n", low=1)
C = Symbol("c", "real")
SIZES: Mapping[Symbol, Any] = {P: 1, N: 3, C: 0.75}
TENSORS = {"x": (0.5, -1.25, 2.0), "y": (1.5, 0.25, -0.75), "b": (1, 0, 1)}
Point = Mapping[Symbol, Any]


def normaliser(is_field: bool) -> Normaliser:
    """Return a normaliser that knows that `b` holds truth values."""
    forms = Forms()
    forms.bound(P, N)
    facts = Facts(Solver([], 100_000), forms)
    return Normaliser(facts, Algebra(forms), is_field, frozenset({"b"}))


def value_at(value: Value, point: Point) -> float:
    """Compute a normal form."""
    return math.fsum(family_at(family, point) for family in value.families)


def family_at(family: Family, point: Point) -> float:
    total = 0.0
    for inner in points(family.region, point):
        part = float(family.number)
        for factor, power in family.powers:
            part *= factor_at(factor, inner) ** power
        total += part
    return total


def points(region: Region, point: Point) -> list[Point]:
    """Return the points of a region, whose extents may depend on outer indices only."""
    ranges = [range(put(extent, point)) for _, extent in region.extents]
    symbols = [symbol for symbol, _ in region.extents]
    found = [{**point, **dict(zip(symbols, place, strict=True))} for place in product(*ranges)]
    return [one for one in found if all(put(guard, one) is True for guard in region.guards)]


def factor_at(factor: Factor, point: Point) -> float:
    if factor.head == "read":
        return TENSORS[factor.name][put(factor.places[0], point)]
    if factor.head == "number":
        return float(put(factor.places[0], point))
    if factor.items:
        found = [value_at(i.value, at) for i in factor.items for at in points(i.region, point)]
        return {"max": max, "min": min, "product": math.prod}[factor.head](found)
    arguments = [value_at(argument, point) for argument in factor.arguments]
    if factor.head in ("group", "held"):
        return arguments[0]
    if factor.head in ("<", "=="):
        left, right = arguments if len(arguments) == 2 else (arguments[0], 0.0)
        same = math.isclose(left, right, abs_tol=1e-9)
        return float(same) if factor.head == "==" else float(left < right and not same)
    return float(FUNCTIONS[factor.head].numpy(*arguments))


def expression_at(expression: Any, point: Point) -> float:
    """Compute an expression at one point, in another way than `gsl.kernel.evaluate` does."""
    match expression:
        case Number(value=value):
            return float(put(value, point))
        case Read(tensor=tensor, indices=(place,)):
            return TENSORS[tensor][put(place, point)]
        case Select(condition=condition, then=then, otherwise=otherwise):
            return expression_at(then if put(condition, point) else otherwise, point)
    if hasattr(expression, "arguments"):
        arguments = [expression_at(argument, point) for argument in expression.arguments]
        if expression.function in ("==", "<", ">=", "<=", ">", "!="):
            same = math.isclose(*arguments, abs_tol=1e-9)
            arguments = [0.0, 0.0] if same else arguments
        return float(FUNCTIONS[expression.function].numpy(*arguments))
    places = points(Region(expression.variables), point)
    found = [expression_at(expression.body, place) for place in places]
    fold: Any = {"sum": math.fsum, "max": max, "min": min, "product": math.prod}
    return float(fold[expression.function](found))


def check(expression: Expression, is_field: bool) -> None:
    """Demand that exactly one case holds and has the value of the expression."""
    wanted = expression_at(expression, SIZES)
    found = [
        value_at(value, SIZES)
        for guards, value in normaliser(is_field).cases(expression)
        if all(put(guard, SIZES) is True for guard in guards)
    ]
    assert len(found) == 1
    assert math.isclose(found[0], wanted, rel_tol=1e-6, abs_tol=1e-6)


X, Y, B = Read("x", (P,)), Read("y", (P,)), Read("b", (P,))


def whole(function: str, body: Any) -> Expression:
    return over(function, [N], body)


def at(name: str, place: Any) -> Expression:
    return Read(name, (place,))


LAWS: dict[str, Expression] = {
    "distributes": (X + Y) * (X - 2),
    "divides": X * Y / Y,
    "of a sum": 1 / whole("sum", lambda k: at("x", k) * X),
    "exponentials": apply("exp", X + Y * 2 - 1) * apply("exp", -X),
    "logarithms": apply("log", apply("exp", X) * apply("exp", Y)),
    "logarithm of softmax": apply(
        "log", apply("exp", X) / whole("sum", lambda k: apply("exp", at("x", k)))
    ),
    "sigmoid": apply("sigmoid", X * Y),
    "powers": apply("pow", X - Y, 3),
    "remainder": apply("%", X, Y),
    "select": apply("select", B, X, Y) + apply("select", B, Y, X),
    "logic": apply("or", B, apply("not", apply("and", B, B))),
    "comparisons": apply("<", X, Y) + 2 * apply(">=", X, Y) + 4 * apply(">", X, Y),
    "more comparisons": apply("<=", X, Y) + 2 * apply("!=", X, Y) + 4 * apply("==", X, Y),
    "comparisons of constants": apply("==", Number(P), 1) + 2 * apply("<", Number(P), 1),
    "minimum": apply("min", apply("min", X, Y), 1) + apply("max", X, apply("max", Y, 0)),
    "largest of largest": whole("max", lambda k: whole("max", lambda j: at("x", k) * at("y", j))),
    "smallest": whole("min", lambda k: at("x", k) - Y),
    "products": whole("product", lambda k: at("x", k) + 1),
    "square of a sum": whole("sum", lambda k: at("x", k)) * whole("sum", lambda k: at("x", k)),
    "counting": whole("sum", lambda k: X),
    "padding is never the largest": whole(
        "max", lambda k: Select(k < 2, at("x", k), Number(-math.inf))
    ),
    "one point": whole("sum", lambda k: Select(k == N - 1, at("x", k), Number(0))),
    "two cases": apply("exp", Select(N >= 4, X, Y)) + Select(N >= 2, X, Y),
    "constants": Number(C * 2) * Number(C - 1) + Number(C / 2),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("is_field", [True, False])
def test_laws_hold(name: str, is_field: bool) -> None:
    check(LAWS[name], is_field)


def expressions() -> st.SearchStrategy[Expression]:
    """Draw expressions of all kinds."""
    leaves = st.sampled_from([X, Y, Number(C), Number(2), Number(N), Number(P)])
    tests = st.sampled_from([N >= 3, P < 1, P >= N - 2])

    def bigger(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        two = st.builds(apply, st.sampled_from(["+", "-", "*", "max", "min"]), parts, parts)
        one = st.builds(apply, st.sampled_from(["neg", "abs", "tanh", "sigmoid"]), parts)
        bits = st.builds(apply, st.sampled_from(["<", "=="]), parts, parts)
        cases = st.builds(Select, tests, parts, parts)
        return two | one | bits | cases | st.builds(summed, parts)

    return st.recursive(leaves, bigger, max_leaves=6)


def summed(part: Expression) -> Expression:
    return whole("sum", lambda k: Select(k < 2, at("x", k) * part, part))


@given(expressions(), st.booleans())
def test_any_expression_keeps_its_value(expression: Expression, is_field: bool) -> None:
    assume(abs(expression_at(expression, SIZES)) < 1e6)
    check(expression, is_field)


@pytest.mark.parametrize("expression", [X + Number(math.inf), Number(math.inf) * 0])
def test_infinite_constants_are_not_computed_with(expression: Expression) -> None:
    with pytest.raises(UnprovableError, match="infinite"):
        normaliser(is_field=True).cases(expression)


def test_too_many_cases_are_given_up() -> None:
    value: Expression = Number(0)
    for number in range(8):
        value = value + Select(Symbol(f"s{number}") >= 0, X, Y)
    with pytest.raises(UnprovableError, match="64 cases"):
        normaliser(is_field=True).cases(value)


def test_terms_stay_terms() -> None:
    assert isinstance(put(P + N, {P: 1}), Term)
