"""One trial: rewrite a network with the real engine and compare it with the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from gsl.errors import GraphError, GslError
from gsl.expr import Const, Expr, Var
from gsl.flags import LOSSY, NOWRAP, OF_ROUNDING
from gsl.subst import Subst
from gsl.text.listing import listing
from gslverify.case import Case, case_of
from gslverify.codes.levels import EMPTY_DIFFERS, EMPTY_REFUSED
from gslverify.codes.numeric import (
    MATCH_REFUSED,
    OUTPUTS_DIFFER,
    REFERENCE_CHANGES,
    REWRITE_BREAKS_GRAPH,
    TARGET_UNDEFINED,
)
from gslverify.comparison.bounded import AmbiguousError, RoundedConversionError
from gslverify.comparison.calmer import flat
from gslverify.comparison.compare import (
    Comparison,
    UndefinedError,
    compare,
    converted_constants,
    evaluate_bounded,
    is_finite,
    not_finite,
    rounded_constants,
)
from gslverify.comparison.machine import integers_made_wrong
from gslverify.comparison.references import ReferenceFailureError
from gslverify.comparison.repeated import changing_reference
from gslverify.comparison.singular import is_singular
from gslverify.comparison.under_flags import Sides, compare_under
from gslverify.evaluation_order import NETWORKS_REMEMBERED, evaluation_order
from gslverify.finding import Code, Counterexample
from gslverify.networks.generation import has_at_most
from gslverify.networks.network import MAY_DECLINE, Network
from gslverify.trials.crash_record import record_graph
from gslverify.trials.domains import is_defined, misuse, other_conversions
from gslverify.trials.rewriting import Prepared, builds_target, prepare
from gslverify.trials.wrapping import wrapped

MOST_ELEMENTS_OF_TARGET = 2**25
"""Elements of a tensor on the way to the target; those of networks have a limit of their own."""
NO_ELEMENTS = "the outputs have no elements"
UNDEFINED = "an operator of the source is not defined on some of its operands"
WRAPS = "integers of the source wrap, which `nowrap` rules out"
NARROWS = "a narrower dtype rounds, which `lossy` lets a compiler leave out"
EXCUSED = (WRAPS, NARROWS)
LAST = "the last graphs that were run before the process ended"
TOO_LARGE = f"a tensor of the target has more than {MOST_ELEMENTS_OF_TARGET:,} elements"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a trial.

    `rejected` says why it tells nothing, `code` and `message` what went wrong; with neither, both
    networks agree, exactly when `exact`. `declined` says that the match had to be declined and was.
    `values` are the outputs of both, once both are computed. A rejected trial that
    `depends_on_rounding` has a decision, such as a comparison, within the error of rounding.
    """

    network: Network
    inputs: Mapping[str, Any]
    target: tuple[Expr, ...] = ()
    rejected: str = ""
    code: Code | None = None
    message: str = ""
    exact: bool = False
    declined: bool = False
    comparisons: tuple[Comparison, ...] = field(default=())
    values: tuple[Sequence[Any], Sequence[Any]] = ((), ())
    depends_on_rounding: bool = False

    def case(self) -> Case:
        """Return graphs and inputs as plain data."""
        network = self.network
        return case_of(
            network.outputs,
            network.matched,
            self.target,
            self.inputs,
            network.context,
            network.escaping,
        )


def example_of(trial: Outcome, note: str) -> Counterexample:
    """Return the graphs and inputs of a trial, to be kept for `gslverify repro`."""
    source, target = listing(trial.network.outputs), listing(trial.target)
    model, case = trial.network.model, trial.case()
    return Counterexample(model, tuple(source), tuple(target), notes=(note,), case=case)


def simplest(passed: Sequence[Sequence[Outcome]]) -> Outcome:
    """Return the first trial of the network with the fewest input elements."""
    firsts = [trials[0] for trials in passed]
    return min(firsts, key=lambda trial: sum(int(a.size) for a in trial.inputs.values()))


def run_trial(subst: Subst, network: Network, inputs: Mapping[str, Any]) -> Outcome:
    """Rewrite `network`, run both on the NumPy references, and compare every output."""
    outcome = excused(subst, judge(network, prepare(subst, network), inputs))
    if outcome.code is not MATCH_REFUSED or not _lacks_elements(network):
        return outcome
    is_built = builds_target(subst, network)
    return replace(outcome, code=EMPTY_DIFFERS if is_built else EMPTY_REFUSED)


