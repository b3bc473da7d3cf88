"""What passes are tried on: patterns without a target, and functions that make graphs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from gsl.errors import GslError
from gsl.pat import Pattern
from gsl.subst import Subst
from gsl.workload import Workload
from gslverify.networks.arrays import filled_inputs
from gslverify.networks.choices import Choices, NothingDrawnError, one_of
from gslverify.networks.generation import network_from
from gslverify.networks.network import Network
from gslverify.semantics.solver import Answer, Solver, new_context
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.variants import enumerate_variants

CONTEXTS = ("alone", "alone", "outputs used", "inputs constant", "one tensor for two")
"""What is built around a match; the first is tried most."""

DTYPES = ("float32", "float32", "float16", "float64", "int32")
STYLES = ("small integers", "reals", "distinct integers", "wide")
MOST_STRUCTURES = 32
MOST_RUNS = 4_000
SOLVER_LIMIT = 400_000
INPUTS = 3

Case = tuple[Network, list[dict[str, Any]]]
"""A graph and several choices of its inputs."""


class Source(Protocol):
    """Where graphs come from."""

    @property
    def name(self) -> str:
        """What it is called in reports."""

    def draw(self, choices: Choices) -> Case:
        """Return a graph with inputs; raises NothingDrawnError where choices lead to none."""


@dataclass
class PatternSource:
    """Graphs that patterns match, without the conditions that a rule would have.

    A pass is tried where its author may have forgotten a condition, so a source states none but
    those without which its operators make no sense.
    """

    name: str
    subst: Subst
    contexts: Sequence[str] = CONTEXTS
    dtypes: Sequence[str] = DTYPES
    most: int = MOST_STRUCTURES
    _turn: int = field(default=0, repr=False)

    @cached_property
    def samplers(self) -> list[Sampler]:
        """The structures that have models, the simplest first, then drawn from all."""
        found = list(enumerate_variants(self.subst, most_runs=MOST_RUNS).variants)
        found.sort(key=lambda one: (sum(one.choices), one.choices))
        rest = found[self.most // 4 :]
        random.Random(self.name).shuffle(rest)
        context, made = new_context(), list[Sampler]()
        for variant in (*found[: self.most // 4], *rest)[: 4 * self.most]:
            try:
                instance = variant.instance(self.subst)
            except GslError:
                continue
            solver = Solver([claim.term for claim in instance.claims], SOLVER_LIMIT, context)
            if solver.check().answer is Answer.SAT:
                made.append(Sampler(instance, solver))
            if len(made) == self.most:
                break
        return made

    def draw(self, choices: Choices) -> Case:
        """Return a graph around a match."""
        if not self.samplers:
            raise NothingDrawnError("no graph has what the source describes")
        network = network_from(choices, self.samplers, self.contexts, self.dtypes)
        return network, inputs_of(choices, network)


@dataclass(frozen=True, slots=True)
class MadeSource:
    """Graphs that a function of choices makes, for operators that gsl does not have."""

    name: str
    make: Callable[[Choices], Workload]

    def draw(self, choices: Choices) -> Case:
        """Return the graph that the function makes."""
        outputs = tuple(self.make(choices).outputs)
        network = Network(outputs, outputs, "alone")
        return network, inputs_of(choices, network)


def inputs_of(choices: Choices, network: Network) -> list[dict[str, Any]]:
    """Choose inputs of a graph in several styles, simple ones first."""
    first, seed = choices.number(len(STYLES) - 1), choices.number(255)
    chosen = [STYLES[(first + number) % len(STYLES)] for number in range(INPUTS)]
    return [filled_inputs(network, (style, True), seed) for style in chosen]


def source(
    *,
    contexts: Sequence[str] = CONTEXTS,
    dtypes: Sequence[str] = DTYPES,
) -> Callable[[Callable[[], Any]], PatternSource]:
    """Make a source of a function that returns patterns: one, a list, or a rule.

    Args:
        contexts: what is built around a match, by the names of `gslverify.networks`.
        dtypes: preferred where patterns leave a choice.

    Raises whatever the function raises, and SubstError for patterns that make no source.
    """

    def decorate(function: Callable[[], Any]) -> PatternSource:
        made = function()
        subst = made if isinstance(made, Subst) else sourced(made)
        return PatternSource(function.__name__, subst, contexts, dtypes)

    return decorate


def sourced(patterns: Pattern | Sequence[Pattern], where: Sequence[Any] = ()) -> Subst:
    """Return a rule that rewrites patterns to themselves, which stands for a source."""
    return Subst(patterns, patterns, where=list(where), aliases=False)


def made(function: Callable[[Choices], Workload]) -> MadeSource:
    """Make a source of a function that makes graphs of choices."""
    return MadeSource(function.__name__, function)


def chosen(choices: Choices, options: Sequence[Any]) -> Any:
    """Choose one of the options, the simplest of which comes first."""
    return one_of(choices, options)
