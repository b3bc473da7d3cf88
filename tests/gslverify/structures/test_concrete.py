"""From an instance and a model to a network, and one rewrite of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Const, Subst, Var, attr, op, pat
from gsl.attr.term import Access, Symbol, operation
from gsl.errors import EvaluationError, GraphError, OperatorError
from gsl.expr import Call, Proj, Tuple
from gsl.graph import Graph
from gsl.operators import lookup
from gslverify.structures.instance import Instance
from gslverify.structures.models import concrete
from gslverify.structures.models.concrete import (
    ModelEnvironment,
    concrete_exprs,
    concrete_outputs,
    rewrite_once,
    target_outputs,
    value_in,
)
from gslverify.structures.models.symbols import instance_symbols
from gslverify.structures.variants import enumerate_variants


def first_instance(source: Any, **conditions: Any) -> Instance:
    subst = Subst(source, source, **conditions)
    return enumerate_variants(subst).variants[0].instance(subst)


def model_of(instance: Instance, **values: Any) -> dict[Symbol, Any]:
    """Return a model in which symbols have values by their names, where those are given."""
    named = {name.replace("__", "."): value for name, value in values.items()}
    return {s: named[s.name] for s in instance_symbols(instance) if s.name in named}


def call(name: str, *operands: Any, **attributes: Any) -> Call:
    return Call(lookup(name), list(operands), attributes)


def test_terms_get_their_values() -> None:
    n, m = Symbol("n"), Symbol("m")
    model = {n: 6, m: 4}
    assert value_in((n // m, (m, "same"), 1.5), model) == (1, (4, "same"), 1.5)
    total = attr.Sum(lambda i: i * n, length=m)
    assert value_in(total, model) == 36


@pytest.mark.parametrize(
    ("symbol", "least"),
    [
        (Symbol("n", low=2), 2),
        (Symbol("n"), 0),
        (Symbol("x", "real", low=0.5), 0.5),
        (Symbol("x", "real"), 0.0),
        (Symbol("b", "bool"), False),
        (Symbol("t", "text"), "float32"),
    ],
)
def test_what_a_model_leaves_open_is_small(symbol: Symbol, least: Any) -> None:
    value = value_in(symbol, {})
    assert (value, type(value)) == (least, type(least))


def test_attributes_of_patterns_have_no_value_in_a_model() -> None:
    with pytest.raises(EvaluationError, match="not part of an instance"):
        ModelEnvironment({}).access(Access(pat.Wildcard(), "shape"))


def test_instances_become_networks() -> None:
    x = pat.Variable(shape=(None, None), dtype="int8")
    pieces = op.Split(op.Relu(x), indices_or_sections=2, axis=0)
    pair = op.Stack((pieces[0], pieces[1]), axis=0)
    instance = first_instance(pair)
    (output,) = concrete_outputs(instance, model_of(instance, x__shape=0, **{"x.shape[0]": 4}))
    assert str(output.type) == "int8[2,2,1]"
    (first, second) = output.operands[0].operands
    assert isinstance(first, Proj)
    assert isinstance(second, Proj)
    assert first.operands == second.operands


def test_constants_that_the_rule_leaves_open_are_filled() -> None:
    x, c, d = pat.Variable(shape=(None,)), pat.Const(shape=(None,)), pat.Const(2.0)
    instance = first_instance(x * c + d)
    model = model_of(instance, **{"x.shape[0]": 3, "c.shape[0]": 3})
    (output,) = concrete_outputs(instance, model, lambda v: np.full(v.shape, 7, v.dtype))
    constants = [part.value.tolist() for part in walk(output) if isinstance(part, Const)]
    assert constants == [[7, 7, 7], 2.0]
    (output,) = concrete_outputs(instance, model)
    assert any(isinstance(e, Const) and e.value.tolist() == [1, 1, 1] for e in walk(output))


def test_a_number_of_the_rule_means_itself_and_that_of_a_model_what_is_stored() -> None:
    x, c = pat.Variable(shape=(None,), dtype="float32"), pat.Const(shape=(), dtype="float32")
    instance = first_instance(x * 0.1 + c)
    model = model_of(instance, **{"x.shape[0]": 3, "c.value": 0.3})
    (output,) = concrete_outputs(instance, model)
    constants = [part for part in walk(output) if isinstance(part, Const)]

    assert [part.value for part in constants] == [np.float32(0.1), np.float32(0.3)]
    assert [part.asked for part in constants] == [0.1, None]


def test_constants_known_by_a_symbol_get_its_value() -> None:
    x, c = pat.Variable(shape=(None,)), pat.Const(shape=())
    product = x * c
    instance = first_instance(product)
    model = model_of(instance, c__value=3.0, c__dtype="float16", x__dtype="float16")
    (output,) = concrete_outputs(instance, model)
    (constant,) = [part for part in walk(output) if isinstance(part, Const)]
    assert (constant.value.item(), constant.dtype) == (3.0, "float16")


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 2.0**70])
def test_constants_must_be_values_of_their_dtype(value: float) -> None:
    x, c = pat.Variable(shape=(None,)), pat.Const(shape=())
    instance = first_instance(x * c)
    with pytest.raises(EvaluationError, match="is not a value of int8"):
        concrete_outputs(instance, model_of(instance, c__value=value, c__dtype="int8"))


def test_models_that_violate_a_precondition_are_refused() -> None:
    x = pat.Variable(shape=(None, None))
    w = pat.Variable(shape=(None, None))
    instance = first_instance(op.Dense(x, w))
    with pytest.raises(OperatorError):
        concrete_outputs(instance, model_of(instance, **{"x.shape[1]": 2, "w.shape[1]": 3}))


def test_every_expression_of_an_instance_has_its_counterpart() -> None:
    x = pat.Variable(shape=(None,))
    instance = first_instance(op.Abs(op.Relu(x)))
    built = concrete_exprs(instance, {})
    assert list(built) == [node.expr for node in instance.graph]
    assert [type(expr) for expr in built.values()] == [Var, Call, Call]


def test_expressions_are_a_closed_union() -> None:
    with pytest.raises(EvaluationError, match="not a computation expression"):
        concrete._concrete(object(), [], {})  # type: ignore[arg-type]


def test_known_constants_stay() -> None:
    constant = Const([1.0, 2.0])
    assert concrete._concrete(constant, [], {}) is constant


def walk(expr: Any) -> list[Any]:
    return [part for operand in expr.operands for part in walk(operand)] + [expr]


# One rewrite.


def double_relu() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))


def test_one_place_is_rewritten() -> None:
    x = Var("x", (2,))
    relu = call("Relu", call("Relu", x))
    outer = call("Abs", relu)
    found = rewrite_once(double_relu(), [outer], [relu])
    assert [str(node) for node in found.outputs] == [str(outer)]
    assert found.outputs[0].operands[0].operands == (x,)
    assert (found.mismatch, found.refusal) == (None, None)


def test_a_place_that_does_not_match_says_why() -> None:
    x = Var("x", (2,))
    found = rewrite_once(double_relu(), [call("Relu", x)])
    assert found.outputs == ()
    assert found.mismatch is not None
    assert found.mismatch.reason


def test_other_outputs_than_the_wanted_ones_are_a_mismatch() -> None:
    x, w, v = pat.Wildcard(), pat.Variable(), pat.Variable()
    pair = Subst([x + w, x * v], [w + x, v * x])
    a, b, c = (Var(name, (2,)) for name in "abc")
    add, times, other = call("Add", a, b), call("Multiply", a, c), call("Relu", a)
    assert rewrite_once(pair, [add, times]).outputs
    found = rewrite_once(pair, [add, times, other], [add, other])
    assert found.mismatch is not None
    assert "other outputs" in found.mismatch.reason


def test_a_target_that_cannot_be_built_is_a_refusal() -> None:
    x = pat.Wildcard()
    flip = Subst(op.Relu(x), op.Flip(op.Relu(x), axis=3))
    found = rewrite_once(flip, [call("Relu", Var("x", (2,)))])
    assert "cannot be built" in str(found.refusal)


def test_a_graph_that_is_left_broken_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Graph) -> None:
        raise GraphError("an edge is missing")

    monkeypatch.setattr(Graph, "verify", broken)
    x = Var("x", (2,))
    with pytest.raises(GraphError):
        rewrite_once(double_relu(), [call("Relu", call("Relu", x))])


def test_the_target_is_built_whatever_its_type() -> None:
    x = pat.Wildcard()
    shrinking = Subst(op.Relu(x), op.Sum(x, axis=0))
    relu = call("Relu", Var("x", (2, 3)))
    built = target_outputs(shrinking, [relu])
    assert built is not None
    assert str(built[0].type) == "float32[3]"
    assert target_outputs(double_relu(), [relu]) is None
    flip = Subst(op.Relu(x), op.Flip(op.Relu(x), axis=3))
    assert target_outputs(flip, [relu]) is None


def test_a_choice_without_value_is_not_evaluated() -> None:
    n = Symbol("n")
    assert value_in(operation("cond", n == 0, 1, 6 // n), {n: 0}) == 1
    with pytest.raises(EvaluationError):
        value_in(6 // n, {n: 0})


def test_tuples_are_rebuilt() -> None:
    x, y = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    instance = first_instance(op.Concatenate(pat.Tuple(x, y), axis=0))
    (output,) = concrete_outputs(instance, model_of(instance, **{"x.shape[0]": 2, "y.shape[0]": 3}))
    assert isinstance(output.operands[0], Tuple)
    assert output.shape == (5,)
