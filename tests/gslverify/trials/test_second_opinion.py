"""Three-way blame: a disagreement of TVM and the references is reproduced, named, and no FAIL."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Subst, op, pat, rule
from gsl.expr import Call, Expr, Var
from gsl.operators import lookup
from gslverify.codes.backend import KNOWN_DEVIATION
from gslverify.codes.numeric import BACKENDS_DISAGREE
from gslverify.finding import Difference, Mismatch, Verdict
from gslverify.networks.network import Network
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from gslverify.trials import backend, blame
from gslverify.trials.backend import Opinion
from gslverify.trials.blame import Reproducer, blamed, differences, smallest_reproducer
from gslverify.trials.second_opinion import choose, second_opinions, special_deviations, spread
from gslverify.trials.trial import Outcome

X = Var("x", (2,))
NAN = {"x": np.array([np.nan, -1.0], np.float32)}
GAP = Difference("output 0", 1, 2, 1.0, (Mismatch((0,), 1.0, 2.0),))


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), operands, attributes)


def trial(source: Expr, target: Expr, inputs: Any) -> Outcome:
    return Outcome(Network((source,), (source,), "alone"), inputs, (target,), exact=True)


def test_spread_takes_evenly() -> None:
    assert spread([1, 2, 3], 5) == [1, 2, 3]
    assert spread(list(range(100)), 4) == [0, 25, 50, 75]


# With a backend that is told what to say.


def test_the_operator_to_blame_becomes_the_reproducer(monkeypatch: pytest.MonkeyPatch) -> None:
    def say(outputs: Any, inputs: Any) -> list[Difference]:
        return [GAP] if outputs[0].operator.name == "Tanh" else []

    monkeypatch.setattr(blame, "differences", say)
    network = call("Abs", call("Tanh", call("Square", X)))
    found = smallest_reproducer([network], {"x": np.array([1.0, 2.0], np.float32)})
    assert found.culprit is not None
    assert found.culprit.operator.name == "Tanh"
    np.testing.assert_array_equal(found.inputs["x0"], [1.0, 4.0])
    assert found.differences == (GAP,)


def test_without_a_culprit_the_whole_network_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blame, "differences", lambda outputs, inputs: [])
    network, inputs = call("Abs", call("Tanh", X)), {"x": np.zeros(2, np.float32)}
    found = smallest_reproducer([network], inputs)
    assert (found.culprit, found.outputs) == (None, (network,))
    assert found.inputs is inputs


@pytest.mark.parametrize(
    ("name", "values", "code"),
    [
        ("Relu", [np.nan, -1.0], KNOWN_DEVIATION),
        ("Relu", [2.0, -1.0], BACKENDS_DISAGREE),
        ("Exp", [np.nan, -1.0], BACKENDS_DISAGREE),
    ],
)
def test_known_deviations_have_a_code_of_their_own(
    name: str, values: Any, code: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blame, "differences", lambda outputs, inputs: [GAP])
    inputs = {"x": np.array(values, np.float32)}
    finding = blamed("target", [call(name, X)], inputs, "1 of 2 elements differ")
    assert finding.code is code
    assert finding.code.is_warning
    assert "target" in finding.message
    example = finding.counterexample
    assert example is not None
    assert [tensor.name for tensor in example.inputs] == ["x0"]
    assert example.outputs == (GAP,)
    assert "TVM differs on the target" in finding.details[0]


def test_disagreements_cost_confirmation_and_are_told_once_or_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def speak(asked: Any) -> list[Opinion]:
        return [Opinion(False, difference="output 0: differs")] * len(asked)

    monkeypatch.setattr(backend, "opinions", speak)
    monkeypatch.setattr(
        blame, "smallest_reproducer", lambda outputs, inputs: Reproducer(tuple(outputs), inputs, ())
    )
    ones = {"x": np.ones(2, np.float32)}
    passed = [[trial(call("Abs", X), call("Relu", X), ones)] for _ in range(4)]
    said = second_opinions(passed)
    assert said.confirmed == []
    assert len(said.disagreements) == 3
    assert {finding.code.verdict for finding in said.disagreements} == {Verdict.PASS}


# With TVM.


def promise() -> Question:
    @rule(nan="same")
    def relu_twice() -> Subst:
        """relu(relu(x))  =>  relu(x)"""
        x = pat.Wildcard()
        once = op.Relu(x)
        return Subst(op.Relu(once), once, where=[x.dtype == "float32"])

    return Question("tests::relu_twice", relu_twice, Settings(max_examples=8, min_examples=3))


@pytest.mark.tvm
@pytest.mark.smt
def test_a_promise_about_nan_is_checked_on_tvm_and_never_blames_the_rule() -> None:
    result = NUMERIC.run(promise())
    assert result.verdict is Verdict.PASS
    assert {finding.code for finding in result.findings} == {KNOWN_DEVIATION}
    assert {finding.message.partition(":")[0] for finding in result.findings} <= {
        "source, relu of NaN",
        "target, relu of NaN",
        "target, extremum of NaN and a number",
    }
    assert any("bit-exact" in assurance.text for assurance in result.assurances)


@pytest.mark.tvm
@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("Relu", [np.nan, 1.0], "relu of NaN"),
        ("Sign", [np.nan, 1.0], "sign of NaN"),
        ("Tanh", [-0.0, 1.0], "tanh of negative zero"),
    ],
)
def test_tvm_deviates_as_is_known(name: str, values: Any, expected: str) -> None:
    inputs = {"x": np.array(values, np.float32)}
    network = call("Square", call(name, X)) if name == "Relu" else call(name, X)
    assert differences([network], inputs)
    finding = blamed("source", [network], inputs, "differs")
    assert finding.code is KNOWN_DEVIATION
    assert expected in finding.message


@pytest.mark.tvm
def test_tvm_and_the_references_agree_where_nothing_is_special() -> None:
    network = call("Square", call("Tanh", X))
    assert differences([network], {"x": np.array([0.5, -2.0], np.float32)}) == []
    same = trial(network, network, {"x": np.ones(2, np.float32)})
    assert list(special_deviations([[trial(call("Abs", X), call("Abs", X), same.inputs)]])) == []


# Which networks it is asked about.


def test_networks_are_chosen_twice_and_none_of_them_again(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[int] = []
    monkeypatch.setattr(backend, "anticipate", lambda graphs: compiled.append(len(graphs)))
    passed = [[trial(call("Abs", X), call("Abs", X), NAN)] for _ in range(20)]
    chosen: list[list[Outcome]] = []
    choose(chosen, passed[:8], 4)
    early = list(chosen)
    choose(chosen, passed, 10)

    assert early == passed[:8:2]
    assert chosen[:4] == early
    assert len(chosen) == len({id(one) for one in chosen}) == 10
    assert compiled == [8, 12]


def test_all_networks_are_chosen_where_there_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "anticipate", lambda graphs: None)
    passed = [[trial(call("Abs", X), call("Abs", X), NAN)] for _ in range(5)]
    chosen: list[list[Outcome]] = []
    choose(chosen, passed[:3], 12)
    choose(chosen, passed, 25)

    assert [id(one) for one in chosen] == [id(one) for one in passed]
