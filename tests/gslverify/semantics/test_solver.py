"""The door to z3: formulas mean what the terms mean in Python, and answers are honest."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsl.attr.evaluate import PYTHON, evaluate
from gsl.attr.term import Constant, Projection, Symbol, as_term, operation, subterms
from gsl.attr.values import OF_AXES
from gsl.errors import EvaluationError
from gsl.types import ALL_DTYPES
from gslverify.semantics.solver import Answer, Solver, new_context
from gslverify.semantics.terms import TABLE, UntranslatableError, has_formula
from gslverify.structures.models.concrete import ModelEnvironment, value_in

pytestmark = pytest.mark.smt

LIMIT = 4_000_000
CONTEXT = new_context()

quick = settings(max_examples=40, deadline=None, database=None, derandomize=True)


def solver(*claims: Any, limit: int = LIMIT) -> Solver:
    return Solver([as_term(claim) for claim in claims], limit, CONTEXT)


def sort_of(value: Any) -> str:
    return {bool: "bool", int: "int", float: "real", str: "text"}[type(value)]


def symbols_for(values: Any) -> dict[Symbol, Any]:
    return {Symbol(f"s{n}", sort_of(value)): value for n, value in enumerate(values)}


def decides(head: str, *values: Any) -> None:
    """Demand that the solver knows the value of an operation if and only if Python has one."""
    model = symbols_for(values)
    term = operation(head, *model)
    known = solver(*(symbol == value for symbol, value in model.items()))
    try:
        expected = evaluate(term, ModelEnvironment(model))
    except EvaluationError:
        assert known.check(term == 0).answer is Answer.UNSAT
        return
    assert known.refutes(term == expected).answer is Answer.UNSAT, (head, values, expected)
    assert known.check(term == expected).answer is Answer.SAT, (head, values, expected)


SMALL = range(-4, 5)


@pytest.mark.parametrize("head", ["//", "%"])
def test_integer_division_rounds_down_as_in_python(head: str) -> None:
    a, b = Symbol("a"), Symbol("b")
    term = operation(head, a, b)
    pairs = solver()
    for left, right in itertools.product(SMALL, SMALL):
        chosen = (a == left, b == right)
        if right == 0:
            assert pairs.check(*chosen, term == term).answer is Answer.UNSAT
            continue
        expected = left // right if head == "//" else left % right
        assert pairs.refutes(term == expected, *chosen).answer is Answer.UNSAT, (left, right)


integers = st.integers(-20, 20)
reals = st.integers(-64, 64).map(lambda value: value / 8)
truths = st.booleans()

OPERANDS: dict[str, list[tuple[Any, ...]]] = {
    **{h: [(integers, integers), (reals, reals), (integers, reals)] for h in ("+", "-", "*")},
    **{h: [(integers, integers), (reals, reals), (reals, integers)] for h in ("//", "%", "min")},
    **{h: [(integers, integers), (reals, reals)] for h in ("max", "<", "<=", ">", ">=")},
    **{h: [(integers,), (reals,)] for h in ("neg", "abs", "floor", "ceil")},
    **{
        h: [(integers, integers), (reals, integers), (truths, truths), (truths, integers)]
        for h in ("==", "!=")
    },
    **{h: [(truths, truths)] for h in ("and", "or")},
    "/": [(reals, reals.filter(lambda value: value in (0, 0.5, -2, 4)))],
    "not": [(truths,)],
    "cond": [(truths, integers, integers), (truths, reals, integers), (truths, truths, truths)],
}


@pytest.mark.parametrize(
    ("head", "operands"), [(head, kinds) for head in OPERANDS for kinds in OPERANDS[head]]
)
@quick
@given(data=st.data())
def test_heads_mean_what_they_mean_in_python(
    head: str, operands: tuple[Any, ...], data: st.DataObject
) -> None:
    decides(head, *(data.draw(kind) for kind in operands))


def test_every_head_is_tested_here() -> None:
    assert TABLE.keys() == OPERANDS.keys() | {"sqrt"}
    assert PYTHON.keys() - TABLE.keys() == {"in", "length", *OF_AXES}


TERMS = st.recursive(
    st.integers(-3, 3) | st.sampled_from([Symbol("x"), Symbol("y")]),
    lambda inner: (
        st.builds(
            operation, st.sampled_from(["+", "-", "*", "//", "%", "min", "max"]), inner, inner
        )
        | st.builds(
            lambda a, b, c: operation("cond", operation("<", a, b), c, a), inner, inner, inner
        )
    ),
    max_leaves=8,
)


@quick
@given(term=TERMS, x=st.integers(-3, 3), y=st.integers(-3, 3))
def test_nested_terms_mean_what_they_mean_in_python(term: Any, x: int, y: int) -> None:
    named = {s: {"x": x, "y": y}[s.name] for s in symbols_in(as_term(term))}
    known = solver(*(symbol == value for symbol, value in named.items()))
    try:
        expected = evaluate(as_term(term), ModelEnvironment(named))
    except EvaluationError:
        assert known.check(as_term(term) * 0 == 0).answer is Answer.UNSAT
        return
    assert known.refutes(as_term(term) == expected).answer is Answer.UNSAT


def symbols_in(term: Any) -> list[Symbol]:
    return [part for part in subterms(term) if isinstance(part, Symbol)]


def test_models_satisfy_what_was_asked() -> None:
    n, m, x = Symbol("n", low=1), Symbol("m", low=1, high=9), Symbol("x", "real", low=0.1)
    asked = [n * m == 12, n > m, x * 3 == 1, (n // m) * m == n]
    result = solver(*asked).check()
    assert result.answer is Answer.SAT
    model = result.model
    assert all(value_in(condition, model) is True for condition in asked[:2])
    assert (type(model[n]), type(model[x])) == (int, float)
    assert model[x] == pytest.approx(1 / 3)


def test_bounds_of_symbols_hold_and_outlive_a_question() -> None:
    n = Symbol("n", low=2, high=3)
    asked = solver()
    assert asked.check(n == 4).answer is Answer.UNSAT
    assert asked.check(n != 2, n != 3).answer is Answer.UNSAT
    assert asked.check(n >= 3).model == {n: 3}


def test_bounds_of_reals_are_exact() -> None:
    x = Symbol("x", "real", low=1e-3, high=1e-3)
    assert solver().check(x == 1e-3).answer is Answer.SAT
    assert solver().check(Symbol("t", "real", low=1e-30) < 1e-29).answer is Answer.SAT


def test_algebraic_numbers_are_read_approximately() -> None:
    x = Symbol("x", "real", low=0.0)
    assert solver(x * x == 2.0).check().model[x] == pytest.approx(2**0.5)


def test_roots_of_equal_numbers_are_equal() -> None:
    n, m = Symbol("n", low=1), Symbol("m", low=1)
    roots = operation("sqrt", n), operation("sqrt", m)
    assert solver(n == m).refutes(roots[0] == roots[1]).answer is Answer.UNSAT
    assert solver().refutes(operation("sqrt", n) == operation("sqrt", n)).answer is Answer.UNSAT
    assert solver(n == -1).check(roots[0] == roots[0]).answer is Answer.UNSAT


# What has no value.


def test_a_divisor_in_a_claim_is_not_zero() -> None:
    n, m = Symbol("n"), Symbol("m")
    assert solver(n % m == 0, m == 0).check().answer is Answer.UNSAT
    assert solver(n % m == 0, m >= 0, m <= 1).check().model[m] == 1


def test_of_what_claims_rule_out_only_what_clashes_is_named() -> None:
    n, m = Symbol("n", low=1), Symbol("m", low=0)
    known = solver(n <= 4)
    assert known.clash((n >= 9, m >= 1)) == {0}
    assert known.clash((m >= 9, n + m <= 9)) == {0, 1}
    assert known.clash((m >= 9, n >= 2)) is None


def test_an_obligation_without_a_value_is_violated() -> None:
    n, m = Symbol("n", low=1), Symbol("m", low=0)
    result = solver().refutes((n // m) * m <= n)
    assert result.answer is Answer.SAT
    assert result.model[m] == 0
    assert solver(m >= 1).refutes((n // m) * m <= n).answer is Answer.UNSAT


def test_division_by_a_known_zero_has_no_value() -> None:
    n = Symbol("n")
    assert solver().check(operation("//", n, 0) == 1).answer is Answer.UNSAT
    assert solver().check(operation("//", n, 2) == 1).answer is Answer.SAT


def test_only_the_chosen_branch_needs_a_value() -> None:
    n, m = Symbol("n", low=1), Symbol("m", low=0)
    guarded = operation("cond", m == 0, 0, n // m)
    assert solver(guarded == 0, m == 0).check().answer is Answer.SAT
    assert solver().refutes(guarded <= n).answer is Answer.UNSAT
    assert solver(operation("cond", n // m > 1, 1, 2) == 1, m == 0).check().answer is Answer.UNSAT


# Texts.


def test_texts_are_told_apart() -> None:
    layout, other = Symbol("layout", "text"), Symbol("other", "text")
    asked = solver(layout == "NCHW", other != "NCHW")
    assert asked.check(layout == other).answer is Answer.UNSAT
    assert asked.check(other == "NHWC").model == {layout: "NCHW", other: "NHWC"}


def test_dtypes_are_read_by_name() -> None:
    dtype = Symbol("dtype", "text")
    asked = solver(operation("in", dtype, ("int8", "bool")))
    assert asked.check(dtype != "bool").model == {dtype: "int8"}
    assert asked.check(dtype == "float32").answer is Answer.UNSAT
    assert asked.check(operation("in", dtype, ())).answer is Answer.UNSAT


def test_a_text_without_a_name_is_read_as_some_dtype() -> None:
    dtype = Symbol("dtype", "text")
    known = [dtype != name for name in ALL_DTYPES]
    assert solver(*known).check().model[dtype] in ALL_DTYPES


def test_membership_of_numbers_and_truths() -> None:
    n, flag = Symbol("n"), Symbol("flag", "bool")
    assert solver(operation("in", n, (2, 3)), n > 2).check().model == {n: 3}
    assert solver(operation("in", flag, (True,))).check().model == {flag: True}
    assert solver(operation("in", flag, (1, 0))).check().answer is Answer.UNSAT


# Honest answers.


def test_the_core_names_claims_that_clash() -> None:
    n, m = Symbol("n", low=1), Symbol("m")
    asked = solver(m >= 0, n + m == 3, m == 7, n * 0 == 0)
    assert asked.check().answer is Answer.UNSAT
    assert asked.core().core == (1, 2)


def test_the_core_may_rest_on_bounds_alone() -> None:
    asked = solver(Symbol("n", low=1) <= 0, Symbol("m") == 1)
    assert asked.core().core == (0,)


def test_there_is_no_core_of_what_is_satisfiable() -> None:
    assert solver(Symbol("n") == 1).core().answer is Answer.UNKNOWN


HARD = [Symbol("a", low=2), Symbol("b", low=2), Symbol("c", low=2)]
FERMAT = HARD[0] * HARD[0] * HARD[0] + HARD[1] * HARD[1] * HARD[1] == HARD[2] * HARD[2] * HARD[2]


def test_a_tiny_limit_gives_no_answer() -> None:
    asked = solver(FERMAT, limit=1000)
    assert asked.check().answer is Answer.UNKNOWN
    assert asked.refutes(HARD[0] == HARD[1]).answer is Answer.UNKNOWN
    assert asked.near([(HARD[0], 3)]).answer is Answer.UNKNOWN
    assert asked.core().answer is Answer.UNKNOWN


def test_a_limit_counts_for_each_question() -> None:
    n = Symbol("n")
    asked = solver(limit=20_000)
    answers = {asked.check(n * n == k * k).answer for k in range(40)}
    assert answers == {Answer.SAT}


@pytest.mark.parametrize(
    "term",
    [
        Projection(Constant((1, 2)), Symbol("i")) == 1,
        operation("length", Constant((1, 2))) == 2,
        operation("==", Symbol("x", "real"), float("inf")),
        operation("<", Symbol("x", "real"), float("nan")),
        operation("and", Symbol("n"), Symbol("n")),
        operation("cond", Symbol("n"), 1, 2) == 1,
        operation("neg", Symbol("b", "bool")) == 1,
        operation("<", Symbol("b", "bool"), Symbol("b", "bool")),
        operation("+", Symbol("t", "text"), 1) == 1,
        operation("<", Symbol("t", "text"), "b"),
        operation("+", Symbol("n"), 1),
    ],
)
def test_what_the_theories_do_not_know_is_refused(term: Any) -> None:
    asked = solver(term)
    for _ in range(2):
        with pytest.raises(UntranslatableError):
            asked.check()


@pytest.mark.parametrize(
    "term",
    [
        operation("==", Symbol("n"), (1, 2)),
        operation("==", Symbol("t", "text"), 0),
        operation("==", Symbol("b", "bool"), 1),
        operation("in", Symbol("t", "text"), (0, 1)),
    ],
)
def test_values_of_different_sorts_are_never_equal(term: Any) -> None:
    assert solver().check(term).answer is Answer.UNSAT


def test_questions_leave_no_trace() -> None:
    n = Symbol("n")
    asked = solver(n >= 1)
    assert asked.check(n == 0).answer is Answer.UNSAT
    assert asked.refutes(n >= 1).answer is Answer.UNSAT
    assert asked.near([(n, 5)], [n <= 9]).model == {n: 5}
    assert asked.check(n == 10).answer is Answer.SAT


# Models near preferences.


def test_preferences_are_granted_as_far_as_they_agree() -> None:
    a, b, c = Symbol("a", low=1), Symbol("b", low=1), Symbol("c", low=1)
    asked = solver(a + b == 5)
    assert asked.near([(a, 2), (b, 3), (c, 7)]).model == {a: 2, b: 3, c: 7}
    granted = asked.near([(a, 2), (b, 9), (c, 7)]).model
    assert (granted[a], granted[b], granted[c]) == (2, 3, 7)


def test_the_last_of_clashing_preferences_is_dropped() -> None:
    a, b = Symbol("a"), Symbol("b")
    granted = solver(a == b).near([(a, 1), (b, 2)]).model
    assert granted == {a: 1, b: 1}


def test_limits_are_no_preferences() -> None:
    a = Symbol("a")
    assert solver().near([(a, 9)], [a <= 4, a >= 4]).model == {a: 4}
    assert solver().near([(a, 9)], [a <= 4, a >= 5]).answer is Answer.UNSAT


def test_preferences_of_every_sort() -> None:
    preferences = [
        (Symbol("n"), 3),
        (Symbol("x", "real"), 0.1),
        (Symbol("b", "bool"), True),
        (Symbol("t", "text"), "NHWC"),
    ]
    assert solver().near(preferences).model == dict(preferences)


def test_solvers_may_share_a_context_or_have_their_own() -> None:
    n = Symbol("n")
    assert Solver([n == 1], LIMIT).check().model == {n: 1}
    assert Solver([n == 2], LIMIT).check().model == {n: 2}


@pytest.mark.parametrize(
    ("term", "known"),
    [
        (Symbol("n") + 1 >= 2, True),
        (operation("in", Symbol("d", "text"), ("int8", "int32")), True),
        (operation("==", Symbol("x", "real"), float("inf")), False),
        (operation("length", Constant((1, 2))) == 2, False),
        (Projection(Constant((1, 2)), Symbol("i")) == 1, False),
    ],
)
def test_what_has_no_formula_is_known_before(term: Any, known: bool) -> None:
    assert has_formula(term) is known


@pytest.mark.parametrize("alone", [True, False])
def test_a_copy_knows_what_was_learnt_before_the_claims_were_told(alone: bool) -> None:
    size = Symbol("size", low=1)
    first = solver()
    first.formulas.variable(size)

    assert first.copy(LIMIT, alone).check(size <= 0).answer is Answer.UNSAT
    assert first.check(size <= 0).answer is Answer.UNSAT
