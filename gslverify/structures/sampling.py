"""Complete models of an instance from wishes about its free symbols.

Most constraints of rules are definitions (one size equals another). They are followed directly, so
that only free symbols are chosen; where choices violate what remains, the solver finds the nearest
model instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import cycle
from typing import Any

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import ANYTHING, Constant, Operation, Symbol, Term, subterms
from gsl.errors import GslError
from gslverify.semantics.solver import Answer, Solver
from gslverify.structures.arms import Arms, Outcome, arms_of, either_way
from gslverify.structures.concrete import value_in
from gslverify.structures.corners import corners_of
from gslverify.structures.instance import Instance
from gslverify.structures.repair import Repair
from gslverify.structures.symbols import instance_symbols, is_constant, result_sizes

LARGEST_SAMPLES = (24, 320, 4096)
"""Bounds of the integers in a model; a larger one is tried when no model keeps the one before."""

MOST_PAIRS = 12
"""So many pairs of what chooses in a target are corners."""

MOST_GIVEN_UP = 8
"""How often the solver may give up on the same question, which takes it longest of all."""

Wish = Callable[[Symbol, tuple[Any, ...]], Any]
"""Chooses a value for a symbol, among options where the claims list them."""

Demands = tuple[Term, ...]
"""What a model has to meet beside the claims."""


@dataclass(repr=False)
class Sampler:
    """Finds models of one instance.

    The `corners` are conditions under which a rule may be wrong and is rarely tried: a comparison
    of its conditions just about holds, or a target is computed in one of several ways. The first of
    them, as many as are `decisive`, choose between `arms` of the target. The `obstacles` are the
    claims that attempts failed on, `unmet` the parts of demands that together no model of numbers
    within `LARGEST_SAMPLES` meets; `given_up` says how often the solver could not tell. The
    `places` say which contexts may surround the structure and `work` how much an operator in it may
    compute, 0 while nobody has asked; the `order` is that of the definitions, beside which there
    are `conditions`.
    """

    instance: Instance
    solver: Solver
    definitions: dict[Symbol, Term] = field(default_factory=dict)
    free: list[Symbol] = field(default_factory=list)
    options: dict[Symbol, tuple[Any, ...]] = field(default_factory=dict)
    largest: int = 0
    barren: bool = False
    obstacles: Counter[str] = field(default_factory=Counter)
    places: dict[str, bool] = field(default_factory=dict)
    unmet: list[frozenset[Term]] = field(default_factory=list)
    given_up: Counter[Demands] = field(default_factory=Counter)
    order: tuple[Symbol, ...] = ()
    work: int = 0
    conditions: list[Term] = field(default_factory=list)
    repair: Repair | None = None

    def __repr__(self) -> str:
        return f"Sampler({', '.join(self.instance.names.values())})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # Hypothesis writes down what a rejected draw came from, and prefers all fields.
        printer.text(repr(self))

    def __post_init__(self) -> None:
        symbols = instance_symbols(self.instance)
        for claim in self.instance.claims:
            for conjunct in conjuncts(claim.term):
                if not self._define(conjunct):
                    self.conditions.append(conjunct)
        self.free = [symbol for symbol in symbols if symbol not in self.definitions]
        for symbol, term in self.definitions.items():
            self._narrow(symbol, term)

    @cached_property
    def elements(self) -> list[Term]:
        """The conditions that no result lacks elements, as long as a model may meet them."""
        return [size >= 1 for size in result_sizes(self.instance)]

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

    @property
    def decisive(self) -> int:
        """How many of the corners choose between arms of the target."""
        return 2 * len(self._arms.open)

    @cached_property
    def choosing(self) -> list[Term]:
        """The corners that choose how the target is computed, one by one and two at once."""
        return [*either_way(self._arms.open), *self._arms.extremes, *self._arms.pairs(MOST_PAIRS)]

    @cached_property
    def corners(self) -> list[Term]:
        """The conditions under which the rule may be wrong and is rarely tried."""
        return [*self.choosing, *corners_of(self.instance)]

    def _narrow(self, symbol: Symbol, term: Term) -> None:
        """What a symbol may be restricts the symbol that it is defined to equal."""
        allowed = self.options.get(symbol)
        while isinstance(term, Symbol) and allowed is not None:
            known = self.options.get(term, allowed)
            allowed = self.options[term] = tuple(o for o in known if o in allowed)
            term = self.definitions.get(term, ANYTHING)

    def _define(self, claim: Term) -> bool:
        """Note what a claim says about a symbol; tell whether it is the definition of one."""
        match claim:
            case Operation(head="in", operands=(Symbol() as item, Constant(value=options))):
                known: tuple[Any, ...] = self.options.get(item, tuple(options))
                self.options[item] = tuple(option for option in known if option in options)
            case Operation(head="==", operands=(left, right)):
                for symbol, term in ((left, right), (right, left)):
                    if isinstance(symbol, Symbol) and self._may_define(symbol, term):
                        self.definitions[symbol] = term
                        return True
        return False

    def _may_define(self, symbol: Symbol, term: Term) -> bool:
        return symbol not in self.definitions and symbol not in self._reachable(term)

    def _reachable(self, term: Term) -> set[Symbol]:
        reached: set[Symbol] = set()
        stack = [term]
        while stack:
            for part in subterms(stack.pop()):
                if isinstance(part, Symbol) and part not in reached:
                    reached.add(part)
                    if part in self.definitions:
                        stack.append(self.definitions[part])
        return reached

    def simple_model(self) -> dict[Symbol, Any] | None:
        """Return a model in which little differs from the least, if a few attempts find one."""
        for sizes in SIMPLE_SIZES:
            numbers = cycle(sizes)
            found = self._direct({s: _simple(s, self.options.get(s), numbers) for s in self.free})
            if found is not None:
                return found
        return None

    def model(
        self, wish: Wish, may_be_empty: bool = True, demand: Term | None = None
    ) -> dict[Symbol, Any] | None:
        """Return a model near the wishes for the free symbols, or None when none was found.

        Unless it `may_be_empty`, no result of an operator lacks elements if that can be helped;
        a `demand`, such as one of the `corners`, is met if it can be.
        """
        wishes = self._wishes(wish)
        if demand is not None and not self.barren:
            full = () if may_be_empty else self.elements
            found = self._meeting(wishes, (demand, *full)) if full else None
            found = self._meeting(wishes, (demand,)) if found is None else found
            if found is not None:
                return found
        found = self._direct(wishes)
        if self.barren:
            return found
        if self.elements and not may_be_empty and (found is None or self._lacks_elements(found)):
            answer, better = Answer.SAT, self._repaired(wishes, self.elements)
            if better is None:
                answer, better = self._solved(wishes, self.elements)
            if answer is Answer.UNSAT:
                self.elements.clear()
            found = better or found
        return self._near(wishes) if found is None else found

    def granted(
        self, wish: Wish, may_be_empty: bool = True, demand: Term | None = None
    ) -> dict[Symbol, Any] | None:
        """Return a model as `model` does if it grants all wishes for the free symbols.

        The solver, which takes a hundred times as long, is not asked.
        """
        found = self._direct(self._wishes(wish))
        if found is None or (not may_be_empty and self._lacks_elements(found)):
            return None
        return (
            found if demand is None or self._is_unmet((demand,)) or meets(found, demand) else None
        )

    def mended(self, wish: Wish) -> dict[Symbol, Any] | None:
        """Return a model near the wishes in which no result lacks elements, if one is found.

        As in `granted`, the solver is not asked.
        """
        return self._repaired(self._wishes(wish), self.elements)

    def _wishes(self, wish: Wish) -> dict[Symbol, Any]:
        return {symbol: wish(symbol, self.options.get(symbol, ())) for symbol in self.free}

    def _meeting(self, wishes: dict[Symbol, Any], demands: Demands) -> dict[Symbol, Any] | None:
        """Return a model that meets demands, with small numbers if that can be."""
        if self._is_unmet(demands):
            return None
        repaired = self._repaired(wishes, demands)
        if repaired is not None:
            return repaired
        for largest in LARGEST_SAMPLES[self.largest :]:
            answer, found = self._solved(wishes, demands, largest)
            if answer is not Answer.UNSAT:
                if found is None and self._is_hopeless(demands):
                    self.unmet.append(_parts(demands))
                return found
            if not self._may_hold(demands):
                break
        self.unmet.append(_parts(demands))
        return None

    def _is_unmet(self, demands: Demands) -> bool:
        """Tell whether some of the demands are known not to be met together."""
        parts = _parts(demands)
        return any(known <= parts for known in self.unmet)

    def _may_hold(self, demands: Demands) -> bool:
        try:
            return self.solver.check(*demands).answer is not Answer.UNSAT
        except GslError:
            return True

    def _near(self, wishes: dict[Symbol, Any]) -> dict[Symbol, Any] | None:
        """Return the model nearest to the wishes; where there is none, do not ask again."""
        repaired = self._repaired(wishes)
        if repaired is not None:
            return repaired
        answer, found = self._solved(wishes)
        while answer is Answer.UNSAT and self.largest + 1 < len(LARGEST_SAMPLES):
            self.largest += 1
            answer, found = self._solved(wishes)
        self.barren = answer is Answer.UNSAT or (found is None and self._is_hopeless(()))
        return found

    def _is_hopeless(self, demands: Demands) -> bool:
        """Tell whether the solver gave up so often that it is not worth asking again."""
        self.given_up[demands] += 1
        return self.given_up[demands] >= MOST_GIVEN_UP

    def _lacks_elements(self, model: dict[Symbol, Any]) -> bool:
        return any(value_in(one, model) is not True for one in self.elements)

    def _direct(self, wishes: dict[Symbol, Any]) -> dict[Symbol, Any] | None:
        model = self._complete(wishes)
        try:
            return model if model is not None and self.satisfies(model) else None
        except GslError:
            return None

    def _complete(self, wishes: dict[Symbol, Any]) -> dict[Symbol, Any] | None:
        """Return values of all symbols, by their definitions, if these give legal ones."""
        model, known = dict(wishes), dict[Term, Any]()
        if not self.order:
            self.order = tuple(self.defined_in_order())
        try:
            for symbol in self.order:
                model[symbol] = value_in(self.definitions[symbol], model, known)
        except GslError:
            return None
        return model if all(_within(symbol, value) for symbol, value in model.items()) else None

    def _repaired(
        self, wishes: dict[Symbol, Any], demands: Sequence[Term] = ()
    ) -> dict[Symbol, Any] | None:
        """Return a model near the wishes that meets demands, without asking the solver."""
        if self.repair is None:
            self.repair = Repair(self.conditions, self.definitions, self.options)
        try:
            found = self.repair.near(wishes, self._complete, demands)
            return found if found is not None and self.satisfies(found) else None
        except GslError:
            return None

    def defined_in_order(self) -> Iterator[Symbol]:
        """Yield the symbols that are defined, each after those that its definition needs."""
        done: set[Symbol] = set()
        stack = list(reversed(self.definitions))
        while stack:
            symbol = stack[-1]
            below = [
                part
                for part in subterms(self.definitions[symbol])
                if isinstance(part, Symbol) and part in self.definitions and part not in done
            ]
            if below and symbol not in done:
                stack.extend(below)
                continue
            stack.pop()
            if symbol not in done:
                done.add(symbol)
                yield symbol

    def satisfies(self, model: dict[Symbol, Any]) -> bool:
        """Tell whether all claims hold in the model, computed in Python."""
        known: dict[Term, Any] = {}
        for claim in self.instance.claims:
            if value_in(claim.term, model, known) is not True:
                self.obstacles[claim.reason] += 1
                return False
        return True

    def _solved(
        self, wishes: dict[Symbol, Any], demands: Sequence[Term] = (), largest: int = 0
    ) -> tuple[Answer, dict[Symbol, Any] | None]:
        is_far = any(map(_is_far, demands))
        extents = [s for s in wishes if _is_extent(s) and not (is_far and s.low is None)]
        bound = largest or LARGEST_SAMPLES[self.largest]
        most = max(bound, *(wishes[extent] for extent in extents), 0)
        limits = [extent <= most for extent in extents]
        try:
            result = self.solver.near(list(wishes.items()), [*limits, *demands])
            model = {**wishes, **result.model}
            is_model = result.answer is Answer.SAT and self.satisfies(model)
            return result.answer, model if is_model else None
        except GslError:
            return Answer.UNKNOWN, None


def _parts(demands: Demands) -> frozenset[Term]:
    return frozenset(part for demand in demands for part in conjuncts(demand))


def meets(model: dict[Symbol, Any], condition: Term) -> bool:
    """Tell whether a condition has a value in a model, and holds."""
    try:
        return value_in(condition, model) is True
    except GslError:
        return False


SIMPLE_SIZES = ((2,), (1,), (4,), (2, 3, 4, 5))
"""Sizes that are tried one after the other, and again from the start when there are more."""


def _simple(symbol: Symbol, options: tuple[Any, ...] | None, sizes: Iterator[int]) -> Any:
    if options:
        return options[0]
    if symbol.sort in ("text", "bool"):
        return "float32" if symbol.sort == "text" else False
    if symbol.sort == "real" or symbol.low is None:
        return 1.0 if symbol.sort == "real" else 1
    return next(sizes) if ".shape[" in symbol.name else int(symbol.low)


def _is_extent(symbol: Symbol) -> bool:
    return symbol.sort == "int" and not is_constant(symbol)


def _is_far(demand: Term) -> bool:
    """Tell whether a demand mentions a number that no size is as large as."""
    numbers = (part.value for part in subterms(demand) if isinstance(part, Constant))
    return any(type(n) is int and abs(n) > LARGEST_SAMPLES[-1] for n in numbers)


_KINDS: Mapping[str, tuple[type, ...]] = {
    "int": (int,),
    "real": (float, int),
    "bool": (bool,),
    "text": (str,),
}


def _within(symbol: Symbol, value: Any) -> bool:
    if type(value) not in _KINDS[symbol.sort]:
        return False
    low = symbol.low is None or value >= symbol.low
    return bool(low and (symbol.high is None or value <= symbol.high))
