"""Whether both sides agree where another system defines operators and GSL does not.

The NumPy references compute there what the system does (`gsl.operators.defined.Elsewhere`), so the
networks that passed are run on such values, too. Proofs and TVM say nothing about them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gsl.expr import Call, Const
from gsl.graph import reverse_post_order
from gsl.types import ANY_INTEGER
from gslverify.codes.levels import DIFFERS_ELSEWHERE
from gslverify.codes.numeric import TOO_FEW_EXAMPLES
from gslverify.finding import Assurance, Finding, Level
from gslverify.networks.arrays import inputs_in_style
from gslverify.networks.network import Network
from gslverify.networks.values import as_defined_in, value_ranges, within
from gslverify.stage import Count, Question
from gslverify.trials.counterexample import counterexample_of
from gslverify.trials.domains import partial_operators
from gslverify.trials.second_opinion import spread
from gslverify.trials.special_constants import with_constant
from gslverify.trials.trial import Outcome as Trial
from gslverify.trials.trial import run_trial

NETWORKS = 16
STYLES = ("small integers", "wide", "edges")


def compare_elsewhere(
    question: Question, passed: Sequence[Sequence[Trial]]
) -> Iterator[Finding | Assurance | Count]:
    """Yield what becomes of networks that passed on values on which only a system defines them."""
    system = question.rule.semantics
    wider = [trials[0] for trials in passed if _is_wider(trials, system)]
    if not wider:
        return
    agreed = 0
    for trial in _tried(question, spread(wider, NETWORKS), system):
        if trial.code is not None:
            yield finding_elsewhere(question, trial, system)
            return
        agreed += not trial.rejected and not trial.declined
    yield Count(f"as in {system}", agreed)
    if agreed:
        yield Assurance("", Level.TESTED, f"as {system} defines it, {agreed} graphs")
    else:
        message = f"no graph was run on values on which only {system} defines its operators"
        yield Finding(TOO_FEW_EXAMPLES, message, question.subst.span)


def _is_wider(trials: Sequence[Trial], system: str) -> bool:
    """Tell whether a system defines operators of a source on more values, and they may get them."""
    network = trials[0].network
    calls = [one for one in reverse_post_order(network.matched) if isinstance(one, Call)]
    operators = {call.operator for call in calls}
    wider = {str(one) for one in operators if one.values_in(system) is not one.values}
    return not wider.isdisjoint(partial_operators([network])) or bool(_constants(network, system))


def _constants(network: Network, system: str) -> list[tuple[Const, Any]]:
    """Return constants with another value on which a system defines what uses them, and GSL not."""
    usual = value_ranges(network.matched, guarded=False)
    with as_defined_in(system):
        wider = value_ranges(network.matched, guarded=False)
    found = []
    for constant in [one for one in usual if isinstance(one, Const) and one.dtype in ANY_INTEGER]:
        value = np.full(constant.shape, -1).astype(constant.dtype)
        if within(value, wider.get(constant, ())) and not within(value, usual[constant]):
            found.append((constant, value))
    return found


def _tried(question: Question, trials: Sequence[Trial], system: str) -> Iterator[Trial]:
    """Run networks on inputs that GSL does not define all operators on, and the system does."""
    generator = np.random.default_rng(question.seed("elsewhere"))
    for passed in trials:
        network = passed.network
        for constant, value in _constants(network, system):
            with as_defined_in(system):
                other = with_constant(question.subst, passed, constant, value)
                if other is not None:
                    yield run_trial(question.subst, other.network, passed.inputs)
        usual = value_ranges(network.outputs)
        for style in STYLES:
            with as_defined_in(system):
                inputs = inputs_in_style(network, style, generator)
                if all(within(inputs[v.name], usual.get(v, ())) for v in network.variables):
                    continue
                trial = run_trial(question.subst, network, inputs)
            yield trial


def finding_elsewhere(question: Question, trial: Trial, system: str) -> Finding:
    """Return the finding about a trial; its graphs are not kept, as a replay knows no system."""
    assert trial.code is not None
    message = f"as {system} defines it: {trial.message or trial.code.title}"
    with as_defined_in(system):
        example = replace(counterexample_of(trial, ask_tvm=False), case=None)
    return Finding(
        DIFFERS_ELSEWHERE,
        message,
        question.subst.span,
        "leave semantics= out, or write a condition on what the indices are made of",
        counterexample=example,
        subject=system,
    )
