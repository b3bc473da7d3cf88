"""Strategies of hypothesis for anybody's properties: networks that a rule matches, and inputs.

``matching_networks(rule)`` draws a network in which the source of a rule occurs, `arrays(network)`
its inputs. All choices are bounded and small ones come first, so that shrinking ends at what a
person can check by hand. Statistics of hypothesis say what was drawn and what was refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import event, reject
from hypothesis import strategies as st

from gsl.errors import GslError
from gsl.subst import Rule, Subst
from gslverify.networks.arrays import STYLES, filled_inputs
from gslverify.networks.choices import Choices, Drawn, NothingDrawnError
from gslverify.networks.contexts import CONTEXTS
from gslverify.networks.generation import network_from
from gslverify.networks.network import NOT_APPLICABLE, Network
from gslverify.networks.preferences import DTYPES, SIZES
from gslverify.semantics.solver import Answer, Solver, new_context
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.variants import enumerate_variants

MOST_STRUCTURES = 64
SOLVER_LIMIT = 4_000_000
MOST_REFUSED = 40
"""So many draws for each network may come to nothing before drawing is given up."""


Strategy = st.SearchStrategy
T = TypeVar("T")


class HardToDrawError(GslError):
    """Hardly any draw comes to a network; the message names the conditions that are to blame."""


@dataclass(slots=True)
class Structures:
    """The structures of a rule that networks are drawn from, and what became of draws."""

    samplers: Sequence[Sampler]
    drawn: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def refuse(self, why: str) -> None:
        """Note why a draw came to nothing; raise HardToDrawError after many that did."""
        event(f"refused: {why}")
        if why.startswith(NOT_APPLICABLE):
            return
        self.refused[why] += 1
        total = self.refused.total()
        if total >= MOST_REFUSED * (self.drawn + 1):
            reasons = "; ".join(f"{n} times: {one}" for one, n in self.refused.most_common(3))
            raise HardToDrawError(f"{self.drawn} networks drawn, {total} draws refused: {reasons}")


def matching_networks(
    rule: Rule | Subst,
    contexts: Sequence[str] = CONTEXTS,
    dtypes: Sequence[str] = DTYPES,
) -> st.SearchStrategy[Network]:
    """Return a strategy for networks that the source of a rule matches, alone or surrounded.

    Args:
        rule: a rule or a substitution.
        contexts: what may be around the match, some of `CONTEXTS`; "alone" is nothing.
        dtypes: preferred where the rule leaves a choice.

    Drawing raises HardToDrawError, which names the conditions, where hardly any draw comes to a
    network, and where no graph matches the source.
    """
    return st.deferred(lambda: networks(_structures_of(rule), contexts, dtypes))


@st.composite
def networks(
    draw: st.DrawFn,
    structures: Structures,
    contexts: Sequence[str] = CONTEXTS,
    dtypes: Sequence[str] = DTYPES,
    sizes: Sequence[str] = SIZES,
    corner: int = -1,
) -> Network:
    """Draw a network of some structures; see `network_from`."""
    choices = Drawn(draw)
    try:
        network = network_from(choices, structures.samplers, contexts, dtypes, sizes, corner)
    except NothingDrawnError as error:
        structures.refuse(str(error))
        reject()
    structures.drawn += 1
    event(f"context: {network.context}")
    return network


@st.composite
def made_of(draw: st.DrawFn, make: Callable[[Choices], T]) -> T:
    """Draw what a function makes of choices; those that lead to nothing are rejected."""
    try:
        return make(Drawn(draw))
    except NothingDrawnError as error:
        event(f"refused: {error}")
        reject()


@st.composite
def arrays(draw: st.DrawFn, network: Network) -> dict[str, Any]:
    """Draw a value for every input of a network, within the domains of its operators."""
    style = draw(st.sampled_from(STYLES))
    return filled_inputs(network, (style, True), draw(st.integers(0, 255)))


def _structures_of(rule: Rule | Subst) -> Structures:
    subst = rule if isinstance(rule, Subst) else rule()
    context, samplers = new_context(), list[Sampler]()
    for variant in enumerate_variants(subst).variants[:MOST_STRUCTURES]:
        instance = variant.instance(subst)
        solver = Solver([claim.term for claim in instance.claims], SOLVER_LIMIT, context)
        if solver.check().answer is Answer.SAT:
            samplers.append(Sampler(instance, solver))
    if not samplers:
        raise HardToDrawError("no graph matches the source; the stage `satisfiable` says why")
    return Structures(samplers)
