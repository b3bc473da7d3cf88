"""Graphs as text in static single assignment form."""

from __future__ import annotations

import pytest

from gsl import Const, Expr, Tuple, Var
from gsl.expr import Call, Proj
from gsl.listing import listing
from gsl.operators.declaration import lookup

X = Var("x", (2, 3))
Y = Var("y", (2, 3))


def call(name: str, *operands: Expr, **attributes: object) -> Call:
    return Call(lookup(name), operands, attributes)


CASES = {
    "no operands": ([call("Zeros", shape=(2,))], ["%0 = Zeros(shape=(2,))", "return %0"]),
    "default attributes": ([call("Softmax", X)], ["%0 = Softmax(x)", "return %0"]),
    "other attributes": (
        [call("Softmax", X, axis=0)],
        ["%0 = Softmax(x, axis=0)", "return %0"],
    ),
    "constant": ([call("Add", X, Const(1.5))], ["%0 = Add(x, 1.5)", "return %0"]),
    "two outputs": ([X, call("Relu", Y)], ["%0 = Relu(y)", "return x, %0"]),
    "tuple": (
        [call("Concatenate", Tuple((X, Y)), axis=1)],
        ["%0 = Concatenate((x, y), axis=1)", "return %0"],
    ),
    "projection": (
        [Proj(call("Split", X, indices_or_sections=2, axis=0), 1)],
        ["%0 = Split(x, indices_or_sections=2)", "return %0.1"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_listing(name: str) -> None:
    outputs, expected = CASES[name]
    assert listing(outputs) == expected


def test_shared_nodes_have_one_line() -> None:
    shared = call("Relu", X)
    assert listing([call("Add", shared, shared)]) == [
        "%0 = Relu(x)",
        "%1 = Add(%0, %0)",
        "return %1",
    ]


def test_long_constants_are_cut() -> None:
    (line, _) = listing([call("Negative", Const(list(range(100))))])
    assert line.endswith("...])")
    assert len(line) < 60


def test_deep_chains_are_listed() -> None:
    expr: Expr = X
    for _ in range(20_000):
        expr = call("Relu", expr)
    lines = listing([expr])
    assert len(lines) == 20_001
    assert lines[-2] == "%19999 = Relu(%19998)"
