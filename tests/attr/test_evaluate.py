"""Evaluation and matching of attribute expressions: the rules AE-* and AM-* of the thesis.

Indices count from 0 here and from 1 in the thesis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsl import attr, pat
from gsl.attr import evaluate as meaning
from gsl.attr.evaluate import (
    ceil_divide,
    conjunction,
    contains,
    disjunction,
    equal,
    evaluate,
    is_symbolic,
    negation,
    satisfies,
)
from gsl.attr.memory import Memory
from gsl.attr.term import Symbol, Term, Value, as_term, operation
from gsl.attr.values import certainly_equal
from gsl.errors import EvaluationError, UndecidedError
from tests.attr.environment import NOTHING, Known, Open

i, n, s = Symbol("i"), Symbol("n"), Symbol("s")
p = pat.Wildcard()
ENVIRONMENT = Known({(p, "shape"): (4, 6), (p, "dtype"): "int8"}, {i: 2, n: 3})

VALUES: list[tuple[str, Callable[[], Any], Any]] = [
    ("AE-Value", lambda: 7, 7),
    ("AE-Value", lambda: (1, "x", True), (1, "x", True)),
    ("AE-Symbol", lambda: i, 2),
    ("AE-Access", lambda: p.shape, (4, 6)),
    ("AE-Access", lambda: p.dtype, "int8"),
    ("AE-Binary", lambda: i + 1, 3),
    ("AE-Binary", lambda: 1 - i, -1),
    ("AE-Binary", lambda: p.shape[0] * p.shape[1], 24),
    ("AE-Binary", lambda: p.shape + attr.Tuple(i), (4, 6, 2)),
    ("AE-Tuple", lambda: attr.Tuple(i, (n, 5), p.dtype), (2, (3, 5), "int8")),
    ("AE-Tuple", lambda: attr.Tuple(), ()),
    ("AE-Proj", lambda: p.shape[0], 4),
    ("AE-Proj", lambda: p.shape[i - 1], 6),
    ("AE-Proj", lambda: p.shape[-1], 6),
    ("AE-Proj", lambda: attr.Tuple((1, 2), (3, i))[1][1], 2),
    ("AE-Var", lambda: attr.Variadic(lambda k: k * k, length=n), (0, 1, 4)),
    ("AE-Var", lambda: attr.Variadic(lambda k: k, length=0), ()),
    ("AE-Var", lambda: attr.Variadic(lambda k: attr.Variadic(lambda j: k + j, length=k), length=3),
     ((), (1,), (2, 3))),
    ("AE-Sum", lambda: attr.Sum(lambda k: p.shape[k], length=2), 10),
    ("AE-Sum", lambda: attr.Sum(lambda k: k, length=0), 0),
    ("product", lambda: attr.Product(lambda k: k + 1, length=4), 24),
    ("product", lambda: attr.Product(lambda k: k, length=0), 1),
    ("all", lambda: attr.All(lambda k: k < n, length=3), True),
    ("all", lambda: attr.All(lambda k: k < 2, length=3), False),
    ("all", lambda: attr.All(lambda k: False, length=0), True),
    ("exists", lambda: attr.Exists(lambda k: k == i, length=3), True),
    ("exists", lambda: attr.Exists(lambda k: k == i, length=2), False),
    ("exists", lambda: attr.Exists(lambda k: True, length=0), False),
    ("least", lambda: attr.ReduceIndexed("min", lambda k: 5 - k, 3), 3),
    ("slice", lambda: p.shape[1:], (6,)),
    ("slice", lambda: p.shape[:-1], (4,)),
    ("slice", lambda: p.shape[::-1], (6, 4)),
    ("slice", lambda: as_term((0, 1, 2, 3))[i:n], (2,)),
    ("lazy", lambda: attr.Cond(i == 2, 1, p.shape[9]), 1),
    ("lazy", lambda: attr.Cond(i == 3, p.shape[9], 0), 0),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "build", "value"), VALUES)
def test_value_of_a_term(rule: str, build: Callable[[], Any], value: Any) -> None:
    result = evaluate(as_term(build()), ENVIRONMENT)

    assert value == result
    assert type(value) is type(result)


HEADS: list[tuple[str, tuple[Any, ...], Any]] = [
    ("+", (2, 3), 5),
    ("-", (2, 3), -1),
    ("*", (2, 3), 6),
    ("/", (3, 2), 1.5),
    ("//", (-3, 2), -2),
    ("%", (-3, 2), 1),
    ("neg", (3,), -3),
    ("abs", (-3,), 3),
    ("floor", (-0.5,), -1),
    ("ceil", (-0.5,), 0),
    ("sqrt", (9,), 3.0),
    ("==", (2, 2.0), True),
    ("==", ((1, (2,)), (1, (2,))), True),
    ("==", ((1, 2), (1, 2, 3)), False),
    ("==", ((1,), 1), False),
    ("==", (1, True), False),
    ("==", (0.0, False), False),
    ("==", ("a", "a"), True),
    ("==", ("a", 1), False),
    ("!=", (1, 2), True),
    ("!=", ((1,), (1,)), False),
    ("<", (1, 2), True),
    ("<=", (2, 2), True),
    (">", (1, 2), False),
    (">=", (1, 2), False),
    ("and", (True, False), False),
    ("or", (True, False), True),
    ("not", (True,), False),
    ("min", (2, 1), 1),
    ("max", (2, 1), 2),
    ("in", (2, (1, 2)), True),
    ("in", (3, (1, 2)), False),
    ("cond", (True, 1, 2), 1),
    ("cond", (False, 1, 2), 2),
    ("length", ((5, 6),), 2),
    ("axes_left", ((-1, 0), 4), (1, 2)),
    ("inverse", ((2, 0, 1),), (1, 2, 0)),
]


@pytest.mark.parametrize(("head", "operands", "value"), HEADS)
def test_meaning_of_every_operation(head: str, operands: tuple[Any, ...], value: Any) -> None:
    assert value == evaluate(operation(head, *operands), NOTHING)


def test_every_operation_has_its_test() -> None:
    assert set(meaning.PYTHON) == {head for head, _, _ in HEADS}


ERRORS: list[tuple[Callable[[], Any], str]] = [
    (lambda: None, "`any` has no value"),
    (lambda: attr.Tuple(1, None), "`any` has no value"),
    (lambda: s, "symbol `s` is not bound here"),
    (lambda: attr.Sum(lambda k: k, length=2) + s, "symbol `s` is not bound here"),
    (lambda: p.shape[2], "index 2 is out of range for a tuple of length 2"),
    (lambda: p.shape[-3], "index -3 is out of range"),
    (lambda: p.shape["a"], "index a is out of range"),
    (lambda: p.dtype[0], "only a tuple can be indexed, not 'int8'"),
    (lambda: as_term(3)[1:], "only a tuple can be sliced"),
    (lambda: p.shape[::0], "bad slice"),
    (lambda: p.shape["a":], "bad slice"),
    (lambda: as_term(1) // 0, "division by zero"),
    (lambda: as_term(1) / 0, "division by zero"),
    (lambda: p.dtype + 1, r"`\+` is not defined here"),
    (lambda: p.dtype < 1, "`<` is not defined here"),
    (lambda: attr.Sqrt(as_term(-1)), "`sqrt` is not defined here"),
    (lambda: attr.Floor(as_term(float("inf"))), "`floor` is not defined here"),
    (lambda: attr.Length(3), "only a tuple has a length"),
    (lambda: attr.In(1, 2), "the right side of attr.In is not a tuple"),
    (lambda: attr.Variadic(lambda k: k, length=-1), "a tuple cannot have length -1"),
    (lambda: attr.Variadic(lambda k: k, length="two"), "a tuple cannot have length 'two'"),
    (lambda: attr.ReduceIndexed("max", lambda k: k, 0), "`max` of nothing has no value"),
    (lambda: Term(), "not an attribute expression"),
]


@pytest.mark.parametrize(("build", "reason"), ERRORS)
def test_terms_without_a_value(build: Callable[[], Any], reason: str) -> None:
    with pytest.raises(EvaluationError, match=reason):
        evaluate(as_term(build()), ENVIRONMENT)


FITS: list[tuple[str, Callable[[], Any], Any, bool]] = [
    ("AM-Any", lambda: None, 3, True),
    ("AM-Any", lambda: None, (1, 2), True),
    ("AM-Eval", lambda: 3, 3, True),
    ("AM-Eval", lambda: 3, 4, False),
    ("AM-Eval", lambda: i + 1, 3, True),
    ("AM-Eval", lambda: p.shape, (4, 6), True),
    ("AM-Eval", lambda: (4, 6), (4, 6), True),
    ("AM-Eval", lambda: (4, 6), 4, False),
    ("AM-Tuple", lambda: (None, 6), (4, 6), True),
    ("AM-Tuple", lambda: (None, 5), (4, 6), False),
    ("AM-Tuple", lambda: (None, p.shape[1]), (9, 6), True),
    ("AM-Tuple", lambda: (None, None), (4, 6, 1), False),
    ("AM-Tuple", lambda: (None, None), 4, False),
    ("AM-Tuple", lambda: (None, (None, i)), (1, (2, 2)), True),
    ("AM-Var", lambda: attr.Variadic(lambda k: 2 * k, length=None), (0, 2, 4), True),
    ("AM-Var", lambda: attr.Variadic(lambda k: 2 * k, length=None), (0, 2, 5), False),
    ("AM-Var", lambda: attr.Variadic(lambda k: None, length=None), (), True),
    ("AM-Var", lambda: attr.Variadic(lambda k: None, length=None), 7, False),
    ("AM-Var", lambda: attr.Variadic(lambda k: k, length=n), (0, 1, 2), True),
    ("AM-Var", lambda: attr.Variadic(lambda k: k, length=n), (0, 1), False),
]


@pytest.mark.parametrize(("rule", "build", "value", "fits"), FITS)
def test_value_fits_a_term(rule: str, build: Callable[[], Any], value: Any, fits: bool) -> None:
    assert fits is satisfies(as_term(build()), value, ENVIRONMENT)


def test_term_without_a_value_fits_nothing_silently() -> None:
    with pytest.raises(EvaluationError, match="out of range"):
        satisfies(p.shape[5], 1, ENVIRONMENT)


def test_fitting_may_compare_in_another_way() -> None:
    def close(asked: Value, value: Value) -> bool:
        return abs(asked - value) < 1

    terms = [attr.Tuple(i, 1), as_term((None, 1)), attr.Variadic(lambda k: k + i, length=2)]
    for term in terms:
        assert satisfies(term, (2.5, 1.5), ENVIRONMENT, close) is (term is not terms[2])
        assert satisfies(term, (2.5, 3.5), ENVIRONMENT, close) is (term is terms[2])
        assert satisfies(term, (2.5, 1.5), ENVIRONMENT) is False


SYMBOLIC: list[tuple[Callable[[], Any], Callable[[int], Any]]] = [
    (lambda: s + 1, lambda v: v + 1),
    (lambda: (s * 2 - 3) // 2 % 5, lambda v: (v * 2 - 3) // 2 % 5),
    (lambda: s / 4, lambda v: v / 4),
    (lambda: -s, lambda v: -v),
    (lambda: attr.Min(s, 2) + attr.Max(2, s), lambda v: min(v, 2) + max(2, v)),
    (lambda: attr.Abs(s - 3), lambda v: abs(v - 3)),
    (lambda: attr.Floor(s / 2) + attr.Ceil(s / 2), lambda v: v // 2 + -(-v // 2)),
    (lambda: (s < 2) | (s >= 4), lambda v: v < 2 or v >= 4),
    (lambda: (s > 0) & ~(s <= 1) & (s != 3), lambda v: v > 1 and v != 3),
    (lambda: attr.In(s, (1, 3)), lambda v: v in (1, 3)),
    (lambda: attr.Tuple(1, s) == (1, 2), lambda v: v == 2),
    (lambda: attr.Cond(s == 1, 10, s), lambda v: 10 if v == 1 else v),
    (lambda: attr.Cond(s == 1, (1, 2), (s, 4)), lambda v: (1, 2) if v == 1 else (v, 4)),
    (lambda: as_term((5, 6, 7))[attr.Min(s, 2)], lambda v: (5, 6, 7)[min(v, 2)]),
    (lambda: attr.Sum(lambda k: s + k, length=3), lambda v: 3 * v + 3),
    (lambda: attr.All(lambda k: k < s, length=3), lambda v: v > 2),
    (lambda: attr.Exists(lambda k: k == s, length=3), lambda v: v in (0, 1, 2)),
    (lambda: attr.Variadic(lambda k: k * s, length=3), lambda v: (0, v, 2 * v)),
]


@pytest.mark.parametrize(("build", "python"), SYMBOLIC)
@pytest.mark.parametrize("value", range(5))
def test_symbolic_value_means_the_same_when_the_symbol_is_known(
    build: Callable[[], Any], python: Callable[[int], Any], value: int
) -> None:
    symbolic = evaluate(build(), Open())
    known = Known(symbols={s: value})

    assert is_symbolic(symbolic)
    assert python(value) == evaluate(as_term(symbolic), known)
    assert python(value) == evaluate(build(), known)


@given(st.recursive(
    st.sampled_from([s, n]) | st.integers(-4, 4).map(as_term),
    lambda parts: st.builds(operation, st.sampled_from(["+", "-", "*", "min", "max"]), parts, parts)
    | st.builds(lambda c, x, y: attr.Cond(c < 1, x, y), parts, parts, parts),
    max_leaves=8,
), st.integers(-5, 5), st.integers(-5, 5))  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_evaluation_in_two_steps_is_evaluation(term: Term, first: int, second: int) -> None:
    at_once = evaluate(term, Known(symbols={s: first, n: second}))
    half = evaluate(term, Open(symbols={s: first}))

    assert at_once == evaluate(as_term(half), Known(symbols={n: second}))


UNDECIDED: list[tuple[Callable[[], Any], str]] = [
    (lambda: attr.Variadic(lambda k: k, length=s), "length of a tuple depends on an unknown size"),
    (lambda: as_term((1, 2))[s:], "a slice bound depends on an unknown size"),
    (lambda: attr.Cond(s == 1, (1,), (1, 2)), "length of a tuple depends on an unknown condition"),
    (lambda: attr.Cond(s == 1, (1,), 2), "length of a tuple depends on an unknown condition"),
]


@pytest.mark.parametrize(("build", "reason"), UNDECIDED)
def test_structure_cannot_depend_on_a_symbol(build: Callable[[], Any], reason: str) -> None:
    with pytest.raises(UndecidedError, match=reason):
        evaluate(build(), Open())


def test_symbolic_index_into_nothing_has_no_value() -> None:
    with pytest.raises(EvaluationError, match="out of range"):
        evaluate(as_term(())[s], Open())


def test_decided_parts_of_logic_disappear() -> None:
    condition = s == 1

    assert False is conjunction(condition, False)
    assert True is conjunction()
    assert condition is conjunction(True, condition)
    assert True is disjunction(condition, True)
    assert False is disjunction()
    assert condition is disjunction(False, condition)
    assert negation(condition).head == "not"


def test_equality_is_decided_where_it_can_be() -> None:
    assert True is equal(s, s)
    assert False is equal((s, 1), (s, 2))
    assert False is equal((s,), s)
    assert equal((s, 1), (n, 1)).head == "=="
    assert True is contains(s, (1, s))
    assert False is contains(3, (1, 2))


def test_choice_between_the_same_is_no_choice() -> None:
    assert s is evaluate(attr.Cond(n == 1, s, s), Open())
    assert s is evaluate(attr.Min(s, s), Open())


def test_symbolic_is_what_contains_a_term() -> None:
    assert is_symbolic(s)
    assert is_symbolic((1, (2, s)))
    assert not is_symbolic((1, (2, 3)))
    assert not is_symbolic("s")


@given(st.integers(-9, 9), st.integers(1, 4))
def test_ceil_divide_rounds_up(left: int, right: int) -> None:
    exact = ceil_divide(left, right)

    assert (exact - 1) * right < left <= exact * right


def test_bound_symbols_hide_outer_ones() -> None:
    inner = attr.ReduceIndexed("+", lambda k: k, 3)
    hidden = type(inner)("+", i, i, as_term(4))

    assert evaluate(hidden, ENVIRONMENT) == 6
    assert evaluate(inner, ENVIRONMENT) == 3


def test_memory_knows_what_depends_on_a_field_for_each_field() -> None:
    known, memory = Known({(p, "shape"): (4, 6, 8)}), Memory()
    rows = p.shape[0]
    term = attr.Sum(
        lambda i: attr.Sum(lambda j: (p.shape[i] + p.shape[j]) * rows, length=3) + rows, length=3
    )

    assert evaluate(term, known, memory) == evaluate(term, known)
    known.accessed.clear()
    assert evaluate(term, known, memory) == evaluate(term, known, Memory())
    assert known.accessed.count("shape") == 3  # written so often, for nine fields


def test_memory_answers_before_the_environment() -> None:
    known, memory = Known({(p, "shape"): (4, 6)}), Memory()
    rows = p.shape[0]

    assert evaluate(rows + rows, known, memory) == 8
    assert known.accessed.count("shape") == 1
    assert evaluate(rows, known, memory) == 4
    assert known.accessed.count("shape") == 1
    assert evaluate(rows, known) == 4
    assert known.accessed.count("shape") == 2


@pytest.mark.parametrize(
    ("left", "right"),
    [(2, 2), (2, 3), (2, 2.0), (True, 1), ("a", "a"), ((1, 2), (1, 2)), ((1, p.ndim), (1, 2))],
)
def test_what_is_certainly_equal_is_so_without_a_term(left: Value, right: Value) -> None:
    size = Symbol("n")
    assert certainly_equal(left, right) is (meaning.equal(left, right) is True)
    assert certainly_equal(size, size)
    assert not certainly_equal(size, Symbol("n"))
    assert not certainly_equal(size, 1)
