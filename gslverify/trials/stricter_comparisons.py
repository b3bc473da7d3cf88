"""What is asked about networks on which both sides agreed: stricter comparisons.

Whether source and target are the same functions (see `identity`), whether the target loses digits
(see `precision`), which flags of floating point are needed (see `flags`), and what becomes of empty
tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gslverify.codes.levels import EMPTY_REFUSED, TARGET_LESS_PRECISE
from gslverify.comparison.identity import MOST_ELEMENTS, Identity, compare_identities
from gslverify.comparison.precision import Errors, errors_of, examined_dtype
from gslverify.finding import Assurance, Finding, Level
from gslverify.networks.arrays import inputs_in_style
from gslverify.networks.empty import plain_inputs
from gslverify.networks.network import Network
from gslverify.stage import Count, FlagsNeeded, Note, Question
from gslverify.trials.flags import Outcomes, flags_of
from gslverify.trials.refutation import refutation
from gslverify.trials.second_opinion import spread
from gslverify.trials.trial import NO_ELEMENTS, run_trial
from gslverify.trials.trial import Outcome as Trial

NETWORKS_FOR_IDENTITY = 6
UNKNOWN_INPUTS = frozenset({"alone", "outputs used", "inputs computed", "twice", "names clash"})
"""Contexts whose inputs are independent unknowns: in others one tensor may stand for several."""
TRIALS_FOR_PRECISION = 40
NETWORKS_WITH_OFFSETS = 20
LEAST_WEAK = 3
"""Trials in which a target must lose digits: of one or two, chance may be the reason."""
RETRIES_WITH_INTEGERS = ("distinct integers", "nonzero integers", "wide")


@dataclass(slots=True)
class StricterComparisons:
    """What stricter comparisons found."""

    findings: list[Finding] = field(default_factory=list)
    assurances: list[Assurance] = field(default_factory=list)
    counts: list[Count | Note | FlagsNeeded] = field(default_factory=list)

    @property
    def is_refuted(self) -> bool:
        """Whether a finding is more than a warning."""
        return any(not finding.code.is_warning for finding in self.findings)

    def take(self, outcomes: Outcomes) -> None:
        """Add what a level says, each to its kind."""
        for outcome in outcomes:
            match outcome:
                case Finding():
                    self.findings.append(outcome)
                case Assurance():
                    self.assurances.append(outcome)
                case _:
                    self.counts.append(outcome)


def compare_strictly(
    question: Question,
    passed: Sequence[Sequence[Trial]],
    empty: Iterable[Network] = (),
    wrapping: Trial | None = None,
    undecided: Sequence[Trial] = (),
) -> StricterComparisons:
    """Examine networks that passed, `empty` ones that were not run yet, and one that may wrap.

    In trials that are `undecided` decisions depend on rounding.

    A finding that refutes comes with its counterexample.
    """
    found = StricterComparisons()
    _without_elements(question, empty, found)
    _identity(question, passed, found)
    measured = _precision(question, passed, found)
    found.take(flags_of(question, passed, measured, wrapping, undecided))
    if found.is_refuted:
        found.assurances.clear()
    return found


def _without_elements(
    question: Question, empty: Iterable[Network], found: StricterComparisons
) -> None:
    """Run networks with empty tensors; outputs without elements must keep their types.

    One that the target cannot be built for says nothing about the others.
    """
    agreed = 0
    refused: Trial | None = None
    for network in empty:
        trial = run_trial(question.subst, network, plain_inputs(network))
        agreed += trial.code is None and trial.rejected in ("", NO_ELEMENTS)
        if trial.code is EMPTY_REFUSED:
            refused = refused or trial
        elif trial.code is not None:
            found.findings.append(refutation(question, trial))
            break
    else:
        if refused is not None and not question.settings.declining:
            found.findings.append(refutation(question, refused))
    found.counts.append(Count("empty", agreed))


def _identity(
    question: Question, passed: Sequence[Sequence[Trial]], found: StricterComparisons
) -> None:
    open_ones = [t[0] for t in passed if t[0].network.context in UNKNOWN_INPUTS]
    small = [trial for trial in open_ones if trial.network.elements <= MOST_ELEMENTS]
    asked = spread(small, NETWORKS_FOR_IDENTITY)
    said = [_compared(question, number, trial) for number, trial in enumerate(asked)]
    for trial, identity in zip(asked, said, strict=True):
        refuted = _refuted_by_integers(question, trial) if identity.differ else None
        if refuted is not None:
            found.findings.append(refutation(question, refuted))
            return
    same = sum(identity.holds for identity in said)
    found.counts.append(Count("identical", same))
    if same and not any(identity.differ for identity in said):
        text = f"identity, error < 1e-30, {same} graphs"
        found.assurances.append(Assurance("", Level.IDENTITY, text))


def _compared(question: Question, number: int, trial: Trial) -> Identity:
    seed = (question.settings.seed << 16) + number
    return compare_identities(trial.network.outputs, trial.target, trial.inputs, seed)


def _refuted_by_integers(question: Question, trial: Trial) -> Trial | None:
    """Run a network again on integers, on which arithmetic is exact; residues prove nothing."""
    generator = np.random.default_rng(question.settings.seed)
    for style in RETRIES_WITH_INTEGERS:
        again = run_trial(
            question.subst, trial.network, inputs_in_style(trial.network, style, generator)
        )
        if again.code is not None:
            return again
    return None


def _precision(
    question: Question, passed: Sequence[Sequence[Trial]], found: StricterComparisons
) -> list[Errors]:
    """Measure the errors of both sides, and warn where the target loses digits."""
    inexact = [trial for trials in passed for trial in trials if not trial.exact]
    asked = [(trial, trial.inputs) for trial in spread(inexact, TRIALS_FOR_PRECISION)]
    first = [trials[0] for trials in passed if examined_dtype(trials[0].network.outputs)]
    generator = np.random.default_rng(question.settings.seed)
    for trial in spread(first, NETWORKS_WITH_OFFSETS):
        inputs = inputs_in_style(trial.network, "offsets", generator)
        again = run_trial(question.subst, trial.network, inputs)
        if again.code is not None and not found.is_refuted:
            found.findings.append(refutation(question, again))
            return []
        asked.append((trial, inputs))
    measured = [errors_of(t.network.outputs, t.target, inputs) for t, inputs in asked]
    known = [errors for errors in measured if errors is not None]
    found.counts.append(Count("measured", len(known)))
    weak = [errors for errors in known if errors.is_weak]
    if len(weak) >= LEAST_WEAK:
        worst = max(weak, key=_loss)
        message = f"{len(weak)} of {len(known)} runs: {worst}"
        found.findings.append(
            Finding(TARGET_LESS_PRECISE, message, question.subst.span, subject=worst.dtype)
        )
    return known


def _loss(errors: Errors) -> float:
    least = max(errors.source, errors.floor)
    return errors.target / least if least else np.inf
