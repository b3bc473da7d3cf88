"""Gradients of graphs by the kernels of their operators, against central differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl.differentiation import adjoints, clearance, ideal_values, places
from gsl.errors import GraphError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.operators import lookup

RANDOM = np.random.default_rng(4)
IMAGE = Var("x", (2, 4, 5, 5), "float32")
MATRIX = Var("x", (3, 4), "float32")


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), list(operands), attributes)


def convolution(data: Expr) -> Expr:
    weight = Var("w", (4, 2, 2, 3), "float32")
    attributes = {"strides": (2, 1), "padding": (1, 0, 0, 2), "groups": 2, "dilation": (1, 2)}
    return call("Conv2D", data, weight, **attributes)


def both_parts(data: Expr) -> Expr:
    halves = call("Split", data, indices_or_sections=2, axis=1)
    return call("Multiply", Proj(halves, 0), call("Exp", Proj(halves, 1)))


GRAPHS: dict[str, Expr] = {
    "convolution": call("Relu", convolution(IMAGE)),
    "pooling": call("MaxPool2D", IMAGE, pool_size=(2, 2), strides=(2, 1), padding=(0, 1, 0, 1)),
    "softmax": call("Softmax", MATRIX, axis=0),
    "split": both_parts(MATRIX),
    "concatenation": call(
        "Tanh",
        call("Concatenate", Tuple([MATRIX, MATRIX, Const(np.ones((3, 1), np.float32))]), axis=1),
    ),
    "reshape": call("Transpose", call("Reshape", MATRIX, shape=(2, 6)), axes=(1, 0)),
    "cast": call("Cast", call("Multiply", MATRIX, MATRIX), dtype="float16"),
    "shared": call("Add", call("Sigmoid", MATRIX), call("Multiply", MATRIX, call("Exp", MATRIX))),
    "reduction": call("Variance", MATRIX, axis=(1,), keepdims=True),
    "indices": call("Take", MATRIX, Var("i", (3,), "int32"), axis=1),
}


def inputs_of(output: Expr) -> dict[str, Any]:
    given = {"x": RANDOM.normal(size=IMAGE.shape), "w": RANDOM.normal(size=(4, 2, 2, 3))}
    if "x" in given and MATRIX in ideal_names(output):
        given["x"] = RANDOM.normal(size=MATRIX.shape)
    return given | {"i": np.array([3, 0, 3], np.int32)}


def ideal_names(output: Expr) -> set[Expr]:
    found, stack = set[Expr](), [output]
    while stack:
        found.add(current := stack.pop())
        stack.extend(current.operands)
    return found


@pytest.mark.parametrize("name", GRAPHS)
def test_gradients_are_slopes(name: str) -> None:
    output = GRAPHS[name]
    given = inputs_of(output)
    values = ideal_values([output], given)
    above = RANDOM.normal(size=values[output].shape)
    found = adjoints([output], values, {(output, None): above})

    assert clearance([output], values) > 1e-4
    variables = [expr for expr in values if isinstance(expr, Var) and expr.dtype == "float32"]
    for variable in variables:
        direction = RANDOM.choice([-1.0, 1.0], size=variable.shape)
        ends = [
            float(np.sum(above * ideal_values([output], moved)[output]))
            for step in (1e-6, -1e-6)
            for moved in [{**given, variable.name: given[variable.name] + step * direction}]
        ]
        slope = float(np.sum(found[variable, None] * direction))
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_values_are_not_rounded_to_the_dtype() -> None:
    output = call("Cast", call("Multiply", MATRIX, MATRIX), dtype="float16")
    x = RANDOM.normal(size=(3, 4))
    assert np.array_equal(ideal_values([output], {"x": x})[output], x * x)


def test_a_tuple_has_a_place_for_each_field() -> None:
    halves = call("Split", MATRIX, indices_or_sections=2, axis=1)
    assert places(halves) == [(halves, 0), (halves, 1)]
    values = ideal_values([halves], {"x": RANDOM.normal(size=(3, 4))})
    found = adjoints([halves], values, {(halves, 1): np.ones((3, 2))})
    assert found[MATRIX, None].tolist() == [[0, 0, 1, 1]] * 3


def test_integers_pass_nothing_on() -> None:
    whole = call("Cast", call("Cast", MATRIX, dtype="int32"), dtype="float32")
    values = ideal_values([whole], {"x": RANDOM.normal(size=(3, 4))})
    assert (MATRIX, None) not in adjoints([whole], values, {(whole, None): np.ones((3, 4))})


def test_a_joint_is_seen() -> None:
    relu = call("Relu", MATRIX)
    near = np.full((3, 4), 2.0)
    near[1, 2] = 1e-7
    assert clearance([relu], ideal_values([relu], {"x": near})) == pytest.approx(1e-7)
    assert clearance([MATRIX], {}) == np.inf


def test_an_input_must_have_a_value() -> None:
    with pytest.raises(GraphError, match="has no value"):
        ideal_values([MATRIX], {})
