"""Every context: what it builds, that sound rules pass in it, and what it catches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from gsl import Const, Proj, Subst, Tuple, Var, op, pat
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.operators import lookup
from gsl.types import TensorType
from gslverify.codes.numeric import OUTPUTS_DIFFER, REWRITE_BREAKS_GRAPH
from gslverify.comparison.compare import compare, evaluate_bounded
from gslverify.networks.contexts import AROUND, CONTEXTS, Site, may_have_place, same_value
from gslverify.networks.network import Network
from gslverify.networks.preferences import DTYPES
from gslverify.structures.models.concrete import Rewritten
from gslverify.trials import rewriting
from gslverify.trials.trial import Outcome, run_trial


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), list(operands), attributes)


X, Y = Var("x", (3,)), Var("y", (3,))
W = Var("w", (3,))
VALUES = {"x": [-1.0, 0.0, 2.0], "y": [3.0, -2.0, 1.0], "w": [1.0, 2.0, 3.0]}


def site(*outputs: Expr, free: Sequence[Expr] = (X, Y)) -> Site:
    leaves = [expr for expr in reverse_post_order(outputs) if not expr.operands]
    return Site(list(outputs), frozenset(leaves), frozenset(free).intersection(leaves))


def sum_of_relus() -> Site:
    """relu(x) + relu(y), of which both inputs may be anything."""
    return site(call("Add", call("Relu", X), call("Relu", Y)))


def sum_of_relus_rule(target: Callable[[Any, Any], Any] | None = None) -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    source = op.Add(op.Relu(x), op.Relu(y))
    made = op.Add(op.Maximum(y, 0.0), op.Maximum(x, 0.0)) if target is None else target(x, y)
    return Subst(source, made)


def two_roots() -> Site:
    """exp(x) and -y: each root has an input of its own."""
    return site(call("Exp", X), call("Negative", Y))


def two_roots_rule() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst([op.Exp(x), op.Negative(y)], [op.Exp(x), op.Subtract(0.0, y)])


def network_of(context: str) -> Network:
    made = AROUND[context](two_roots() if context == "one root on another" else sum_of_relus())
    assert made is not None
    return made


def rule_for(context: str) -> Subst:
    return two_roots_rule() if context == "one root on another" else sum_of_relus_rule()


def attempt(subst: Subst, network: Network) -> Outcome:
    inputs = {
        variable.name: np.float32(values)
        for variable, values in zip(network.variables, VALUES.values(), strict=False)
    }
    return run_trial(subst, network, inputs)


DECLINED = ("inner value used", "inner value returned", "one root on another", "one tensor for two")


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_sound_rule_passes_in_every_context(context: str) -> None:
    outcome = attempt(rule_for(context), network_of(context))
    assert (outcome.code, outcome.rejected, outcome.message) == (None, "", "")
    assert outcome.declined is (context in DECLINED)


@pytest.mark.parametrize("context", [c for c in CONTEXTS if c not in DECLINED])
def test_a_wrong_rule_differs_in_every_context(context: str) -> None:
    wrong = sum_of_relus_rule(lambda x, y: op.Add(x, op.Maximum(y, 0.0)))
    assert attempt(wrong, network_of(context)).code is OUTPUTS_DIFFER


@pytest.mark.parametrize("context", ["inner value used", "inner value returned"])
def test_what_is_computed_on_the_way_is_needed_elsewhere(context: str) -> None:
    network = network_of(context)
    assert network.escaping
    extra = network.outputs[-1]
    inner = network.matched[0].operands
    assert (extra in inner) is (context == "inner value returned")
    assert extra in inner or set(extra.operands) <= set(inner)


def test_two_inputs_are_one_tensor() -> None:
    assert [variable.name for variable in network_of("one tensor for two").variables] == ["x"]


def test_sites_share_all_inputs_but_one() -> None:
    network = network_of("weight shared")
    names = [{v.name for v in network_of_one(output)} for output in network.outputs]
    assert names == [{"x", "y"}, {"x_2", "y"}]


def test_a_match_of_nothing_but_a_call_without_operands_is_there_twice() -> None:
    first, second = AROUND["twice"](site(call("Zeros", shape=(2,)))).outputs
    assert first is not second
    assert first.attributes == second.attributes


def test_the_other_input_has_a_name_of_its_own() -> None:
    """Patterns are numbered just so: `wildcard`, `wildcard_2`."""
    numbered = [Var(name, (3,)) for name in ("x", "x_2", "x_3")]
    whole = call("Add", call("Add", numbered[0], numbered[1]), numbered[2])

    network = AROUND["weight shared"](site(whole, free=numbered))

    assert network is not None
    names = [variable.name for variable in network.variables]
    assert sorted(names) == ["x", "x_2", "x_3", "x_4"]


def network_of_one(output: Expr) -> list[Var]:
    return [expr for expr in reverse_post_order([output]) if isinstance(expr, Var)]


def test_a_new_variable_has_a_name_of_its_own() -> None:
    first, second = Var("x", (2,)), Var("x_2", (2,))
    output = Call(lookup("Add"), [first, second])
    everything = frozenset({first, second})
    network = AROUND["weight shared"](Site([output], everything, everything))
    assert network is not None
    assert sorted(variable.name for variable in network.variables) == ["x", "x_2", "x_3"]


def test_one_root_is_computed_from_another() -> None:
    network = network_of("one root on another")
    first, second = network.outputs
    assert first in reverse_post_order([second]) or second in reverse_post_order([first])


def test_one_match_lies_on_another() -> None:
    below = reverse_post_order(network_of("one match on another").outputs)
    assert sum(isinstance(e, Call) and e.operator.name == "Add" for e in below) == 2


def test_names_are_those_of_compilers() -> None:
    assert [variable.name for variable in network_of("names clash").variables] == ["lv", "main"]


def test_outputs_are_fields_of_a_tuple() -> None:
    whole, field = network_of("inside a tuple").outputs
    assert isinstance(whole, Tuple)
    assert isinstance(field.operands[0], Proj)


NO_PLACE = [
    ("inner value used", site(call("Relu", X))),
    ("inner value returned", site(call("Relu", X))),
    ("one tensor for two", site(call("Relu", X))),
    ("one tensor for two", site(call("Add", X, Var("y", (1,))), free=[X])),
    ("weight shared", site(call("Relu", X))),
    ("one root on another", sum_of_relus()),
    ("one root on another", site(call("Exp", X), call("Negative", X))),
    ("one root on another", site(call("Exp", X), call("Negative", W), free=[])),
    ("one match on another", site(call("Cast", X, dtype="int8"))),
    ("inside a tuple", site(call("Split", X, indices_or_sections=(1,), axis=0))),
]


@pytest.mark.parametrize(("context", "where"), NO_PLACE)
def test_some_matches_have_no_place_for_a_context(context: str, where: Site) -> None:
    assert AROUND[context](where) is None


# Engines that do what they must not.


def engine_that_returns(outputs: Sequence[Expr], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewriting, "rewrite_once", lambda *args: Rewritten(tuple(outputs)))


@pytest.mark.parametrize(
    "context", ["inner value used", "inner value returned", "one root on another"]
)
def test_an_engine_that_does_not_decline_is_found(
    context: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = network_of(context)
    engine_that_returns(network.outputs, monkeypatch)
    outcome = attempt(rule_for(context), network)
    assert outcome.code is REWRITE_BREAKS_GRAPH
    assert "is used elsewhere" in outcome.message


@pytest.mark.parametrize("context", ["twice", "weight shared"])
def test_an_engine_that_misses_a_match_is_found(
    context: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = rewriting.apply

    def lazy(*args: Any, record: Any, **options: Any) -> Any:
        result = real(*args, record=record, **options)
        record.counts = dict.fromkeys(record.counts, 1)
        return result

    monkeypatch.setattr(rewriting, "apply", lazy)
    outcome = attempt(rule_for(context), network_of(context))
    assert outcome.code is REWRITE_BREAKS_GRAPH
    assert outcome.message == "1 of 2 matches were rewritten"


def test_an_engine_that_confuses_one_tensor_with_another_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = network_of("one tensor for two")
    engine_that_returns([call("Relu", network.variables[0])], monkeypatch)
    assert attempt(sum_of_relus_rule(), network).code is OUTPUTS_DIFFER


def test_an_engine_that_confuses_names_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    engine_that_returns([call("Add", X, Y)], monkeypatch)
    outcome = attempt(sum_of_relus_rule(), network_of("names clash"))
    assert outcome.code is REWRITE_BREAKS_GRAPH
    assert outcome.message == "variable `x` has no value"


def test_an_engine_that_mixes_up_fields_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    network = network_of("inside a tuple")
    whole, field = network.outputs
    engine_that_returns([Tuple([X, whole.operands[1]]), field], monkeypatch)
    assert attempt(sum_of_relus_rule(), network).code is not None


def test_an_engine_that_makes_the_rest_anew_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    network = network_of("outputs used")
    *others, beside = network.outputs
    engine_that_returns([*others, beside.with_operands(beside.operands)], monkeypatch)
    outcome = attempt(sum_of_relus_rule(), network)
    assert outcome.code is REWRITE_BREAKS_GRAPH
    assert outcome.message == "output 2, which does not depend on the match, was made anew"


@pytest.mark.parametrize(
    ("operands", "message"),
    [
        ((X, Var("z", (3,), "int8")), "Add of the rewritten network is not well typed"),
        ((Const(1.0), Const(2.0)), "Add of the rewritten network is float32[3], not float32[]"),
    ],
)
def test_an_engine_that_leaves_wrong_types_is_found(
    operands: tuple[Expr, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = network_of("alone")
    right = network.outputs[0].type
    assert isinstance(right, TensorType)
    both = [Var("one", right.shape), Var("other", right.shape)]
    wrong = Call(lookup("Add"), both).with_operands(operands)
    engine_that_returns([wrong], monkeypatch)
    outcome = attempt(sum_of_relus_rule(), network)
    assert outcome.code is REWRITE_BREAKS_GRAPH
    assert outcome.message.startswith(message)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [leaf for field in value for leaf in leaves(field)]
    return [value]


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_same_value_is_another_node(dtype: str) -> None:
    x = Var("x", (2,), dtype)
    pair = Tuple([x, Var("y", (1,), dtype)])
    inputs = {"x": np.ones(2, dtype), "y": np.zeros(1, dtype)}
    for expr in (x, pair, Proj(pair, 1)):
        copy = same_value(expr)
        assert copy is not expr
        assert copy.type == expr.type
        (one, other), _ = evaluate_bounded([expr, copy], inputs)
        assert [c.difference for c in compare("y", one, other)] == [None] * len(leaves(one))


def of_other_ranks() -> Site:
    """exp(x) and sum of y: inputs and outputs of different ranks."""
    long = Var("y", (3, 2))
    return site(call("Exp", X), call("Negative", long), free=(X, long))


def activated() -> Site:
    return site(call("Relu", X), free=())


@pytest.mark.parametrize("made", [sum_of_relus, two_roots, of_other_ranks, activated])
def test_a_context_that_is_said_to_have_no_place_has_none(made: Callable[[], Site]) -> None:
    for context in CONTEXTS:
        assert may_have_place(context, made()) or AROUND[context](made()) is None


@pytest.mark.parametrize(
    ("context", "made"),
    [
        ("inner value used", two_roots),
        ("inner value returned", activated),
        ("one tensor for two", of_other_ranks),
        ("one match on another", activated),
        ("weight shared", activated),
        ("one root on another", sum_of_relus),
    ],
)
def test_no_match_is_drawn_where_a_context_has_no_place(
    context: str, made: Callable[[], Site]
) -> None:
    assert not may_have_place(context, made())
