"""Rules that promise to keep special values, on graphs whose constants are special."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gsl import Subst, attr, op, pat, rule
from gsl.expr import Call, Const, Var
from gsl.operators import lookup
from gslverify.codes.levels import SPECIAL_VALUES_CHANGE
from gslverify.finding import Verdict
from gslverify.networks.network import Network
from gslverify.stage import Question, Settings, StageResult
from gslverify.stages.numeric import NUMERIC
from gslverify.trials.replay import replay
from gslverify.trials.special_constants import with_special_constants
from gslverify.trials.trial import run_trial


def subtract_zero() -> Subst:
    x = pat.Wildcard()
    return Subst(x - pat.Const(0.0), x, where=[x.dtype == "float32"])


def by_reciprocal() -> Subst:
    x, c = pat.Wildcard(), pat.Const(shape=(), dtype="float16")
    return Subst(x / c, x * (1.0 / c), where=[c.value > 0, c.value < 0.25])


def without_what_is_not_above_zero() -> Subst:
    x, c = pat.Wildcard(), pat.Const(shape=(), dtype="float32")
    return Subst(op.Maximum(op.Abs(x), c), op.Abs(x), where=[attr.Not(c.value > 0)])


def one_for_what_equals_itself() -> Subst:
    x, c = pat.Wildcard(), pat.Const(shape=(), dtype="float32")
    return Subst(x + op.Cast(op.Equal(c, c), dtype="float32"), x + 1.0, where=[x.dtype == c.dtype])


def exchanged() -> Subst:
    x, c = pat.Wildcard(), pat.Const(shape=(), dtype="float32")
    return Subst(x * c, c * x)


def without_what_is_below_zero() -> Subst:
    x, c = pat.Wildcard(), pat.Const(shape=(), dtype="float32")
    return Subst(op.Maximum(op.Abs(x), c), op.Abs(x), where=[c.value < 0])


def promised(write: Callable[[], Subst]) -> StageResult:
    settings = Settings(use_tvm=False, max_examples=16, min_examples=6, max_variants=12)
    return NUMERIC.run(Question("tests::promised", rule(nan="same")(write), settings))


@pytest.mark.smt
@pytest.mark.parametrize(
    "write",
    [
        subtract_zero,
        by_reciprocal,
        without_what_is_not_above_zero,
        one_for_what_equals_itself,
    ],
)
def test_special_constants_break_promises(write: Callable[[], Subst]) -> None:
    (finding,) = [one for one in promised(write).findings if not one.code.is_warning]
    assert finding.code is SPECIAL_VALUES_CHANGE
    assert finding.counterexample is not None
    assert finding.counterexample.case is not None
    again = replay(write(), finding.counterexample.case, finding.code.id)
    assert again.code is SPECIAL_VALUES_CHANGE


@pytest.mark.smt
def test_broken_promises_are_shown_with_few_elements() -> None:
    x = pat.Wildcard()

    def adding_zero() -> Subst:
        return Subst(x + pat.Const(0.0), x, where=[x.dtype == "float32"])

    (finding,) = [one for one in promised(adding_zero).findings if not one.code.is_warning]
    assert finding.counterexample is not None
    case = finding.counterexample.case
    assert case is not None
    assert case.context == "alone"
    assert all(array.size <= 3 for array in case.inputs.values())


@pytest.mark.smt
@pytest.mark.parametrize("write", [exchanged, without_what_is_below_zero])
def test_promises_that_hold_for_all_constants_are_kept(write: Callable[[], Subst]) -> None:
    assert promised(write).verdict is Verdict.PASS


def test_only_constants_that_still_match_are_tried() -> None:
    x = Var("x", (2,))
    output = Call(lookup("Subtract"), [x, Const(np.float32(0.0))])
    network = Network((output,), (output,), "alone")
    trial = run_trial(subtract_zero(), network, {"x": np.ones(2, np.float32)})
    (special,) = with_special_constants(subtract_zero(), trial)
    (constant,) = [e for e in special.network.outputs[0].operands if isinstance(e, Const)]
    assert np.signbit(constant.value)
    assert special.target == (x,)
