"""The structures of a rule that some graph has, as objects to work with and as plain numbers.

Waves of stages may run in different processes. What the stage "satisfiable" worked out is handed
on as the choices that lead to the structures, from which these are made anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any, NamedTuple

from gsl.subst import Subst
from gslverify.semantics.solver import Context, Solver, new_context
from gslverify.settings import Settings
from gslverify.structures.arithmetic.implied import Consequences
from gslverify.structures.choices import Steps
from gslverify.structures.instance import Extent, Instance
from gslverify.structures.models.emptied import emptied
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.variants import Variant

Choices = Sequence[tuple[tuple[Any, ...], tuple[int, ...]]]
"""Of each structure its extent, as the fields of `Extent`, and the choices that lead to it."""


class Plan(NamedTuple):
    """What `planned` makes scenarios of: as in `Scenarios`, but choices for the structures."""

    complete: bool
    structures: int
    feasible: Choices
    large: Choices = ()
    empty: Choices = ()
    open: tuple[str, ...] = ()
    in_parts: bool = False
    all_ranks: bool = False
    proved: bool = False


@dataclass(slots=True)
class Scenario:
    """A structural variant that some graph has, with a solver that knows its claims."""

    variant: Variant
    instance: Instance
    solver: Solver
    sampler: Sampler

    @property
    def consequences(self) -> Consequences:
        """What follows from the claims without asking the solver."""
        claims = [claim.term for claim in self.instance.claims]
        return Consequences(claims, self.sampler.definitions)


@dataclass(slots=True)
class Scenarios:
    """The variants of a rule that later stages examine, and whether these are all.

    `large` are a few of more axes or fields than the usual ones. Graphs have the `empty` ones only
    where a tensor has no elements; if there are no others, they are the feasible ones. `open` says
    what is not known of structures within the bound: of each whether some graph has it, or what it
    is. Where a rule was shown right `in_parts`, maybe for `all_ranks`, the feasible ones are a
    selection. In those of a rule that is `proved` its sides are equal in exact arithmetic.
    """

    feasible: list[Scenario]
    complete: bool
    structures: int
    large: list[Scenario]
    empty: list[Scenario] = field(default_factory=list)
    open: tuple[str, ...] = ()
    in_parts: bool = False
    all_ranks: bool = False
    proved: bool = False

    @property
    def only_empty(self) -> bool:
        """Whether only graphs match in which a tensor has no elements."""
        return any(not one.variant.extent.least_size for one in self.feasible)

    def plan(self) -> tuple[Any, ...]:
        """Return the values of the plan of which `planned` makes these scenarios.

        They are plain, as what processes send to each other is.
        """
        plan = Plan(
            self.complete,
            self.structures,
            _choices(self.feasible),
            _choices(self.large),
            _choices(self.empty),
            self.open,
            self.in_parts,
            self.all_ranks,
            self.proved,
        )
        return tuple(plan)


def _choices(scenarios: Iterable[Scenario]) -> Choices:
    variants = [scenario.variant for scenario in scenarios]
    return tuple((astuple(one.extent), one.choices) for one in variants)


def planned(subst: Subst, values: Iterable[Any], settings: Settings) -> Scenarios:
    """Return the scenarios of the values of a plan, with solvers that were not asked anything."""
    plan = Plan(*values)
    first = _made(subst, plan.feasible, settings.solver_limit)
    others = _made(subst, plan.large, settings.solver_limit // 10)
    empty = _made(subst, plan.empty, settings.solver_limit)
    known = tuple(plan.open), plan.in_parts, plan.all_ranks, plan.proved
    return Scenarios(first, plan.complete, plan.structures, others, empty, *known)


def _made(subst: Subst, numbers: Choices, limit: int) -> list[Scenario]:
    context, steps = new_context(), defaultdict[Extent, Steps](Steps)
    extents = [(Extent(*extent), choices) for extent, choices in numbers]
    variants = [Variant(choices, extent, steps[extent]) for extent, choices in extents]
    return [scenario_of(subst, variant, limit, context) for variant in variants]


def emptied_scenario(scenario: Scenario, steps: Steps, context: Context) -> Scenario:
    """Return the scenario with sizes that may be 0, and a solver that nobody has asked."""
    sampler = emptied(scenario.sampler, steps, context)
    return Scenario(scenario.variant, sampler.instance, sampler.solver, sampler)


def scenario_of(subst: Subst, variant: Variant, limit: int, context: Any) -> Scenario:
    """Return a scenario whose solver shares a context and has a limit for each question."""
    instance = variant.instance(subst)
    solver = Solver([claim.term for claim in instance.claims], limit, context)
    return Scenario(variant, instance, solver, Sampler(instance, solver))
