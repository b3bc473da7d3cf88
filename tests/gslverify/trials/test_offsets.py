"""Numbers that differ little from each other are drawn for digits, and compared like all others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Call, Subst, Var, op, pat
from gsl.operators import lookup
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Verdict
from gslverify.networks.network import Network
from gslverify.stages.numeric import NUMERIC
from gslverify.trials.stricter_comparisons import StricterComparisons, compare_strictly
from gslverify.trials.trial import run_trial
from tests.gslverify.stages.asking import Write, ask, only, question

pytestmark = pytest.mark.smt


def other_where(low: float, high: float, added: float) -> Subst:
    """relu(x) => x between two numbers ? x + added : max(x, 0)"""
    x = pat.Variable(dtype="float32", shape=(None,))
    is_between = op.LogicalAnd(op.Greater(x, low), op.Less(x, high))
    return Subst(op.Relu(x), op.Where(is_between, x + added, op.Maximum(x, 0.0)))


def examined(write: Write) -> StricterComparisons:
    """Return what stricter comparisons say of relu(x), which passed on zeros."""
    asked = question(write)
    output = Call(lookup("Relu"), [Var("x", (4,))])
    network, zeros = Network((output,), (output,), "alone"), {"x": np.zeros(4, np.float32)}
    return compare_strictly(asked, [[run_trial(asked.subst, network, zeros)]])


def test_what_differs_by_more_than_rounding_is_no_loss_of_digits() -> None:
    found = examined(lambda: other_where(998.0, 1002.0, 1.0))
    (finding,) = found.findings
    assert finding.code is OUTPUTS_DIFFER
    assert finding.counterexample is not None
    assert found.is_refuted


def test_what_is_the_same_there_passes() -> None:
    found = examined(lambda: other_where(998.0, 1002.0, 0.0))
    assert not found.findings
    assert not found.is_refuted


@pytest.mark.parametrize("seed", range(3))
def test_a_rule_that_is_wrong_around_a_thousand_is_refuted(seed: int) -> None:
    draws: dict[str, Any] = {"seed": seed, "max_examples": 16, "min_examples": 6}
    wrong = ask(NUMERIC, lambda: other_where(1000.0, 1000.5, 1.0), **draws)
    assert only(wrong).code is OUTPUTS_DIFFER
    assert ask(NUMERIC, lambda: other_where(1000.0, 1000.5, 0.0), **draws).verdict is Verdict.PASS
