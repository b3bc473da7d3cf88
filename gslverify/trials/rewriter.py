"""What rewrites networks: a rule with the engine, or anything else that says what it made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from gsl.engine.fixpoint import apply
from gsl.engine.record import Record
from gsl.errors import GraphError, RewriteError
from gsl.span import Span
from gsl.subst import Subst
from gsl.workload import Workload
from gslverify.networks.network import PLANTED, Network
from gslverify.structures.concrete import Rewritten, rewrite_once, target_outputs
from gslverify.trials.integrity import damage

MOST_REWRITES = 40

Prepared = Rewritten | GraphError
"""A rewritten network, or what is wrong with the graph that was left behind."""


class Rewriter(Protocol):
    """Makes another network of a network, which has to compute the same."""

    @property
    def name(self) -> str:
        """What it is called in reports."""

    @property
    def place(self) -> Span | None:
        """Where it is written, if that is known."""

    def rewrite(self, network: Network) -> Rewritten:
        """Return the rewritten network, or why it was declined or refused.

        Raises GraphError where it leaves a graph behind that is none.
        """

    def builds_target(self, network: Network) -> bool:
        """Tell whether there is something to put in the place of a match, whatever its type."""


@dataclass(frozen=True, slots=True)
class RuleRewriter:
    """A rule, applied by the engine as the context of a network demands."""

    subst: Subst
    name: str = ""

    @property
    def place(self) -> Span | None:
        """Where the rule is written."""
        return self.subst.span

    def builds_target(self, network: Network) -> bool:
        """Tell whether every operator of the target takes its operands."""
        return target_outputs(self.subst, network.outputs) is not None

    def rewrite(self, network: Network) -> Rewritten:
        """Rewrite what is matched; where several matches were planted, as often as possible."""
        subst = self.subst
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


def prepare(rewriter: Rewriter, network: Network) -> Prepared:
    """Rewrite `network` and examine the new graph."""
    try:
        rewritten = rewriter.rewrite(network)
    except GraphError as error:
        return error
    if network.escaping or rewritten.refusal is not None or rewritten.mismatch is not None:
        return rewritten
    return replace(rewritten, damage=damage(network, rewritten))