def excused(subst: Subst, trial: Outcome) -> Outcome:
    """Return a trial as one that tells nothing where its sides differ as a flag lets them.

    A rule with `nowrap` need not hold for elements that depend on integers of its source that wrap,
    in whichever match; those of its target may not wrap where the source does without. With `lossy`
    narrower dtypes need not round.
    """
    reason = ""
    if trial.code in (OUTPUTS_DIFFER, TARGET_UNDEFINED):
        if NOWRAP in subst.flags and differs_by_wrapping(trial):
            reason = WRAPS
        elif LOSSY in subst.flags and differs_by_narrowing(trial, subst.flags):
            reason = NARROWS
    return replace(trial, rejected=reason, code=None, message="") if reason else trial


def differs_by_wrapping(trial: Outcome) -> bool:
    """Tell whether sides that differ agree but for what depends on integers that wrap."""
    masks = wrapped(trial.network.outputs, trial.inputs)
    before, after = trial.values
    if not before:
        return any(one.any() for one in flat(masks))
    outputs = zip(before, after, masks, strict=True)
    found = (one for old, new, mask in outputs for one in compare("", old, _kept(old, new, mask)))
    return all(one.difference is None for one in found)


def _kept(old: Any, new: Any, mask: Any) -> Any:
    """Return new values with the old ones in the places of a mask."""
    if isinstance(old, tuple):
        return tuple(map(_kept, old, new, mask if isinstance(mask, tuple) else (mask,) * len(old)))
    return np.where(mask, old, new) if old.shape == new.shape else new


def differs_by_narrowing(trial: Outcome, flags: Set[str]) -> bool:
    """Tell whether sides that differ agree where `flags`, and `lossy` among them, are granted."""
    if trial.code is not OUTPUTS_DIFFER:
        return False
    sides = Sides(trial.network.outputs, trial.target, trial.inputs)
    agreement = compare_under((flags | {LOSSY}) & OF_ROUNDING, sides)
    return agreement is not None and agreement.apart is None


def judge(network: Network, prepared: Prepared, inputs: Mapping[str, Any]) -> Outcome:
    """Run a network and what it was rewritten to on the references, and compare every output."""
    if isinstance(prepared, GraphError):
        return Outcome(network, inputs, code=REWRITE_BREAKS_GRAPH, message=str(prepared))
    if prepared.refusal is not None:
        return Outcome(network, inputs, code=MATCH_REFUSED, message=str(prepared.refusal))
    may_decline = network.escaping or network.context in MAY_DECLINE
    if prepared.mismatch is not None and may_decline:
        return Outcome(network, inputs, declined=True)
    if prepared.mismatch is not None:
        return Outcome(network, inputs, rejected=prepared.mismatch.reason)
    if prepared.damage:
        code, message = REWRITE_BREAKS_GRAPH, prepared.damage
        return Outcome(network, inputs, prepared.outputs, "", code, message)
    if not _has_few_elements(prepared.outputs):
        return Outcome(network, inputs, prepared.outputs, rejected=TOO_LARGE)
    record_graph(lambda: example_of(Outcome(network, inputs, prepared.outputs), LAST))
    constants = _constants(network.outputs, prepared.outputs, prepared.rewrites > 1)
    return _compare(network, inputs, prepared.outputs, constants)


@lru_cache(maxsize=NETWORKS_REMEMBERED)
def _has_few_elements(target: tuple[Expr, ...]) -> bool:
    return all(has_at_most(expr, MOST_ELEMENTS_OF_TARGET) for expr in evaluation_order(target))


@lru_cache(maxsize=NETWORKS_REMEMBERED)
def _constants(
    source: tuple[Expr, ...], target: tuple[Expr, ...], chained: bool
) -> tuple[Mapping[Expr, Any], Mapping[Expr, Any]]:
    """Return the constants of either side that are not what is written, with their errors."""
    converted = converted_constants(evaluation_order((*source, *target)))
    return converted, {**converted, **rounded_constants(target if chained else ())}


