"""A rule applied to a network by the engine, as the context of the network demands."""

from __future__ import annotations

from dataclasses import replace

from gsl.engine.fixpoint import apply
from gsl.engine.record import Record
from gsl.errors import GraphError, RewriteError
from gsl.subst import Subst
from gsl.workload import Workload
from gslverify.networks.network import PLANTED, Network
from gslverify.structures.models.concrete import Rewritten, rewrite_once, target_outputs
from gslverify.trials.integrity import damage

MOST_REWRITES = 40

Prepared = Rewritten | GraphError
"""A rewritten network, or what is wrong with the graph that was left behind."""


def prepare(subst: Subst, network: Network) -> Prepared:
    """Rewrite a network with a rule and examine the new graph."""
    try:
        made = rewritten(subst, network)
    except GraphError as error:
        return error
    if network.escaping or made.refusal is not None or made.mismatch is not None:
        return made
    return replace(made, damage=damage(network, made))


def rewritten(subst: Subst, network: Network) -> Rewritten:
    """Rewrite what is matched; where several matches were planted, as often as possible.

    Raises GraphError where the engine leaves a graph behind that is none.
    """
    if network.context not in PLANTED:
        return rewrite_once(subst, network.outputs, network.matched)
    record = Record()
    try:
        workload = Workload(network.outputs)
        result = apply(workload, [subst], max_rewrites=MOST_REWRITES, record=record)
    except RewriteError:
        # A rule whose target matches its source again has no fixpoint; one rewrite has to do.
        once = rewrite_once(subst, network.outputs, network.matched)
        return replace(once, endless=True)
    if record.refused:
        return Rewritten(refusal=record.refused[0].error)
    if not record.total:
        return rewrite_once(subst, network.outputs, network.matched)
    # Matches with several outputs may be put together from those of two sites.
    countable = len(subst.source) == 1 and subst.variadic is None
    return Rewritten(result.outputs, rewrites=record.total if countable else MOST_REWRITES)


def builds_target(subst: Subst, network: Network) -> bool:
    """Tell whether every operator of the target takes its operands, whatever type comes of it."""
    return target_outputs(subst, network.outputs) is not None
