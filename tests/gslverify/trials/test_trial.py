"""One trial: what counts as agreement, as failure, and as telling nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from gsl import Const, Subst, Var, op, pat
from gsl.errors import GraphError
from gsl.expr import Call, Expr
from gsl.operators import lookup
from gslverify.codes.numeric import (
    MATCH_REFUSED,
    OUTPUTS_DIFFER,
    REWRITE_BREAKS_GRAPH,
    TARGET_UNDEFINED,
)
from gslverify.networks.generation import AROUND, Site
from gslverify.networks.network import Network
from gslverify.structures.models.concrete import Rewritten
from gslverify.trials import rewriting
from gslverify.trials.trial import TOO_LARGE, UNDEFINED, Outcome, run_trial


def trial_of(subst: Subst, network: Network, inputs: Mapping[str, Any]) -> Outcome:
    return run_trial(subst, network, inputs)


def call(name: str, *operands: Any, **attributes: Any) -> Call:
    return Call(lookup(name), list(operands), attributes)


def around(output: Expr, context: str = "alone") -> Network:
    inputs = frozenset(e for e in _leaves(output) if isinstance(e, Var))
    return AROUND[context](Site([output], inputs, inputs))


def _leaves(expr: Expr) -> list[Expr]:
    return [leaf for o in expr.operands for leaf in _leaves(o)] if expr.operands else [expr]


X = Var("x", (3,))
VALUES = {"x": np.float32([-1.0, 0.0, 2.0])}


def relu_twice(output: Any = None) -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x) if output is None else output(x))


def attempt(subst: Subst, context: str = "alone", **inputs: Any) -> Outcome:
    network = around(call("Relu", call("Relu", X)), context)
    return trial_of(subst, network, inputs or VALUES)


@pytest.mark.parametrize("context", ["alone", "outputs used", "inputs computed", "twice"])
def test_a_sound_rule_agrees_in_every_context(context: str) -> None:
    outcome = attempt(relu_twice(), context)
    assert (outcome.code, outcome.rejected, outcome.declined) == (None, "", False)
    assert outcome.exact
    assert outcome.target
    assert all(comparison.difference is None for comparison in outcome.comparisons)


@pytest.mark.parametrize("context", ["alone", "outputs used", "inputs computed", "twice"])
def test_a_wrong_rule_differs_in_every_context(context: str) -> None:
    outcome = attempt(relu_twice(lambda x: x), context)
    assert outcome.code is OUTPUTS_DIFFER
    assert "1 of 3 elements differ, by up to 1" in outcome.message


def test_rounding_makes_a_trial_inexact() -> None:
    x = pat.Wildcard()
    outcome = trial_of(
        Subst(op.Sigmoid(x), 1.0 / (op.Exp(-x) + 1.0)),
        around(call("Sigmoid", X)),
        VALUES,
    )
    assert outcome.code is None
    assert not outcome.exact


def test_an_escaping_value_must_keep_the_rule_away() -> None:
    assert attempt(relu_twice(), "inner value used").declined


def test_a_match_in_spite_of_an_escaping_value_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    network = around(call("Relu", call("Relu", X)), "inner value used")
    monkeypatch.setattr(rewriting, "rewrite_once", lambda *args: Rewritten(network.outputs))
    outcome = trial_of(relu_twice(), network, VALUES)
    assert outcome.code is REWRITE_BREAKS_GRAPH
    assert "inside it" in outcome.message


def test_a_target_that_cannot_be_built_is_refused() -> None:
    for context in ("alone", "twice"):
        outcome = attempt(relu_twice(lambda x: op.Flip(x, axis=1)), context)
        assert outcome.code is MATCH_REFUSED
        assert "cannot be built" in outcome.message


def test_a_network_that_does_not_match_tells_nothing() -> None:
    outcome = trial_of(relu_twice(), around(call("Abs", X)), VALUES)
    assert outcome.rejected
    outcome = trial_of(relu_twice(), around(call("Abs", X), "twice"), VALUES)
    assert outcome.rejected


def test_a_rule_without_a_fixpoint_is_applied_once() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    network = around(call("Add", X, Var("y", (3,))), "twice")
    outcome = trial_of(Subst(x + y, y + x), network, {**VALUES, "y": VALUES["x"]})
    assert (outcome.code, outcome.rejected) == (None, "")


def test_a_broken_graph_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any) -> Any:
        raise GraphError("an edge is missing")

    monkeypatch.setattr(rewriting, "rewrite_once", broken)
    outcome = attempt(relu_twice())
    assert outcome.code is REWRITE_BREAKS_GRAPH
    assert outcome.message == "an edge is missing"


def test_an_output_of_another_type_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    other = call("Cast", X, dtype="int8")
    monkeypatch.setattr(rewriting, "rewrite_once", lambda *args: Rewritten((other,)))
    outcome = attempt(relu_twice())
    assert outcome.code is REWRITE_BREAKS_GRAPH
    assert "another type" in outcome.message


# Values that tell nothing.


def test_a_source_that_decides_by_rounding_tells_nothing() -> None:
    x = pat.Wildcard()
    root = op.Sqrt(x)
    less = op.Less(root * root, x)
    source = call("Less", call("Multiply", *[call("Sqrt", X)] * 2), X)
    outcome = trial_of(Subst(less, less), around(source), {"x": np.float32([2, 3, 5])})
    assert "rounding" in outcome.rejected


def test_a_target_that_decides_by_rounding_tells_nothing() -> None:
    x = pat.Wildcard()
    root = op.Sqrt(x)
    target = op.Less(root * root, x)
    outcome = trial_of(
        Subst(op.Less(x, x), target),
        around(call("Less", X, X)),
        {"x": np.float32([2, 3, 5])},
    )
    assert "rounding" in outcome.rejected


def test_indices_out_of_range_tell_nothing_in_the_source_and_are_wrong_in_the_target() -> None:
    x, i = pat.Wildcard(), pat.Wildcard()
    index = Var("i", (1,), "int32")
    taken = call("Take", X, index, axis=0)
    source = op.Take(x, i, axis=0)
    outside = {**VALUES, "i": np.int32([7])}
    outcome = trial_of(Subst(source, source), around(taken), outside)
    assert "not defined" in outcome.rejected
    inside = {**VALUES, "i": np.int32([2])}
    outcome = trial_of(Subst(source, op.Take(x, i + i, axis=0)), around(taken), inside)
    assert outcome.code is TARGET_UNDEFINED
    assert "not defined" in outcome.message


def test_mostly_unknown_outputs_tell_nothing() -> None:
    # The logarithm of an absolute value is defined on all inputs, but infinite at 0.
    subst = _same_of_absolute("Log")
    network = around(call("Log", call("Abs", X)))
    outcome = trial_of(subst, network, {"x": np.float32([0.0, 0.0, 1.0])})
    assert "bounded" in outcome.rejected
    outcome = trial_of(subst, network, {"x": np.float32([0.0, 2.0, 1.0])})
    assert outcome.rejected == ""


def test_inputs_on_which_the_source_is_not_defined_tell_nothing() -> None:
    outcome = trial_of(_same("Log"), around(call("Log", X)), {"x": np.float32([-1.0, 2.0, 1.0])})
    assert outcome.rejected == UNDEFINED


def test_inputs_outside_a_domain_tell_something_where_all_values_are_finite() -> None:
    x = pat.Wildcard()
    subst = Subst(op.Power(op.Power(x, 2.0), 0.5), op.Abs(x))
    source = call("Power", call("Power", X, Const(2.0)), Const(0.5))
    outcome = trial_of(subst, around(source), {"x": np.float32([-2.0, 1.0, -3.0])})
    assert (outcome.rejected, outcome.code) == ("", None)


def test_empty_outputs_tell_nothing() -> None:
    empty = Var("x", (0, 2))
    outcome = trial_of(_same("Abs"), around(call("Abs", empty)), {"x": np.zeros((0, 2), "f4")})
    assert "no elements" in outcome.rejected


def _same_of_absolute(name: str) -> Subst:
    x = pat.Wildcard()
    source = pat.call(lookup(name), (op.Abs(x),))
    return Subst(source, pat.call(lookup(name), (op.Abs(x),)))


def _same(name: str) -> Subst:
    x = pat.Wildcard()
    source = pat.call(lookup(name), (x,))
    return Subst(source, pat.call(lookup(name), (x,)))


def test_a_target_that_no_memory_holds_tells_nothing() -> None:
    def far(x: Any) -> Any:
        zeros = op.Zeros(shape=(10**6, 10**7), dtype=x.dtype)
        return op.Relu(x) + op.Sum(zeros, axis=(0, 1), keepdims=False)

    assert attempt(relu_twice(far)).rejected == TOO_LARGE


@pytest.mark.parametrize(
    ("target", "refuted"),
    [
        (lambda x: op.Exp(x) * x / x, True),
        (lambda x: op.Exp(x) + op.Log(x * x) - op.Log(x * x), True),
        (lambda x: op.Exp(x + x) / op.Exp(x), False),
    ],
)
def test_a_target_with_a_pole_where_the_source_is_finite_differs(
    target: Any, refuted: bool
) -> None:
    x = pat.Wildcard()
    network = around(call("Exp", X))

    outcome = trial_of(Subst(op.Exp(x), target(x)), network, VALUES)

    assert outcome.code is (OUTPUTS_DIFFER if refuted else None)
    assert (outcome.message == "output 0: 1 of 3 elements differ, by up to inf") is refuted