def _compare(
    network: Network,
    inputs: Mapping[str, Any],
    target: tuple[Expr, ...],
    constants: tuple[Mapping[Expr, Any], Mapping[Expr, Any]],
) -> Outcome:
    try:
        before, known = evaluate_bounded(network.outputs, inputs, constants[0])
    except GslError as error:
        return _undecided(network, inputs, target, error)
    if not is_defined(network, inputs, known):
        return Outcome(network, inputs, target, rejected=UNDEFINED)
    try:
        after, values = evaluate_bounded(target, inputs, {**constants[1], **known})
    except GslError as error:
        return _failed(network, inputs, target, before, error)
    misused = misuse(values)
    if misused and not _is_unread(target, inputs, values):
        return Outcome(network, inputs, target, "", _code(network, TARGET_UNDEFINED), misused)
    comparisons = tuple(
        comparison
        for number, (source, new) in enumerate(zip(before, after, strict=True))
        for comparison in compare(f"output {number}", source, new)
    )
    if all(map(is_finite, known.values())):
        comparisons = _made_infinite(before, after, target, values) or comparisons
    differing = _differing(network, inputs, target, comparisons, (before, after))
    if differing is not None:
        return differing
    compared = sum(comparison.compared for comparison in comparisons)
    total = sum(comparison.total for comparison in comparisons)
    if not total:
        return Outcome(network, inputs, target, rejected=NO_ELEMENTS)
    if 2 * compared < total:
        return Outcome(network, inputs, target, rejected="few elements have a bounded value")
    exact = all(comparison.exact for comparison in comparisons)
    return Outcome(
        network, inputs, target, exact=exact, comparisons=comparisons, values=(before, after)
    )


def _failed(
    network: Network,
    inputs: Mapping[str, Any],
    target: tuple[Expr, ...],
    before: Sequence[Any],
    error: GslError,
) -> Outcome:
    """Return the outcome of a trial of which the target has no bounded values."""
    match error:
        case RoundedConversionError():
            wrong = _differing(network, inputs, target, integers_made_wrong(before, target, inputs))
            return wrong or _undecided(network, inputs, target, error)
        case AmbiguousError() | ReferenceFailureError():
            return _undecided(network, inputs, target, error)
        case UndefinedError():
            code = _code(network, TARGET_UNDEFINED)
        case _:
            code = REWRITE_BREAKS_GRAPH
    return Outcome(network, inputs, target, "", code, str(error))


def _undecided(
    network: Network, inputs: Mapping[str, Any], target: tuple[Expr, ...], error: GslError
) -> Outcome:
    rounds = isinstance(error, AmbiguousError)
    return Outcome(network, inputs, target, rejected=str(error), depends_on_rounding=rounds)


def _differing(
    network: Network,
    inputs: Mapping[str, Any],
    target: tuple[Expr, ...],
    comparisons: tuple[Comparison, ...],
    values: tuple[Sequence[Any], Sequence[Any]] = ((), ()),
) -> Outcome | None:
    """Return the outcome of a trial in which an output differs, None if none does."""
    for comparison in comparisons:
        if comparison.difference is not None:
            code, message = _code(network, OUTPUTS_DIFFER), comparison.difference.summary
            changing = changing_reference((*network.outputs, *target), inputs)
            if changing:
                code, message = REFERENCE_CHANGES, changing
            return Outcome(
                network, inputs, target, "", code, message, comparisons=comparisons, values=values
            )
    return None


def _made_infinite(
    before: Sequence[Any],
    after: Sequence[Any],
    target: tuple[Expr, ...],
    values: Mapping[Expr, Any],
) -> tuple[Comparison, ...]:
    """Return the outputs of the target that for certain are not finite where those before are."""
    if all(map(is_finite, after)) or not is_singular(target, values):
        return ()
    pairs = enumerate(zip(before, after, strict=True))
    return tuple(c for i, (old, new) in pairs for c in not_finite(f"output {i}", old, new))


def _is_unread(
    target: tuple[Expr, ...], inputs: Mapping[str, Any], values: Mapping[Expr, Any]
) -> bool:
    """Tell whether all that is undefined are numbers on which no output depends."""
    others = other_conversions(values)
    if not others or misuse(values, apart_from=others):
        return False
    try:
        outputs, _ = evaluate_bounded(target, inputs, others)
    except GslError:
        return False
    pairs = zip(target, outputs, strict=True)
    found = (one for expr, new in pairs for one in compare("output", values[expr], new))
    return all(one.difference is None for one in found)


def _code(network: Network, usual: Code) -> Code:
    """Return the code of a failure: where an input has no elements it is one of its own."""
    return EMPTY_DIFFERS if _lacks_elements(network) else usual


def _lacks_elements(network: Network) -> bool:
    """Tell whether an input or a constant of a network has no elements."""
    leaves = (e for e in evaluation_order(network.outputs) if isinstance(e, Var | Const))
    return any(0 in leaf.shape for leaf in leaves)
