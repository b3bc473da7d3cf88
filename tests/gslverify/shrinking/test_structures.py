"""A failure is shown in the simplest structure that fails as well, with nothing around it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.numeric import MATCH_REFUSED, OUTPUTS_DIFFER
from gslverify.networks.alteration import altered
from gslverify.networks.network import Network
from gslverify.shrinking.descent import Budget, simplest
from gslverify.shrinking.passes import complexity
from gslverify.structures.models.sampling import Sampler
from gslverify.trials.refutation import fails_as
from gslverify.trials.trial import Outcome, run_trial
from tests.gslverify.rules import samplers_of

pytestmark = pytest.mark.smt


def bound_moved() -> Subst:
    """Wrong only where x + c wraps, which no random input shows."""
    x, c, d = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    return Subst(op.Less(x + c, d), op.Less(x, d - c), where=[x.dtype == "int64"])


def failure_of_rank(
    subst: Subst, samplers: list[Sampler], rank: int, context: str = "alone"
) -> Outcome:
    sampler = next(one for one in samplers if complexity(one)[1] == rank)
    wanted = Network((), (), "alone", {"x.dtype": "int64", "c.value": 1})
    start = altered(wanted, sampler, context=context)
    assert start is not None
    (x,) = start.variables
    failure = run_trial(subst, start, {"x": np.full(x.shape, 2**63 - 1)})
    assert failure.code is OUTPUTS_DIFFER
    return failure


def made_simple(
    subst: Subst, failure: Outcome, samplers: list[Sampler], budget: Budget | None = None
) -> Outcome:
    attempt = fails_as(subst, failure)
    return simplest(failure, attempt, budget or Budget(), samplers)


def test_ranks_fall_although_the_values_are_rare() -> None:
    subst = bound_moved()
    samplers = samplers_of(subst)
    failure = failure_of_rank(subst, samplers, 4)

    simple = made_simple(subst, failure, samplers)

    assert simple.code is OUTPUTS_DIFFER
    assert simple.inputs["x"].shape == ()
    assert made_simple(subst, failure, samplers, Budget.lasting(-1.0)) is failure
    assert made_simple(subst, failure, samplers, Budget(0)) is failure


def test_what_stands_around_the_match_goes() -> None:
    subst = bound_moved()
    samplers = samplers_of(subst)
    failure = failure_of_rank(subst, samplers, 4, "outputs used")
    assert failure.network.context == "outputs used"

    simple = made_simple(subst, failure, [failure.network.sampler])

    assert simple.network.context == "alone"
    assert simple.code is OUTPUTS_DIFFER


def test_another_failure_is_not_taken_for_the_same() -> None:
    subst = bound_moved()
    samplers = samplers_of(subst)
    failure = replace(failure_of_rank(subst, samplers, 4), code=MATCH_REFUSED)

    assert made_simple(subst, failure, samplers) is failure


@pytest.mark.parametrize(
    ("where", "shown"), [((), "float32"), (("float16", "int8"), "float16"), (("int64",), "int64")]
)
def test_dtypes_become_those_that_rules_are_mostly_about(
    where: tuple[str, ...], shown: str
) -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    conditions = [attr.In(x.dtype, where)] if where else []
    subst = Subst(op.Subtract(x, y), op.Subtract(y, x), where=[x.ndim == 1, *conditions])
    samplers = samplers_of(subst)
    first = where[0] if where else "bfloat16"
    start = altered(Network((), (), "alone", {"x.dtype": first, "y.dtype": first}), samplers[0])
    assert start is not None
    assert {one.dtype for one in start.variables} == {first}
    inputs = {v.name: np.full(v.shape, n).astype(v.dtype) for n, v in enumerate(start.variables)}

    simple = made_simple(subst, run_trial(subst, start, inputs), samplers)

    assert {array.dtype.name for array in simple.inputs.values()} == {shown}
