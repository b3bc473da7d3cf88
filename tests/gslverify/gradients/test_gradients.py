"""Gradients of two networks are compared at smooth points, and differences are confirmed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.operators import lookup
from gslverify.gradients import agreement as module
from gslverify.gradients.agreement import Agreement, judge, smooth_inputs
from gslverify.networks.network import Network

X = Var("x", (2, 3), "float32")
Y = Var("y", (2, 3), "float32")
N = Var("n", (2, 3), "int32")


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), list(operands), attributes)


def judged(source: Expr, target: Expr) -> Agreement:
    network = Network((source,), (source,), "alone")
    return judge(network, (target,), np.random.default_rng(1))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (call("Relu", X), call("Maximum", X, Const(np.float32(0)))),
        (call("Divide", X, Y), call("Multiply", X, call("Divide", Const(np.float32(1)), Y))),
        (call("Log", call("Exp", X)), X),
        (call("Abs", call("Negative", X)), call("Abs", X)),
        (call("Max", X, axis=(0, 1)), call("Max", call("Max", X, axis=(1,)), axis=(0,))),
        (call("Floor", X), call("Floor", call("Floor", X))),
        (call("Subtract", X, X), call("Multiply", X, Const(np.float32(0)))),
    ],
)
def test_equal_gradients(source: Expr, target: Expr) -> None:
    assert judged(source, target).differences == ()
    assert judged(source, target).rejected == ""


@pytest.mark.parametrize(
    ("source", "target", "inputs"),
    [
        (call("Relu", X), call("Abs", X), ["x"]),
        (call("Multiply", X, Y), call("Add", X, Y), ["x", "y"]),
        (call("Multiply", X, Y), X, ["x", "y"]),
        (call("Add", X, Const(np.float32(1))), call("Negative", X), ["x"]),
        (X, call("Multiply", X, Const(np.full((2, 3), 1.0001, np.float32))), ["x"]),
    ],
)
def test_different_gradients(source: Expr, target: Expr, inputs: list[str]) -> None:
    found = judged(source, target)
    assert [one.output for one in found.differences] == [f"gradient to {n}" for n in inputs]
    worst = found.differences[0].worst[0]
    assert abs(worst.source - worst.target) == pytest.approx(found.differences[0].max_abs)


def test_outputs_may_be_tuples() -> None:
    halves = call("Split", Var("x", (2, 4), "float64"), indices_or_sections=2, axis=1)
    swapped = Tuple([Proj(halves, 1), Proj(halves, 0)])
    assert judged(halves, Tuple([Proj(halves, 0), Proj(halves, 1)])).differences == ()
    assert [one.output for one in judged(halves, swapped).differences] == ["gradient to x"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (call("Sqrt", call("Negative", call("Exp", X))), "a value is not a number"),
        (call("Log", call("Multiply", X, Const(np.float32(0)))), "an output is not finite"),
        (call("Abs", call("Multiply", X, Const(np.float32(1e-9)))), "too close to a joint"),
        (call("Tile", X, repeats=(30, 30)), "a tensor has more than 2,000 elements"),
        (call("Sqrt", call("Multiply", X, Const(np.float32(0)))), "gradient of the source is not"),
    ],
)
def test_reasons_for_saying_nothing(source: Expr, reason: str) -> None:
    found = judged(source, source)
    assert reason in found.rejected
    assert found.differences == ()


def test_a_difference_that_slopes_do_not_confirm_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong derivative of ours must not refute a rule."""
    right = module.gradients

    def wrong(outputs: Any, values: Any, above: Any) -> Any:
        found = right(outputs, values, above)
        return {name: array * (2 if outputs[0] is target else 1) for name, array in found.items()}

    source, target = call("Exp", X), call("Exp", call("Maximum", X, X))
    monkeypatch.setattr(module, "gradients", wrong)
    found = judged(source, target)
    assert found.rejected == "slopes do not confirm the gradient to x"
    assert found.differences == ()


def test_inputs_are_smooth_and_defined() -> None:
    root = call("Divide", call("Log", X), call("Sqrt", Y))
    network = Network((root,), (root,), "alone")
    for narrow in (False, True):
        found = smooth_inputs(network, np.random.default_rng(0), narrow=narrow)
        assert len(np.unique(found["x"])) == 6
        assert found["x"].min() >= 1e-3
        assert found["y"].min() >= 0
        assert found["x"].dtype == np.float64
    whole = call("Add", N, N)
    given = smooth_inputs(Network((whole,), (whole,), "alone"), np.random.default_rng(0))
    assert given["n"].dtype == np.int32
