"""Graphs as text: one line for every operator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Call, Const, Expr, Proj, Tuple
from gsl.operators import REGISTRY
from gsl.text.listing import listing, shown_attributes, text_over
from tests.match.toys import Halves, add, const, exp, half, negative, pack, relu, tag, var
from tests.networks import chain
from tests.own_kinds import Twice

X, Y = var("x"), var("y")


def test_operators_are_numbered_and_all_else_stands_where_it_is_used() -> None:
    r = relu(X)
    outputs = [pack(r, X), tag(half(add(r, const(2)), 1), 3), r]

    assert listing(outputs) == [
        "%0 = Relu(x)",
        "%1 = Pack((%0, x))",
        "%2 = Add(%0, [2.0, 2.0])",
        "%3 = Halves(%2)",
        "%4 = Tag(%3.1, k=3)",
        "return %1, %4, %0",
    ]


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (1e-12, "float32", "1e-12"),
        ([0.1, -0.0, float("inf")], "bfloat16", "[0.100098, -0.0, inf]"),
        (0.1, "float64", "0.1"),
        ([[3]], "int8", "[[3]]"),
        (True, "bool", "True"),
    ],
)
def test_constants_have_the_digits_of_their_dtype(value: Any, dtype: str, text: str) -> None:
    assert listing([Const(np.array(value), dtype)]) == [f"return {text}"]


def test_call_without_operands_begins_with_its_attributes() -> None:
    zeros = Call(REGISTRY["Zeros"], (), {"shape": (2,)})
    assert listing([zeros]) == ["%0 = Zeros(shape=(2,))", "return %0"]


def test_graph_without_operators_is_its_outputs() -> None:
    assert listing([X, Tuple([Y, const(1)])]) == ["return x, (y, [1.0, 1.0])"]
    assert listing([]) == ["return "]


TEXTS: list[tuple[Expr, list[str], str]] = [
    (X, [], "x"),
    (Const(1.5), [], "1.5"),
    (Const(list(range(50))), [], "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1...]"),
    (Tuple([X, Y]), ["a", "b"], "(a, b)"),
    (Proj(Call(Halves, [X]), 1), ["a"], "a.1"),
    (negative(X), ["a"], "Negative(a)"),
    (tag(X), ["a"], "Tag(a)"),
    (tag(X, 3), ["a"], "Tag(a, k=3)"),
    (Call(REGISTRY["Cast"], [X], {"dtype": "int8"}), ["a"], "Cast(a, dtype='int8')"),
    (Twice(X), ["a"], "Twice(a)"),
]


@pytest.mark.parametrize(("expr", "operands", "expected"), TEXTS, ids=lambda part: repr(part)[:30])
def test_text_of_one_expression(expr: Expr, operands: list[str], expected: str) -> None:
    assert text_over(expr, operands) == expected


def test_only_attributes_other_than_the_default_are_shown() -> None:
    leaky = REGISTRY["LeakyRelu"]

    assert shown_attributes(Call(leaky, [X])) == {}
    assert shown_attributes(Call(leaky, [X], {"alpha": 0.01})) == {}
    assert shown_attributes(Call(leaky, [X], {"alpha": 0.5})) == {"alpha": 0.5}
    assert shown_attributes(exp(X)) == {}


def test_deep_chain_is_listed_in_one_pass() -> None:
    lines = listing([chain(20_000)])

    assert lines[0] == "%0 = Exp(x)"
    assert lines[-2:] == ["%19999 = Relu(%19998)", "return %19999"]
