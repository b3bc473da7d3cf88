"""Compiled terms have the values that a walk over them finds, or the same failure."""

from __future__ import annotations

from typing import Any

import pytest

from gsl import attr
from gsl.attr.evaluate import conjunction, contains, equal
from gsl.attr.term import Symbol, Term, operation
from gsl.errors import EvaluationError
from gslverify.structures.models import evaluation
from gslverify.structures.models.concrete import value_in
from gslverify.structures.models.evaluation import OFTEN, Evaluator

A, B = (Symbol(name, "int") for name in "ab")
REAL, FLAG, DTYPE = Symbol("real", "real"), Symbol("flag", "bool"), Symbol("dtype", "text")
MODEL = {A: 7, B: -2, REAL: 0.5, FLAG: True, DTYPE: "int8"}

TERMS: dict[str, Any] = {
    "arithmetic": A // B + A % B - abs(B) * A,
    "a number that is shared": (A + B) * (A + B),
    "reals": REAL * A / 3,
    "an integer and a real": equal(A, REAL * 14),
    "a choice": operation("cond", A > B, A, B),
    "a dtype": contains(DTYPE, ("int8", "uint8")),
    "conditions": conjunction(FLAG, A >= 1, operation("not", equal(B, 0))),
    "a truth value and a number": equal(FLAG, operation("min", A, 1)),
    "a sum": attr.Sum(lambda i: i * A, length=3),
    "a symbol that is left open": Symbol("open", "int", low=3) + 1,
}


def asked_often(term: Term, model: dict[Symbol, Any]) -> Evaluator:
    evaluator = Evaluator()
    for _ in range(OFTEN):
        evaluator.value(term, model)
    return evaluator


@pytest.mark.parametrize("name", TERMS)
def test_a_compiled_term_has_the_value_of_the_walk(name: str) -> None:
    term, expected = TERMS[name], value_in(TERMS[name], MODEL)
    found = asked_often(term, MODEL).value(term, MODEL)
    assert (type(found), found) == (type(expected), expected)


def test_what_is_asked_for_often_is_not_walked_over_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    term = A + B
    evaluator = asked_often(term, MODEL)
    monkeypatch.setattr(evaluation, "value_in", None)
    assert evaluator.value(term, {A: 1, B: 2}) == 3


def test_a_compiled_term_without_a_value_fails_as_the_walk_does() -> None:
    term = A // B
    evaluator = asked_often(term, MODEL)
    with pytest.raises(EvaluationError, match="division by zero"):
        evaluator.value(term, {A: 1, B: 0})


def test_what_is_no_term_is_its_own_value() -> None:
    assert Evaluator().value(True, {}) is True
