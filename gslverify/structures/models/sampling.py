"""Complete models of an instance from preferences about its free symbols.

Definitions are followed directly, so that only free symbols are chosen; where choices violate what
remains, some are changed, or the solver finds the nearest model instead.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gsl.attr.memory import Memory
from gsl.attr.term import Symbol, Term
from gsl.errors import GslError
from gslverify.semantics.solver import Answer, Solver
from gslverify.semantics.terms import UntranslatableError
from gslverify.structures.instance import Claim, Instance
from gslverify.structures.models.compared import as_compared
from gslverify.structures.models.concrete import meets
from gslverify.structures.models.corners import corners_of
from gslverify.structures.models.definitions import Definitions, Options, in_order, read_definitions
from gslverify.structures.models.evaluation import Evaluator
from gslverify.structures.models.reach import LARGEST_SAMPLES, Reach, is_far
from gslverify.structures.models.repair import BOUND, Repair
from gslverify.structures.models.selections import Selections
from gslverify.structures.models.simple_values import simple_values
from gslverify.structures.models.stored import StoredNumbers
from gslverify.structures.models.symbols import (
    are_legal,
    instance_symbols,
    is_constant,
    result_sizes,
)
from gslverify.structures.targets.arms import Arms, Outcome, arms_of, with_all_axes_seen

MOST_PAIRS = 12
"""So many pairs of what chooses in a target are corners."""

SHARE_OF_LIMIT = 8
"""What is asked for each draw, or again, has this part of the limit of what is asked once."""

Preference = Callable[[Symbol, tuple[Any, ...]], Any]
"""Chooses a value for a symbol, among options where the claims list them."""

Demands = tuple[Term, ...]
"""What a model has to meet beside the claims."""


@dataclass(repr=False)
class Sampler:
    """Finds models of one instance: the same preferences have the same model, whatever came before.

    What is remembered follows from the instance alone, and every model that is asked of the solver
    is asked of a new one, because a solver answers differently after other questions.

    The `corners` are conditions under which a rule may be wrong and is rarely tried: a comparison
    of its conditions just about holds, or a target is computed in one of several ways. The last of
    them are `decisive`: they choose between `arms` of the target. The `places` say which
    contexts may surround the structure and `cost` how much an operator in it may compute, 0 while
    nobody has asked; the `order` is that of the definitions, beside which there are `conditions`.
    """

    instance: Instance
    solver: Solver
    definitions: Definitions = field(default_factory=dict)
    free: list[Symbol] = field(default_factory=list)
    options: Options = field(default_factory=dict)
    places: dict[str, bool] = field(default_factory=dict)
    cost: int = 0
    conditions: list[Term] = field(default_factory=list)
    evaluator: Evaluator = field(default_factory=Evaluator)
    reaches: dict[Demands, Reach] = field(default_factory=dict)
    meetable: dict[Term, bool] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Sampler({', '.join(self.instance.names.values())})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # Hypothesis writes down what a rejected draw came from, and prefers all fields.
        printer.text(repr(self))

    def __post_init__(self) -> None:
        symbols = instance_symbols(self.instance)
        read = read_definitions(claim.term for claim in self.instance.claims)
        self.definitions, self.options, self.conditions = read
        self.free = [symbol for symbol in symbols if symbol not in self.definitions]

    @cached_property
    def is_large(self) -> bool:
        """Whether every model has numbers beyond the usual bound."""
        if self.simple_model() is not None or self._is_met_nearby(()):
            return False
        return self.reach(()).bound not in (None, LARGEST_SAMPLES[0])

    @cached_property
    def elements(self) -> Demands:
        """The conditions that no result lacks elements, which not every structure can meet."""
        return tuple(size >= 1 for size in result_sizes(self.instance))

    @cached_property
    def extents(self) -> list[Symbol]:
        """The free symbols that are sizes or other integers of attributes."""
        return [s for s in self.free if s.sort == "int" and not is_constant(s)]

    @cached_property
    def _arms(self) -> Arms:
        return arms_of(self.instance)

    @property
    def arms(self) -> tuple[bool | None, ...]:
        """Which arms of conditional targets the structure takes, None where sizes decide."""
        return tuple(self._arms.taken)

    @property
    def outcomes(self) -> Set[Outcome]:
        """How what is conditional in the target falls; either way where sizes decide."""
        return self._arms.outcomes

    @cached_property
    def way(self) -> Hashable:
        """How the structure decides what is conditional in the target, part by part."""
        return self._arms.way

    @cached_property
    def decisive(self) -> list[tuple[Term, bool]]:
        """The last of the corners, which choose between arms, and how a condition falls there."""
        return self._arms.deciding()

    @cached_property
    def choosing(self) -> list[Term]:
        """The corners that choose how the target is computed, many and two at once."""
        arms = self._arms
        return [*arms.extremes, *arms.rows(), *arms.pairs(MOST_PAIRS)]

    @cached_property
    def ordinary(self) -> list[Term]:
        """The corners that are not decisive, those that choose first."""
        seen = with_all_axes_seen(self.instance)
        return [*self.choosing, *seen, *corners_of(self.instance)]

    @cached_property
    def corners(self) -> list[Term]:
        """The conditions under which the rule may be wrong and is rarely tried."""
        decisive = [demand for demand, _ in self.decisive]
        compared = as_compared(self.instance, self.simple_model())
        return [*self.ordinary, *decisive, *compared]

    @cached_property
    def selections(self) -> Selections:
        """What kernels of the structure select."""
        return Selections(self.instance, self.solver)

    def may_meet(self, demand: Term) -> bool:
        """Tell whether some graph may meet a demand; the solver is asked once."""
        if demand not in self.meetable:
            try:
                may_be = self.solver.check(demand).answer is not Answer.UNSAT
            except UntranslatableError:
                may_be = True
            self.meetable[demand] = may_be
        return self.meetable[demand]

    def simple_model(self) -> dict[Symbol, Any] | None:
        """Return a model in which little differs from the least, if a few attempts find one."""
        found = (
            self._direct(preferences) for preferences in simple_values(self.free, self.options)
        )
        return next((model for model in found if model is not None), None)

    def model(
        self, preference: Preference, may_be_empty: bool = True, demand: Term | None = None
    ) -> dict[Symbol, Any] | None:
        """Return a model near the preferences for the free symbols, or None when none was found.

        Unless it `may_be_empty`, no result of an operator lacks elements if that can be helped;
        a `demand`, such as one of the `corners`, is met if it can be.
        """
        preferences = self._preferences(preference)
        for demands in self._together(may_be_empty, demand):
            found = self._meeting(preferences, demands)
            if found is not None:
                return found
        found = self._direct(preferences)
        if not may_be_empty and (found is None or self._lacks_elements(found)):
            found = self._meeting(preferences, self.elements) or found
        return self._meeting(preferences, ()) if found is None else found

    def _together(self, may_be_empty: bool, demand: Term | None) -> Iterator[Demands]:
        """Yield what is demanded, with elements first if there have to be some."""
        if demand is None or self._is_impossible((demand,)):
            return
        if not may_be_empty and self.elements:
            yield (demand, *self.elements)
        yield (demand,)

    def granted(
        self, preference: Preference, may_be_empty: bool = True, demand: Term | None = None
    ) -> dict[Symbol, Any] | None:
        """Return a model as `model` does if it grants all preferences for the free symbols.

        The solver, which takes a hundred times as long, is not asked.
        """
        return self._granted(self._preferences(preference), may_be_empty, demand)

    def _granted(
        self, preferences: dict[Symbol, Any], may_be_empty: bool, demand: Term | None
    ) -> dict[Symbol, Any] | None:
        found = self._direct(preferences)
        if found is None or (not may_be_empty and self._lacks_elements(found)):
            return None
        return found if demand is None or meets(found, demand) else None

    def near(
        self, preference: Preference, may_be_empty: bool = True, demand: Term | None = None
    ) -> dict[Symbol, Any] | None:
        """Return a model near the preferences that meets as much, without asking the solver."""
        preferences = self._preferences(preference)
        found = self._granted(preferences, may_be_empty, demand)
        demands = (*(() if demand is None else (demand,)), *(() if may_be_empty else self.elements))
        return self._repaired(preferences, demands) if found is None else found

    def _preferences(self, preference: Preference) -> dict[Symbol, Any]:
        return {symbol: preference(symbol, self.options.get(symbol, ())) for symbol in self.free}

    def _meeting(
        self, preferences: dict[Symbol, Any], demands: Demands
    ) -> dict[Symbol, Any] | None:
        """Return a model near preferences that meets demands, with small numbers if that can be."""
        if self._is_impossible(demands):
            return None  # as would come of what follows
        found = self._repaired(preferences, demands)
        bound = self.reach(demands).bound if found is None else None
        if bound is not None and bound > BOUND:
            found = self._repaired(preferences, demands, bound)
        if found is not None or bound is None:
            return found
        try:
            with closing(self.solver.copy(self.solver.limit // SHARE_OF_LIMIT)) as solver:
                return self._solved(preferences, demands, bound, solver)[1]
        except GslError:
            return None

    def _is_impossible(self, demands: Demands) -> bool:
        """Tell whether it has been found out that no model meets demands."""
        known = self.reaches.get(demands)
        return known is not None and known.impossible

    def reach(self, demands: Demands) -> Reach:
        """Return how large numbers have to be for demands to be met, which is asked once."""
        if demands not in self.reaches:
            self.reaches[demands] = self._asked(demands)
        return self.reaches[demands]

    def _asked(self, demands: Demands) -> Reach:
        if self._is_met_nearby(demands):
            return Reach(LARGEST_SAMPLES[0])
        try:
            solver = self.solver.copy(self.solver.limit, alone=False)
        except GslError:
            return Reach(None)
        for bound in LARGEST_SAMPLES:
            answer, found = self._solved({}, demands, bound, solver)
            if answer is not Answer.UNSAT:
                is_met = found is not None or self._is_met_simply(demands, bound, solver)
                return Reach(bound if is_met else None)
            if self._contradict(demands, solver):
                return Reach(None, impossible=True)
        return Reach(None)

    def _contradict(self, demands: Demands, solver: Solver) -> bool:
        """Tell whether no numbers meet demands; where the first is to blame, that is noted."""
        clash = solver.clash(demands)
        if clash is not None and clash <= {0}:
            self.reaches[demands[:1]] = Reach(None, impossible=True)
        return clash is not None

    def _is_met_nearby(self, demands: Demands) -> bool:
        """Tell whether small numbers that meet demands are found near simple ones."""
        for preferences in simple_values(self.free, self.options):
            found = self._repaired(preferences, demands)
            if found is not None and all(found[s] <= LARGEST_SAMPLES[0] for s in self.extents):
                return True
        return False

    def _is_met_simply(self, demands: Demands, bound: int, solver: Solver) -> bool:
        """Tell whether the solver soon finds a model when it is told almost all of it."""
        with solver.within(solver.limit // SHARE_OF_LIMIT):
            models = simple_values(self.free, self.options)
            asked = (self._solved(one, demands, bound, solver, one_by_one=False) for one in models)
            return any(found is not None for _, found in asked)

    def _lacks_elements(self, model: dict[Symbol, Any]) -> bool:
        return any(self.evaluator.value(one, model) is not True for one in self.elements)

    def _direct(self, preferences: dict[Symbol, Any]) -> dict[Symbol, Any] | None:
        model = self._complete(preferences)
        try:
            return None if model is None else self._as_stored(model)
        except GslError:
            return None

    def _as_stored(self, model: dict[Symbol, Any]) -> dict[Symbol, Any] | None:
        """Return a model that satisfies all claims with numbers that its constants can hold."""
        for one in self._stored.near(model):
            free = {symbol: one[symbol] for symbol in one if symbol not in self.definitions}
            whole = model if one is model else self._complete(free)
            if whole is not None and self.satisfies(whole):
                return whole
        return None

    @cached_property
    def _stored(self) -> StoredNumbers:
        return StoredNumbers(self.instance)

    def _complete(self, preferences: dict[Symbol, Any]) -> dict[Symbol, Any] | None:
        """Return values of all symbols, by their definitions, if these give legal ones."""
        model, known = dict(preferences), Memory()
        try:
            for symbol in self.order:
                model[symbol] = self.evaluator.value(self.definitions[symbol], model, known)
        except GslError:
            return None
        return model if are_legal(model) else None

    def _repaired(
        self, preferences: dict[Symbol, Any], demands: Sequence[Term] = (), bound: int = BOUND
    ) -> dict[Symbol, Any] | None:
        """Return a model near the preferences that meets demands, without asking the solver."""
        try:
            found = self._repair.near(preferences, self._complete, demands, bound)
            return None if found is None else self._as_stored(found)
        except GslError:
            return None

    @cached_property
    def _repair(self) -> Repair:
        return Repair(self.conditions, self.definitions, self.options, self.evaluator)

    @cached_property
    def order(self) -> tuple[Symbol, ...]:
        """The symbols that are defined, each after those that its definition needs."""
        return tuple(in_order(self.definitions))

    def satisfies(self, model: dict[Symbol, Any]) -> bool:
        """Tell whether all claims hold in the model, computed in Python."""
        return self._violated(model) is None

    def _violated(self, model: dict[Symbol, Any]) -> Claim | None:
        """Return the first claim that does not hold in a model."""
        known = Memory()
        claims, value = self.instance.claims, self.evaluator.value
        return next((c for c in claims if value(c.term, model, known) is not True), None)

    def obstacle(self, preference: Preference) -> str:
        """Return what is demanded that the preferences for the free symbols do not meet."""
        try:
            model = self._complete(self._preferences(preference))
            claim = None if model is None else self._violated(model)
        except GslError as error:
            return str(error)
        return "what sizes and attributes may be" if claim is None else claim.reason

    def _solved(
        self,
        preferences: dict[Symbol, Any],
        demands: Demands,
        bound: int,
        solver: Solver,
        one_by_one: bool = True,
    ) -> tuple[Answer, dict[Symbol, Any] | None]:
        """Ask a solver for a model near the preferences with numbers up to a bound."""
        beyond = any(map(is_far, demands))
        extents = [s for s in self.extents if not (beyond and s.low is None)]
        most = max(bound, *(preferences.get(extent, 0) for extent in extents), 0)
        limits = [extent <= most for extent in extents]
        try:
            result = solver.near(list(preferences.items()), [*limits, *demands], one_by_one)
            model = {**preferences, **result.model}
            found = self._as_stored(model) if result.answer is Answer.SAT else None
            return result.answer, found
        except GslError:
            return Answer.UNKNOWN, None
