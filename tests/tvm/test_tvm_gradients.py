"""A worker derives gradients by TVM, and says why where it does not."""

from __future__ import annotations

import numpy as np
import pytest

from gsl.expr import Call, Expr, Var
from gsl.operators import lookup
from gsl.tvm.worker import Failure, Job, Worker

pytestmark = pytest.mark.tvm

X = Var("x", (3,), "float64")
Y = Var("y", (3,), "float64")
GIVEN = {"x": np.array([1.0, -2, 3]), "y": np.array([2.0, 5, 7])}


def call(name: str, *operands: Expr, **attributes: object) -> Call:
    return Call(lookup(name), list(operands), attributes)


def test_gradients_come_in_the_order_asked_for() -> None:
    total = call("Sum", call("Multiply", call("Relu", X), Y))
    with Worker(timeout=120.0) as worker:
        value, slopes, one = worker.run(
            [
                Job("value", [total], GIVEN),
                Job("slopes", [total], GIVEN, ("y", "x")),
                Job("one", [total], GIVEN, ("x",)),
            ]
        )
    assert not isinstance(value, Failure)
    assert value[0] == 23
    assert np.array(slopes).tolist() == [[1, 0, 3], [2, 0, 7]]
    assert np.array(one).tolist() == [[2, 0, 7]]


def test_an_operator_without_gradient_fails_alone() -> None:
    without = call("Sum", call("Max", call("Multiply", X, Y), axis=(0,)))
    fine = call("Sum", call("Multiply", X, Y))
    with Worker(timeout=120.0) as worker:
        bad, good = worker.run(
            [Job("max", [without], GIVEN, ("x",)), Job("product", [fine], GIVEN, ("x",))]
        )
    assert isinstance(bad, Failure)
    assert not isinstance(good, Failure)
    assert good[0].tolist() == [2, 5, 7]
