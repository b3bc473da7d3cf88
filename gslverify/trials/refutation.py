"""From a failed trial to the finding about it: made simple, with what matters about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gsl.flags import LOSSY, NOWRAP, in_order
from gsl.subst import Subst
from gslverify.codes.numeric import OUTPUTS_DIFFER, REFERENCE_CHANGES
from gslverify.finding import Finding
from gslverify.networks.network import Network
from gslverify.shrinking.descent import Attempt, Budget, simplest
from gslverify.stage import Question
from gslverify.structures.models.sampling import Sampler
from gslverify.trials.counterexample import counterexample_as_found, counterexample_of
from gslverify.trials.matters import Influence, what_matters
from gslverify.trials.trial import (
    Outcome,
    differs_by_narrowing,
    differs_by_wrapping,
    run_trial,
)

NOT_SIMPLE = "making it simpler was not finished"


def fails_as(subst: Subst, failure: Outcome) -> Attempt[Outcome]:
    """Return what tries networks and inputs, and says whether they fail with the same code."""

    def attempt(network: Network, inputs: Mapping[str, Any]) -> Outcome | None:
        trial = run_trial(subst, network, inputs)
        return trial if trial.code is failure.code else None

    return attempt


def as_found(question: Question, failure: Outcome) -> Finding:
    """Return the finding about a trial that failed, which may still be made simpler."""
    assert failure.code is not None
    example = counterexample_as_found(failure, NOT_SIMPLE)
    span, code = question.subst.span, failure.code
    return Finding(code, failure.message, span, counterexample=example, subject=code.id)


def tell(question: Question, failure: Outcome) -> None:
    """Tell at once of a trial that failed: the stage may be ended before it is made simple."""
    question.found(as_found(question, failure))


def refutation(
    question: Question,
    failure: Outcome,
    samplers: Sequence[Sampler] = (),
    budget: Budget | None = None,
) -> Finding:
    """Return the finding about a failed trial, made simple, with what matters about it.

    The `samplers` are those of all structures, where simpler ones may be tried. Of a rule that is
    wrong on purpose nobody asks why, and what changes each time cannot be made simple. Where
    failures need not be explained, it is told as it was found.
    """
    span, code = question.subst.span, failure.code
    assert code is not None
    if code is REFERENCE_CHANGES:
        return Finding(code, failure.message, span)
    if not question.settings.explained:
        return as_found(question, failure)
    budget = budget or Budget.lasting(question.settings.shrink_seconds)
    attempt = fails_as(question.subst, failure)
    small = simplest(failure, attempt, budget, samplers, lambda one: tell(question, one))
    wanted = not question.rule.expect
    seen = what_matters(question.subst, small, samplers) if wanted else Influence()
    example = replace(
        counterexample_of(small, question.settings.use_tvm),
        matters=seen.matters,
        same_for_any=seen.same_for_any,
    )
    cure = seen.cure or _excusing_flag(question, small)
    return Finding(code, small.message, span, cure, (), example, code.id)


def _excusing_flag(question: Question, failure: Outcome) -> str:
    """Return the flag to write where one excuses that the sides differ, if it is granted."""
    rule = question.rule
    if rule.expect or failure.code is not OUTPUTS_DIFFER:
        return ""
    if NOWRAP not in rule.assumed and differs_by_wrapping(failure):
        flag, said, may = NOWRAP, "integers of the source wrap here", "rules that out"
    elif LOSSY not in rule.assumed and differs_by_narrowing(failure, rule.assumed):
        flag, said, may = LOSSY, "a narrower dtype rounds here", "may leave that out"
    else:
        return ""
    listed = ", ".join(f'"{one}"' for one in in_order({*rule.assumed, flag}))
    return f"{said}: @rule(flags={{{listed}}}) if a compiler {may}"
