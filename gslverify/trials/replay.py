"""Run a stored counterexample again: does the rule still fail on it, and in the same way?"""

from __future__ import annotations

from dataclasses import dataclass

from gsl.errors import GraphError
from gsl.subst import Subst
from gsl.tvm.jobs import Failure
from gsl.types import TensorType, TupleType, Type
from gslverify.case import Case
from gslverify.codes.backend import KNOWN_DEVIATION
from gslverify.codes.levels import FLAG_MISSING, SPECIAL_VALUES_CHANGE
from gslverify.codes.numeric import (
    BACKEND_CRASHED,
    BACKEND_INCOMPLETE,
    BACKENDS_DISAGREE,
    MATCH_REFUSED,
    OUTPUTS_DIFFER,
    REWRITE_BREAKS_GRAPH,
)
from gslverify.codes.shape import ILLEGAL_TARGET, OUTPUT_DTYPE, OUTPUT_SHAPE
from gslverify.comparison.special import changes
from gslverify.finding import CODES, Code
from gslverify.networks.network import Network
from gslverify.structures.models.concrete import rewrite_once, target_outputs
from gslverify.trials import backend
from gslverify.trials.blame import differences
from gslverify.trials.domains import is_misused
from gslverify.trials.roundings import rounds_otherwise
from gslverify.trials.second_opinion import SIDES
from gslverify.trials.trial import EXCUSED, run_trial
from gslverify.trials.trial import Outcome as Trial

ABOUT_TYPES = (OUTPUT_SHAPE, OUTPUT_DTYPE, ILLEGAL_TARGET)
"""Codes that types alone decide, so that nothing has to be computed."""


ABOUT_TVM = (BACKENDS_DISAGREE, KNOWN_DEVIATION)
"""Codes about graphs that no rule is needed for."""

ABOUT_FAILURES = (BACKEND_CRASHED, BACKEND_INCOMPLETE)
"""Codes about graphs that TVM could not run, though the references agree on them."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What a rule does to a stored case now.

    It fails with `code` and `message`, or it does not and `message` says why. `undecided` says
    that the case no longer tells anything. `trial` is None where types alone were looked at.
    """

    code: Code | None
    message: str
    undecided: bool = False
    trial: Trial | None = None


def network_of(case: Case) -> Network:
    """Return the network of a case; raises as `gsl.records.decode` does."""
    exprs = case.exprs()
    outputs = tuple(exprs[position] for position in case.source)
    matched = tuple(exprs[position] for position in case.matched)
    return Network(outputs, matched, case.context, escaping=case.escaping)


def replay(subst: Subst, case: Case, code_id: str) -> Replay:
    """Apply a rule to a case that had refuted it with the code `code_id`."""
    network = network_of(case)
    if any(code_id == code.id for code in ABOUT_TYPES):
        return _replay_types(subst, network, code_id)
    if any(code_id == code.id for code in ABOUT_TVM):
        return _replay_tvm(network, case, code_id)
    trial = run_trial(subst, network, case.inputs)
    if any(code_id == code.id for code in ABOUT_FAILURES) and trial.values[1]:
        return _replay_failure(trial, code_id)
    is_special = code_id == SPECIAL_VALUES_CHANGE.id
    if is_special and trial.target and trial.code in (None, OUTPUTS_DIFFER):
        # A truth value that NaN decides is a difference like any other for the trial.
        special = _replay_special(network, trial)
        if trial.code is None or special.code is not None:
            return special
    if trial.code is not None:
        return Replay(trial.code, trial.message, trial=trial)
    if code_id == FLAG_MISSING.id and trial.target and not _says_nothing(trial):
        return _replay_rounding(subst, trial)
    if trial.declined:
        return Replay(None, "the match is declined, as it has to be", trial=trial)
    if not trial.rejected:
        return Replay(None, "source and target agree on it", trial=trial)
    if not _matches(subst, network):
        return Replay(None, f"the rule leaves it alone: {trial.rejected}", trial=trial)
    return Replay(None, trial.rejected, undecided=True, trial=trial)


def _says_nothing(trial: Trial) -> bool:
    """Tell whether a trial shows no rounding; where it decides, bounds on it do not matter."""
    return trial.rejected in EXCUSED or (
        bool(trial.rejected) and is_misused(trial.network.outputs, trial.inputs)
    )


def _matches(subst: Subst, network: Network) -> bool:
    try:
        return rewrite_once(subst, network.outputs, network.matched).mismatch is None
    except GraphError:
        return True


def _replay_tvm(network: Network, case: Case, code_id: str) -> Replay:
    found = differences(network.outputs, case.inputs)
    if not found:
        return Replay(None, "TVM and the references agree on it")
    return Replay(CODES[code_id], found[0].summary)


def _replay_failure(trial: Trial, code_id: str) -> Replay:
    for side, outputs in zip(SIDES, (trial.network.outputs, trial.target), strict=True):
        result = backend.run(outputs, trial.inputs)
        if isinstance(result, Failure):
            kind, what = result.kind, result.message.splitlines()[0]
            return Replay(CODES[code_id], f"TVM cannot run the {side}: {kind}: {what}", trial=trial)
    return Replay(None, "TVM runs both sides, and the references agree", trial=trial)


def _replay_special(network: Network, trial: Trial) -> Replay:
    found = next(changes(network.outputs, trial.target, trial.inputs), None)
    if found is None:
        return Replay(None, "NaN, infinities and signed zeros stay where they are", trial=trial)
    return Replay(SPECIAL_VALUES_CHANGE, f"{found.kind} changes", trial=trial)


def _replay_rounding(subst: Subst, trial: Trial) -> Replay:
    apart = rounds_otherwise(subst, trial)
    if apart is None:
        return Replay(None, "the flags of the rule allow for how it rounds", trial=trial)
    values = f"{apart.source} in the source, {apart.target} in the target"
    return Replay(FLAG_MISSING, f"output {apart.output} is {values}", trial=trial)


def _replay_types(subst: Subst, network: Network, code_id: str) -> Replay:
    try:
        rewritten = rewrite_once(subst, network.outputs, network.matched)
    except GraphError as error:
        return Replay(REWRITE_BREAKS_GRAPH, str(error))
    if rewritten.mismatch is not None:
        return Replay(None, f"the rule leaves it alone: {rewritten.mismatch.reason}")
    if rewritten.refusal is None:
        return Replay(None, "the target can be built and its outputs keep their types")
    built = target_outputs(subst, network.outputs)
    if built is None:
        return Replay(ILLEGAL_TARGET, str(rewritten.refusal))
    pairs = [(old.type, new.type) for old, new in zip(network.outputs, built, strict=True)]
    found = [code for code, part in _PARTS if any(part(o) != part(n) for o, n in pairs)]
    same = [code for code in found if code.id == code_id]
    return Replay((same or found or [MATCH_REFUSED])[0], str(rewritten.refusal))


def _shapes(given: Type) -> tuple[object, ...]:
    return given.shape if isinstance(given, TensorType) else tuple(map(_shapes, _fields(given)))


def _dtypes(given: Type) -> tuple[object, ...]:
    return (given.dtype,) if isinstance(given, TensorType) else tuple(map(_dtypes, _fields(given)))


def _fields(given: Type) -> tuple[Type, ...]:
    return given.fields if isinstance(given, TupleType) else ()


_PARTS = ((OUTPUT_SHAPE, _shapes), (OUTPUT_DTYPE, _dtypes))
