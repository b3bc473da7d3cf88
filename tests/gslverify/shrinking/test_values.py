"""Counterexamples get simple values, stay where operators are defined, and are written down."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Subst, Var, op, pat
from gsl.expr import Call, Const, Proj
from gsl.operators import lookup
from gsl.tvm.jobs import Failure
from gslverify.codes.numeric import MATCH_REFUSED, OUTPUTS_DIFFER
from gslverify.finding import Mismatch
from gslverify.networks.network import Network
from gslverify.shrinking.descent import MOST_ATTEMPTS, Budget, simplest
from gslverify.shrinking.order import order_of
from gslverify.trials import backend
from gslverify.trials.counterexample import EXACT_ONLY, counterexample_of, first_divergence
from gslverify.trials.refutation import fails_as
from gslverify.trials.trial import Outcome, run_trial


def call(name: str, *operands: Any, **attributes: Any) -> Call:
    return Call(lookup(name), list(operands), attributes)


def fail(subst: Subst, output: Call, context: str = "alone", **inputs: Any) -> Outcome:
    model = {"x.shape[0]": 3, "x.dtype": "float32", "call.axis": 0}
    failure = run_trial(subst, Network((output,), (output,), context, model), inputs)
    assert failure.code is not None
    return failure


def made_simple(subst: Subst, failure: Outcome) -> Outcome:
    return simplest(failure, fails_as(subst, failure), Budget())


def swapped() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x - y, y - x)


def difference(size: int = 3) -> Call:
    return call("Subtract", Var("x", (size,)), Var("y", (size,)))


def test_values_become_zeros_and_ones() -> None:
    inputs = {"x": np.float32([3.5, -2.25, 7.0]), "y": np.float32([0.5, 11.0, 7.0])}
    subst = swapped()
    smallest = made_simple(subst, fail(subst, difference(), **inputs))
    assert smallest.code is OUTPUTS_DIFFER
    values = np.concatenate(list(smallest.inputs.values()))
    assert set(values.tolist()) <= {0.0, 1.0}
    assert np.count_nonzero(values) == 1


def test_the_places_that_part_are_named_on_both_sides() -> None:
    def write() -> Subst:
        x = pat.Wildcard()
        halves = op.Split(x, indices_or_sections=2)
        return Subst([halves[0], halves[1]], [halves[1], pat.Const((0.0, 0.0))])

    halves = call("Split", Var("x", (4,)), indices_or_sections=2)
    both = Proj(halves, 0), Proj(halves, 1)
    network = Network(both, both, "alone", {})
    failure = run_trial(write(), network, {"x": np.float32([0, 1, 2, 3])})
    assert failure.code is OUTPUTS_DIFFER
    assert first_divergence(failure) == "output 0[0]: %0.0 of the source, %0.1 of the target"


def test_what_is_simple_already_stays() -> None:
    subst = swapped()
    inputs = {"x": np.float32([1, 0, 0]), "y": np.float32([0, 0, 0])}
    failure = fail(subst, difference(), **inputs)
    smallest = made_simple(subst, failure)
    for name, array in inputs.items():
        np.testing.assert_array_equal(smallest.inputs[name], array)


def test_the_search_is_bounded() -> None:
    subst, tried = swapped(), []
    generator = np.random.default_rng(0)
    inputs = {name: generator.standard_normal(400).astype("f4") for name in "xy"}
    inputs["x"][:] = np.arange(400) + 0.5
    failure = fail(subst, difference(400), **inputs)

    def attempt(network: Network, inputs: Any) -> Outcome | None:
        tried.append(inputs)
        return None

    assert simplest(failure, attempt, Budget()) is failure
    assert len(tried) == MOST_ATTEMPTS


def test_whatever_is_simpler_is_told_at_once() -> None:
    subst, told = swapped(), list[Outcome]()
    inputs = {"x": np.float32([3.5, -2.25, 7.0]), "y": np.float32([0.5, 11.0, 7.0])}
    failure = fail(subst, difference(), **inputs)
    simple = simplest(failure, fails_as(subst, failure), Budget(), found=told.append)

    orders = [order_of(one.network, one.inputs) for one in (failure, *told)]
    assert len(told) > 1
    assert orders == sorted(orders, reverse=True)
    assert told[-1] is simple


def below(limit: float) -> Subst:
    x = pat.Wildcard()
    return Subst(op.Minimum(x, limit), op.Minimum(x, limit - 1.0))


@pytest.mark.parametrize(
    ("limit", "found", "simple"),
    [
        (3.5, 27.400042, 3),
        (7.5, 27.400042, 10),
        (18.5, 27.400042, 20),
        (25.5, 27.400042, 27),
        (28.25, 27.400042, 27.4),
        (28.4, 27.400042, 27.400042),
        (1e6, 1.0625e6, 1e6),
    ],
)
def test_other_values_are_round(limit: float, found: float, simple: float) -> None:
    subst = below(limit)
    least = call("Minimum", Var("x", (1,)), Const(limit, "float32"))
    failure = fail(subst, least, x=np.float32([found]))
    assert made_simple(subst, failure).inputs["x"].tolist() == [np.float32(simple)]


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int64"])
def test_integers_are_round(dtype: str) -> None:
    x = pat.Wildcard()
    subst = Subst(op.Greater(x, 90), op.Greater(x, 110))
    greater = call("Greater", Var("x", (2,), dtype), Const(90, dtype))
    failure = fail(subst, greater, x=np.array([99, 3], dtype))
    smallest = made_simple(subst, failure)
    assert smallest.inputs["x"].tolist() == [99, 0]
    failure = fail(subst, greater, x=np.array([104, 3], dtype))
    assert made_simple(subst, failure).inputs["x"].tolist() == [100, 0]


def test_divisors_stay_away_from_zero() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    subst = Subst(op.FloorDivide(x, y), op.FloorDivide(y, y))
    divide = call("FloorDivide", Var("x", (2,), "int32"), Var("y", (2,), "int32"))
    failure = fail(subst, divide, x=np.int32([7, 9]), y=np.int32([3, 2]))
    smallest = made_simple(subst, failure)
    assert np.all(smallest.inputs["y"] != 0)
    assert np.any(smallest.inputs["x"] != failure.inputs["x"])


def test_indices_stay_in_range() -> None:
    x, i = pat.Wildcard(), pat.Wildcard()
    subst = Subst(op.Take(x, i, axis=0), op.Take(-x, i, axis=0))
    take = call("Take", Var("x", (1, 2)), Var("i", (2,), "int64"), axis=0)
    failure = fail(subst, take, x=np.float32([[3.5, 4.5]]), i=np.int64([0, 0]))
    smallest = made_simple(subst, failure)
    assert smallest.inputs["i"].tolist() == [0, 0]
    assert set(np.ravel(smallest.inputs["x"]).tolist()) <= {0.0, 1.0}


def test_truth_values_become_false() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    subst = Subst(op.LogicalAnd(x, y), op.LogicalOr(x, y))
    both = call("LogicalAnd", Var("x", (2,), "bool"), Var("y", (2,), "bool"))
    failure = fail(subst, both, x=np.array([True, True]), y=np.array([True, False]))
    smallest = made_simple(subst, failure)
    assert sum(int(array.sum()) for array in smallest.inputs.values()) == 1


def test_bytes_are_never_negative() -> None:
    subst = swapped()
    minus = call("Subtract", Var("x", (2,), "uint8"), Var("y", (2,), "uint8"))
    failure = fail(subst, minus, x=np.uint8([200, 3]), y=np.uint8([7, 3]))
    smallest = made_simple(subst, failure)
    assert all(array.max() <= 2 for array in smallest.inputs.values())


def test_nan_is_replaced() -> None:
    subst = swapped()
    inputs = {"x": np.float32([np.nan, 5.0, 1.0]), "y": np.float32([0, 0, 0])}
    smallest = made_simple(subst, fail(subst, difference(), **inputs))
    assert np.all(np.isfinite(smallest.inputs["x"]))


# The counterexample.


def example(monkeypatch: pytest.MonkeyPatch, *results: Any, context: str = "alone") -> Any:
    said = list(results)
    monkeypatch.setattr(backend, "run", lambda *args: said.pop(0))
    inputs = {"x": np.float32([1, 0, 0]), "y": np.float32([0, 0, 0])}
    return counterexample_of(fail(swapped(), difference(), context, **inputs), bool(results))


def test_a_counterexample_shows_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = example(monkeypatch)
    assert shown.source == ("%0 = Subtract(x, y)", "return %0")
    assert shown.target == ("%0 = Subtract(y, x)", "return %0")
    assert shown.attributes == {"call.axis": 0}
    assert [(t.name, t.dtype, t.shape, t.values) for t in shown.inputs] == [
        ("x", "float32", (3,), [1.0, 0.0, 0.0]),
        ("y", "float32", (3,), [0.0, 0.0, 0.0]),
    ]
    assert shown.outputs[0].worst == (Mismatch((0,), 1.0, -1.0),)
    assert shown.notes == ()


def test_a_context_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "context: inputs computed" in example(monkeypatch, context="inputs computed").notes


@pytest.mark.parametrize(
    ("results", "note"),
    [
        (([np.zeros(3)], [np.ones(3)]), "TVM computes different outputs, too"),
        (([np.zeros(3)], [np.zeros(3)]), "TVM computes equal outputs"),
        ((Failure("crash", "SIGFPE\nmore", "network"), []), "TVM cannot run the source: SIGFPE"),
        (([], Failure("crash", "SIGFPE", "network")), "TVM cannot run the target: SIGFPE"),
    ],
)
def test_the_second_opinion_is_noted(
    results: Any, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert example(monkeypatch, *results).notes == (note,)


def test_what_no_dtype_of_the_graph_shows_is_said() -> None:
    x = pat.Wildcard()
    for asked, notes in ((2.0000000001e-9, (EXACT_ONLY,)), (3e-9, ())):
        nearly = Subst((x + 1e-9) + 1e-9, x + asked)
        once = call("Add", Var("x", ()), Const(1e-9, "float32"))
        twice = call("Add", once, Const(1e-9, "float32"))
        failure = fail(nearly, twice, x=np.float32(0))
        assert counterexample_of(failure, False).notes == notes


def test_large_tensors_are_not_spelled_out() -> None:
    subst = swapped()
    inputs = {"x": np.ones(65, "f4"), "y": np.zeros(65, "f4")}
    shown = counterexample_of(fail(subst, difference(65), **inputs), False)
    assert [tensor.values for tensor in shown.inputs] == [None, None]


def test_a_refused_match_shows_why() -> None:
    x = pat.Wildcard()
    flip = Subst(op.Relu(x), op.Flip(op.Relu(x), axis=3))
    failure = fail(flip, call("Relu", Var("x", (2,))), x=np.zeros(2, "f4"))
    assert failure.code is MATCH_REFUSED
    shown = counterexample_of(failure, True)
    assert shown.target == (failure.message,)
    assert shown.notes == ()
