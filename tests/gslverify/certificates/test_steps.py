"""Steps that the checker follows, and those that it refuses, one law at a time."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from gsl.attr.term import Symbol, operation
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select
from gslverify.certificates.checker import Asked, Checker, conditions_of
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.enough import Searching
from gslverify.certificates.expressions import of_family
from gslverify.certificates.gathered import HOLE, Limits
from gslverify.certificates.inputs import Inputs, is_seen
from gslverify.certificates.laws import LAWS, ROWS, Step
from gslverify.certificates.model import Model
from gslverify.prove.values.values import Family
from gslverify.semantics.solver import new_context

pytestmark = pytest.mark.smt

N, M, J, K = (Symbol(name, low=0) for name in "nmjk")
ALPHA = Symbol("alpha", "real")
X, Y, Z = (Read(name, (J,)) for name in "xyz")
ZERO, ONE = Number(0), Number(1)


def of(function: str, *arguments: Expression) -> Expression:
    return Apply(function, arguments)


def checker(claims: list[Any], is_field: bool, dtypes: Any = None, limits: Any = None) -> Checker:
    asked = Asked(claims, new_context(), {})
    model = Model(0, is_field, inputs=Inputs(dtypes or {}, limits or {}))
    return Checker(asked, range(len(claims)), (), model)


def from_all(made: Checker, step: Step) -> Step:
    """Return a step that names all facts for each of its conditions."""
    facts = []
    for given, _ in conditions_of(LAWS[step.law](made.elements, step)):
        facts.append(tuple(range(len(made.facts(step, given)))))
    return replace(step, facts=tuple(facts))


def refusal(
    step: Step, claims: list[Any], is_field: bool, dtypes: Any = None, limits: Any = None
) -> str:
    """Return why a step is refused, empty where it is accepted and both sides are one value."""
    made = checker(claims, is_field, dtypes, limits)
    try:
        made.follow(from_all(made, step))
    except RefusedError as error:
        return str(error)
    return ""


def same(left: Expression, right: Expression, *claims: Any, is_field: bool = True) -> bool:
    step = Step("arithmetic", (left, right))
    made = checker(list(claims), is_field)
    try:
        made.follow(from_all(made, step))
    except RefusedError:
        return False
    assert made.model.value(left) == made.model.value(right)
    return True


TRUE = [
    (of(">", of("max", X, Y), Y), of(">", X, Y)),
    (of("max", X, ZERO) + of("min", X, ZERO), X),
    (of("sign", X) * of("abs", X), X),
    (of("select", of("and", of("<", X, Y), of("not", of("<", Y, X))), X, Y), of("min", X, Y)),
    (Select(K < M, of("max", X, ZERO), ZERO), of("max", Select(K < M, X, ZERO), ZERO)),
    (of("max", of("exp", X), ZERO), of("exp", X)),
]

FALSE = [
    (of(">=", of("max", X, Y), Y), of(">", X, Y)),
    (of("max", X, ONE) + of("min", X, ZERO), X),
    (of("max", of("tanh", X), ZERO), of("tanh", X)),
    (Select(K < M, of("max", X, ZERO), ONE), of("max", Select(K < M, X, ZERO), ZERO)),
    (X, Y),
]


@pytest.mark.parametrize(("left", "right"), TRUE)
def test_what_holds_for_all_elements_is_followed(left: Expression, right: Expression) -> None:
    assert same(left, right)


@pytest.mark.parametrize(("left", "right"), FALSE)
def test_what_does_not_is_refused(left: Expression, right: Expression) -> None:
    assert not same(left, right)


def test_claims_about_numbers_take_part() -> None:
    leaky = of("max", X, Number(ALPHA) * X)
    chosen = of("select", of(">", X, ZERO), X, Number(ALPHA) * X)
    low, high = operation(">=", ALPHA, 0), operation("<=", ALPHA, 1)
    assert same(leaky, chosen, low, high)
    assert not same(leaky, chosen, low)


def test_integers_wrap_in_arithmetic() -> None:
    left, right = of("<", X, X + ONE), of("<", ZERO, ONE)
    assert same(left, right)
    assert not same(left, right, is_field=False)
    extrema = of("max", X, of("min", X, Y)), X
    assert same(*extrema, is_field=False)


@pytest.mark.parametrize(("least", "accepted"), [(1, True), (0, False)])
def test_a_sum_of_exponentials_is_positive_where_it_is_not_empty(
    least: int, accepted: bool
) -> None:
    total = Reduction("sum", ((K, N),), of("exp", Read("x", (K,))))
    assert same(of(">", total, ZERO), ONE, operation(">=", N, least)) is accepted


def quotients(divisor: Expression) -> Step:
    return Step("of a quotient", (X, divisor, Number(3)))


@pytest.mark.parametrize(("divisor", "accepted"), [(5, True), (60, False)])
def test_divisors_are_joined_only_where_their_product_fits(divisor: int, accepted: bool) -> None:
    product = Apply("*", (Number(divisor), Number(3)))
    claim = operation("==", Symbol("dtype", "text"), "int8")
    found = refusal(Step("fits", (product, claim.operands[0])), [claim], False)
    assert (found == "") is accepted


def test_a_row_is_used_only_for_what_fits() -> None:
    dtypes = {"x": "uint8", "y": "uint8"}
    step = Step("of a quotient", (X, Y, Number(2)))
    assert "may have wrapped" in refusal(step, [], False, dtypes)
    assert refusal(replace(step, subjects=(X, Number(20), Number(2))), [], False, dtypes) == ""
    made = checker([], False, dtypes)
    made.follow(from_all(made, Step("by one", (X + X,))))
    quotient = of("//", X + X, ONE)
    assert made.model.value(quotient) == made.model.stored(X + X) != made.model.value(X + X)


@pytest.mark.parametrize(
    ("computed", "dtype", "accepted"),
    [
        (of("%", X, Number(10)) + of("%", Y, Number(10)), "uint8", True),
        (of("//", X, Number(2)) + Number(127), "uint8", True),
        (of("//", X, Number(2)) + Number(129), "uint8", False),
        (X + Y, "uint8", False),
        (of("cast", X, Number("uint8"), Number("int32")) + ONE, "int32", True),
        (of("max", X, Number(7)) - Number(7), "uint8", True),
        (of("max", X, Number(7)) - Number(8), "uint8", False),
        (Reduction("sum", ((K, N),), Read("x", (K,))), "uint8", False),
        (Reduction("sum", ((K, N),), Read("x", (K,))) + ONE, "uint8", False),
    ],
)
def test_what_is_computed_fits_only_where_it_is_in_range(
    computed: Expression, dtype: str, accepted: bool
) -> None:
    made = checker([], False, {"x": "uint8", "y": "uint8"})
    made.follow(from_all(made, Step("a wider dtype", (X, "uint8", "int32"))))
    try:
        made.follow(from_all(made, Step("fits", (computed, dtype))))
    except RefusedError:
        assert not accepted
    else:
        assert accepted
        assert made.model.fits(computed)


def test_numbers_that_may_be_real_are_none_between_integers() -> None:
    sides = of("<", X, ONE), of("<=", X, ZERO)
    for dtype, accepted in (("int8", True), ("float32", False), (Symbol("any", "text"), False)):
        step = Step("arithmetic", sides)
        assert (refusal(step, [], False, {"x": dtype}) == "") is accepted
    ratio = Apply("/", (X, Y))
    step = Step("arithmetic", (of("<", ratio, ONE), of("<=", ratio, ZERO)))
    assert refusal(step, [], False, {"x": "int8", "y": "int8"}) != ""


def test_laws_of_integers_are_none_of_real_numbers() -> None:
    step = Step("by one", (X,))
    assert refusal(step, [], False, {"x": "int8"}) == ""
    for is_field, dtype in ((True, "int8"), (False, "float32"), (False, Symbol("any", "text"))):
        assert "integers" in refusal(step, [], is_field, {"x": dtype})
    assert "real numbers" in refusal(Step("exp of 0", ()), [], False)


def test_an_index_less_than_its_divisor_has_no_quotient() -> None:
    step = Step("an index less than the divisor", (K, N), ((K, N),))
    assert refusal(step, [], False) == ""
    assert refusal(Step(step.law, (K, M), step.indices), [], False) != ""


@pytest.mark.parametrize(
    ("old", "new", "accepted"),
    [
        ("int32", "int8", True),
        ("int32", "uint8", False),
        ("int8", "int32", True),
        ("float16", "int8", True),
    ],
)
def test_elements_of_an_input_are_values_of_its_dtype(old: str, new: str, accepted: bool) -> None:
    step = Step("a wider dtype", (X, old, new))
    assert (refusal(step, [], False, {"x": "int8"}) == "") is accepted


def test_no_two_laws_have_one_name() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)
    others = LAWS.keys() - {row.name for row in ROWS}
    assert {"equal", "substitution", "an index less than the divisor"} <= others


PLACE = Read("places", (J,))
"""An element that is an index."""


@pytest.mark.parametrize(
    ("body", "outside", "high", "dtype", "accepted"),
    [
        (X, X, N - 1, "int32", True),  # the term itself
        (Read("x", (K,)), of("exp", HOLE), N - 1, "int32", True),
        (Read("x", (K,)), of("exp", HOLE), N, "int32", False),  # no term may count
        (Read("x", (K,)), of("exp", HOLE), N - 1, "float32", False),  # it may lie between two
        (Read("x", (K,)), Read("x", (K,)), N - 1, "int32", False),  # depends on the index
        (X, Reduction("sum", ((J, N),), HOLE), N - 1, "int32", False),  # the place does
    ],
)
def test_one_term_counts_where_indices_exist(
    body: Expression, outside: Expression, high: Any, dtype: str, accepted: bool
) -> None:
    limits = {"places": Limits((N,), 0, high)}
    claims = [operation("<", J, N)]
    step = Step("one term counts", (((K, N),), PLACE, body, outside))
    dtypes = {"places": dtype, "x": "float32"}
    assert (refusal(step, claims, True, dtypes, limits) == "") is accepted


def test_fractions_of_families_are_written_as_they_are() -> None:
    third = of_family(Family(Fraction(1, 3), ()))
    model = Model(0, True)
    assert model.times(model.value(third), 3) == 1
    assert model.value(of_family(Family(1, ()))) == 1


A, B, C = (Symbol(name, "text") for name in "abc")
FLOATS = ("float32", "float64")


def among(symbol: Symbol, *names: str) -> Any:
    return operation("in", symbol, names)


@pytest.mark.parametrize(
    ("goal", "facts", "seen"),
    [
        (among(A, *FLOATS), [among(A, "float32")], True),
        (among(A, "float32"), [among(A, *FLOATS)], False),
        (among(A, *FLOATS), [among(B, "float32")], False),
        (operation("==", A, "bool"), [among(A, "bool")], True),
        (operation("==", A, B), [operation("==", B, A)], True),
        (operation("==", A, C), [operation("==", B, A), operation("==", B, C)], True),
        (operation("==", A, C), [operation("==", B, A)], False),
        (
            among(A, *FLOATS),
            [operation("==", C, B), operation("==", B, A), among(C, "float64")],
            True,
        ),
        (among(A, *FLOATS), [operation("!=", A, B), among(B, "float64")], False),
        (operation("or", among(B, "bool"), among(A, *FLOATS)), [among(A, "float64")], True),
        (operation("and", among(B, "bool"), among(A, *FLOATS)), [among(A, "float64")], False),
        (operation("==", ALPHA, 1), [operation("==", ALPHA, True)], False),
    ],
)
def test_what_facts_say_of_symbols_is_seen_without_z3(goal: Any, facts: Any, seen: bool) -> None:
    assert is_seen(goal, facts) is seen


def test_what_does_not_follow_from_the_facts_that_are_named_is_refused() -> None:
    made = checker([operation("==", N, M), operation("<", J, K)], True)
    step = Step("equal", (N, M), facts=((0,),))
    made.follow(step)
    for facts in ((1,),), ((),):
        with pytest.raises(RefusedError, match="not shown"):
            made.follow(replace(step, facts=facts))


def test_each_of_several_conditions_is_shown_from_the_facts_that_it_needs() -> None:
    facts = [operation("<", N, M), operation("<", M, K), operation(">", J, 3)]
    asked = Searching([], new_context(), {})
    one, other = operation("<", N, K), operation(">", J, 2)
    assert asked.enough(operation("and", one, other), facts) == (0, 1, 2)
    assert asked.enough(operation("and", other, operation(">", J, 1)), facts) == (2,)
    assert asked.enough(operation("and", one, operation(">", J, 9)), facts) is None
    assert asked.shows(operation("and", one, other), facts)
    before = asked.questions
    assert asked.shows(other, facts[2:])
    assert asked.shows(one, facts[:2])
    assert asked.questions == before  # as each of them was a question of its own
