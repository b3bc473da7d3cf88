"""The gradient stage: wrong gradients refute, equal ones pass, what cannot be compared is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gsl import Subst, op, pat
from gslverify import settings
from gslverify.codes.gradient import (
    GRADIENTS_DIFFER,
    GRADIENTS_DOUBTED,
    NOTHING_TO_DIFFERENTIATE,
    TOO_FEW_GRADIENTS,
)
from gslverify.finding import Verdict
from gslverify.gradients import agreement as gradients
from gslverify.gradients.opinions import Opinion
from gslverify.stages import WAVES
from gslverify.stages import gradient as module
from gslverify.stages.gradient import GRADIENT
from gslverify.trials.search import REPLAYED
from tests.gslverify.stages.asking import ask, only, question

pytestmark = pytest.mark.smt

FEW: dict[str, Any] = {"max_examples": 24, "max_variants": 16}


def reassociated() -> Subst:
    x, y, z = (pat.Wildcard() for _ in range(3))
    return Subst((x * y) * z, x * (y * z))


def commuted() -> Subst:
    x, y = pat.Wildcard(ndim=1), pat.Wildcard(ndim=1)
    return Subst(x * y, y * x)


def merged_convolutions() -> Subst:
    x, w, v = pat.Wildcard(), pat.Variable(), pat.Variable()
    same = {"strides": (1, 1), "padding": (1, 1, 1, 1), "groups": 1, "dilation": (1, 1)}
    same |= {"data_layout": "NCHW", "kernel_layout": "OIHW"}
    one, two = op.Conv2D(x, w, **same), op.Conv2D(x, v, **same)
    return Subst(one + two, op.Conv2D(x, w + v, **same), where=[w.shape[1] <= 2])


def relu_of_relu() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))


def relu_is_abs() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(x), op.Abs(x))


def scaled() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Tanh(x) * y, op.Tanh(x) * y * 1.5)


def of_integers() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Abs(op.Abs(x)), op.Abs(x), where=[x.dtype == "int32"])


def of_truth() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Less(x, y), op.Greater(y, x), where=[x.dtype == "float32"])


def of_joints() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Abs(x * 1e-9), op.Abs(x * -1e-9))


@pytest.mark.parametrize("write", [reassociated, merged_convolutions, relu_of_relu])
def test_equal_gradients_pass(write: Callable[[], Subst]) -> None:
    result = ask(GRADIENT, write, **FEW)
    assert result.verdict is Verdict.PASS
    assert result.counts["gradients"] >= 4
    assert str(result.assurances[0]) == f"gradients tested, {result.counts['gradients']} graphs"


@pytest.mark.parametrize("write", [relu_is_abs, scaled])
def test_other_gradients_refute(write: Callable[[], Subst]) -> None:
    result = ask(GRADIENT, write, **FEW)
    finding = only(result)
    assert result.verdict is Verdict.FAIL
    assert finding.code is GRADIENTS_DIFFER
    assert finding.counterexample is not None
    assert finding.counterexample.outputs[0].output == "gradient to x"
    assert finding.message == finding.counterexample.outputs[0].summary


def test_what_failed_is_found_at_once_in_the_next_run(tmp_path: Path) -> None:
    def run(write: Callable[[], Subst], seed: int) -> Any:
        asked = question(write, **FEW, seed=seed)
        asked.rule_id, asked.examples = "rules.py::same", str(tmp_path)
        return GRADIENT.run(asked)

    first, second = run(relu_is_abs, 0), run(relu_is_abs, 7)
    assert "graphs, seed 0" in only(first).details[0]
    assert only(second).details == (REPLAYED,)
    assert second.counts["gradients"] == 1

    assert run(relu_of_relu, 0).verdict is Verdict.PASS  # and what fails no longer is forgotten
    assert "graphs, seed 7" in only(run(relu_is_abs, 7)).details[0]


def test_whatever_refutes_is_told_before_it_is_simple() -> None:
    asked, told = question(relu_is_abs, **FEW), []
    asked.found = told.append
    result = GRADIENT.run(asked)
    assert len(told) > 1
    assert told[-1] == only(result)


@pytest.mark.parametrize("write", [of_integers, of_truth])
def test_rules_without_floats_have_no_gradients(write: Callable[[], Subst]) -> None:
    result = ask(GRADIENT, write, **FEW)
    assert only(result).code is NOTHING_TO_DIFFERENTIATE
    assert result.verdict is Verdict.PASS
    assert result.assurances == ()


def test_where_every_point_is_a_joint_nothing_is_known() -> None:
    result = ask(GRADIENT, of_joints, **FEW)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert only(result).code is TOO_FEW_GRADIENTS
    assert "rejected: a value is too close to a joint" in only(result).details[0]


def test_the_same_seed_gives_the_same_result() -> None:
    first, second = (ask(GRADIENT, relu_is_abs, **FEW) for _ in range(2))
    assert first.findings == second.findings


def test_a_doubt_of_tvm_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    said = Opinion(7, ("source: the gradients to x differ by up to 3", "target: too"))
    monkeypatch.setattr(module, "opinions", lambda agreements: said)
    result = ask(GRADIENT, relu_of_relu, use_tvm=True, **FEW)
    assert result.verdict is Verdict.PASS
    assert only(result).code is GRADIENTS_DOUBTED
    assert only(result).details == ("target: too",)
    assert result.counts["gradients of TVM"] == 7


def test_a_wrong_derivative_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    right, calls = gradients.gradients, iter(range(10_000))

    def wrong(*given: Any) -> Any:
        factor = 1 + next(calls) % 2
        return {name: array * factor for name, array in right(*given).items()}

    monkeypatch.setattr(gradients, "gradients", wrong)
    result = ask(GRADIENT, commuted, **FEW)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "slopes do not confirm" in only(result).details[0]


def test_the_stage_runs_only_when_it_is_named() -> None:
    assert "gradient" in settings.STAGES
    assert "gradient" not in settings.Settings().stages
    every = [name for wave in WAVES for name in wave]
    assert every == [name for name in settings.STAGES if name != "examples"]


@pytest.mark.tvm
@pytest.mark.parametrize("write", [reassociated, relu_of_relu])
def test_tvm_derives_the_same(write: Callable[[], Subst]) -> None:
    result = ask(GRADIENT, write, use_tvm=True, **FEW)
    assert result.findings == ()
    assert result.counts["gradients of TVM"] >= 4
