"""A rule applied to a network by the engine, as the context of the network demands."""

from __future__ import annotations

from dataclasses import replace

from gsl.engine.fixpoint import apply
from gsl.engine.record import Record
from gsl.errors import GraphError, RewriteError
from gsl.pat import INPUTS
from gsl.subst import Subst
from gsl.workload import Workload
from gslverify.networks.network import PLANTED, Network
from gslverify.structures.models.concrete import (
    Rewritten,
    bindings_of,
    rewrite_once,
    target_outputs,
)
from gslverify.trials.integrity import damage

MOST_REWRITES = 40
LEAK = "a match was replaced although a value inside it is used elsewhere"

Prepared = Rewritten | GraphError
"""A rewritten network, or what is wrong with the graph that was left behind."""


def prepare(subst: Subst, network: Network) -> Prepared:
    """Rewrite a network with a rule and examine the new graph."""
    try:
        made = rewritten(subst, network)
    except GraphError as error:
        return error
    if made.refusal is not None or made.mismatch is not None:
        return made
    leak = network.escaping and _leaks(subst, network)
    return replace(made, damage=LEAK if leak else damage(network, made))


def _leaks(subst: Subst, network: Network) -> bool:
    """Tell whether a value inside what is matched is used elsewhere.

    With another alternative of a pattern what was inside may be an input of the match.
    """
    bindings = bindings_of(subst, network.outputs, network.matched)
    if bindings is None:
        return True
    matched = set(network.matched)
    inputs = {node for (one, _), node in bindings.nodes.items() if isinstance(one, INPUTS)}
    inside = {*bindings.nodes.values()} - inputs
    return any(
        node.output_count or not inside.issuperset(node.users)
        for node in inside
        if node.expr not in matched
    )


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
