"""From a failed trial to the finding about it: made simple, with what matters about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gslverify.codes.numeric import REFERENCE_CHANGES
from gslverify.finding import Finding
from gslverify.networks.network import Network
from gslverify.shrinking.descent import Attempt, Budget, simplest
from gslverify.stage import Question
from gslverify.structures.sampling import Sampler
from gslverify.trials.counterexample import counterexample_of
from gslverify.trials.matters import Influence, what_matters
from gslverify.trials.rewriter import Rewriter, RuleRewriter
from gslverify.trials.trial import Outcome, example_of, run_trial


def rewriter_of(question: Question) -> RuleRewriter:
    """Return the rule of a question as something that rewrites networks."""
    return RuleRewriter(question.subst, question.rule.name)


def fails_as(rewriter: Rewriter, failure: Outcome) -> Attempt[Outcome]:
    """Return what tries networks and inputs, and says whether they fail with the same code."""

    def attempt(network: Network, inputs: Mapping[str, Any]) -> Outcome | None:
        trial = run_trial(rewriter, network, inputs)
        return trial if trial.code is failure.code else None

    return attempt


def as_found(question: Question, failure: Outcome) -> Finding:
    """Return the finding about a trial that failed, before anything is made simpler."""
    assert failure.code is not None
    example = example_of(failure, "as it was found: making it simpler was not finished")
    span, code = question.subst.span, failure.code
    return Finding(code, failure.message, span, counterexample=example, subject=code.id)


def refutation(
    question: Question,
    failure: Outcome,
    samplers: Sequence[Sampler] = (),
    budget: Budget | None = None,
) -> Finding:
    """Return the finding about a failed trial, made simple, with what matters about it.

    The `samplers` are those of all structures, where simpler ones may be tried. Of a rule that is
    wrong on purpose nobody asks why, and what changes each time cannot be made simple.
    """
    span, code = question.subst.span, failure.code
    assert code is not None
    if code is REFERENCE_CHANGES:
        return Finding(code, failure.message, span)
    rewriter = rewriter_of(question)
    budget = budget or Budget.lasting(question.settings.shrink_seconds)
    small = simplest(failure, fails_as(rewriter, failure), budget, samplers)
    wanted = not question.rule.expect
    seen = what_matters(rewriter, small, samplers) if wanted else Influence()
    example = replace(
        counterexample_of(small, question.settings.use_tvm),
        matters=seen.matters,
        same_for_any=seen.same_for_any,
    )
    return Finding(code, small.message, span, seen.cure, (), example, code.id)
