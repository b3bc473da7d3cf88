"""Is a rule right on tensors without elements? No proof is about them, so networks are run."""

from __future__ import annotations

from itertools import chain

from gslverify.codes.levels import EMPTY_REFUSED
from gslverify.networks.empty import empty_networks, plain_inputs
from gslverify.stage import Question
from gslverify.stages.scenarios import Scenarios
from gslverify.trials.trial import run_trial


def why_not_on_empty_tensors(question: Question, scenarios: Scenarios) -> str:
    """Return what is wrong with a rule on tensors without elements; empty if nothing is."""
    usual, empty = ([one.sampler for one in of] for of in (scenarios.feasible, scenarios.empty))
    for network in chain(empty_networks(usual), empty_networks(empty)):
        trial = run_trial(question.subst, network, plain_inputs(network))
        if trial.code is EMPTY_REFUSED and question.settings.declining:
            continue
        if trial.code is not None:
            return f"a part is wrong on tensors without elements: {trial.code.title}"
    return ""
