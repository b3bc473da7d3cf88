"""Operators that nobody has said in Relax are tested on NumPy; TVM is not asked about them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gsl import Subst, op, pat
from gsl.expr import Call, Var
from gsl.operators import REGISTRY, lookup
from gsl.operators.declaration import Need, Tensor, operator
from gsl.types import FLOATING, TensorType
from gslverify.finding import Verdict
from gslverify.networks.network import Network
from gslverify.stages.numeric import NUMERIC
from gslverify.trials import backend
from gslverify.trials.backend import Opinion
from gslverify.trials.second_opinion import choose, confirm_on_tvm
from gslverify.trials.trial import Outcome
from tests.gslverify.stages.asking import ask, question

pytestmark = pytest.mark.smt


@pytest.fixture(autouse=True)
def _declared() -> Iterator[None]:
    @operator(dtypes=FLOATING)
    def OwnRelu(need: Need, data: Tensor) -> TensorType:
        """What Relu computes."""
        return data

    OwnRelu.numpy(lambda data: np.maximum(data, 0))
    yield
    del REGISTRY["OwnRelu"]


def own() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(x), op.OwnRelu(x), where=[x.dtype == "float32"])


def test_rules_with_them_pass_on_numpy_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "opinions", lambda asked: pytest.fail("TVM was asked"))
    result = ask(NUMERIC, own, use_tvm=True, max_examples=20, min_examples=6)

    assert result.verdict is Verdict.PASS
    levels = [one.text for one in result.assurances if "graphs" in one.text]
    assert any(text.startswith("exact") and text.endswith("on numpy only") for text in levels)
    assert any("OwnRelu, which has no lowering" in note for note in result.notes)


def test_tvm_is_asked_about_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def say(sides: list[object]) -> list[Opinion]:
        asked.append(len(sides))
        return [Opinion(agrees=True) for _ in sides]

    monkeypatch.setattr(backend, "opinions", say)
    x = Var("x", (2,))
    relu, mine = Call(lookup("Relu"), [x]), Call(lookup("OwnRelu"), [x])
    ones = {"x": np.ones(2, np.float32)}
    values = ((ones["x"],), (ones["x"],))
    trials = [
        [Outcome(Network((one,), (one,), "alone"), ones, (one,), exact=True, values=values)]
        for one in (relu, mine)
    ]
    chosen: list[list[Outcome]] = []
    choose(chosen, trials, 25)
    told = list(confirm_on_tvm(question(own), trials, chosen))

    assert asked == [2]
    assert "exact, 1 graphs" in [getattr(one, "text", "") for one in told]
