"""Preferences that violate a claim are changed one after the other, until all claims hold.

Most claims that preferences violate are met by another value of one symbol: a size that has to
broadcast to another, a dtype of the same kind, the end of a slice. A solver takes a hundred times
as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from gsl.attr.memory import Memory
from gsl.attr.term import Constant, Operation, Symbol, Term, subterms
from gsl.errors import GslError
from gslverify.structures.models.definitions import in_order, reachable
from gslverify.structures.models.evaluation import Evaluator
from gslverify.structures.models.symbols import is_within

Model = dict[Symbol, Any]
Complete = Callable[[Model], Model | None]
"""Returns a model in which the definitions hold, None where one of them has no legal value."""

MOST_CHANGES = 32
MUCH_WORSE = -(2**31)
NUMBERS = tuple(range(9))
MOST_TRIES = 400
"""How many values are tried at most, for all changes together."""
BOUND = 24
"""What sizes and attributes are kept below where nothing demands larger ones."""


class Repair:
    """Knows the conditions of an instance and the free symbols that each of them depends on."""

    def __init__(
        self,
        conditions: Sequence[Term],
        definitions: Mapping[Symbol, Term],
        options: Mapping[Symbol, tuple[Any, ...]],
        evaluator: Evaluator | None = None,
    ) -> None:
        self._evaluator = evaluator or Evaluator()
        self._definitions = definitions
        self._options = options
        self._conditions = tuple(conditions)
        self._reached: dict[Term, dict[Symbol, None]] = {}
        self._dependent: dict[Symbol, list[int]] = {}
        self._defined: dict[Term, tuple[Symbol, ...]] = {}

    def near(
        self,
        preferences: Model,
        complete: Complete,
        demands: Sequence[Term] = (),
        bound: int = BOUND,
    ) -> Model | None:
        """Return a model that meets all conditions and `demands`; None when none was found.

        Preferences are dropped only for conditions that they violate. Sizes and attributes do not
        become larger than `bound`, unless they are preferred.
        """
        conditions = (*self._conditions, *demands)
        turn = sum(value for value in preferences.values() if type(value) is int)
        free, tries = dict(preferences), MOST_TRIES
        model = complete(free)
        unmet = [] if model is None else self._unmet(conditions, range(len(conditions)), model)
        for _ in range(MOST_CHANGES):
            if model is None or not unmet:
                return model
            first = conditions[unmet[0]]
            best: tuple[int, Symbol, Model] | None = None
            for symbol, value in self._changes(first, model, turn, bound):
                tries -= 1
                chosen = {**free, symbol: value}
                changed = complete(chosen) if self._may_hold(first, chosen) else None
                gain = 0
                if changed is not None:
                    touched = self._touched(symbol, demands)
                    gain = self._gain(changed, unmet, conditions, touched)
                if changed is not None and gain > MUCH_WORSE and (not best or gain > best[0]):
                    best = gain, symbol, changed
                if gain > 0 or not tries:
                    break
            if best is None or not tries:
                return None
            _, symbol, model = best
            free[symbol] = model[symbol]
            affected = sorted({*unmet, *self._touched(symbol, demands)})
            unmet = self._unmet(conditions, affected, model)
        return None

    def _unmet(self, conditions: Sequence[Term], numbers: Iterable[int], model: Model) -> list[int]:
        """Return the numbers of those conditions that do not hold in a model."""
        known = Memory()
        return [number for number in numbers if not self._holds(conditions[number], model, known)]

    def _touched(self, symbol: Symbol, demands: Sequence[Term]) -> list[int]:
        """Return the numbers of the conditions, and then demands, that depend on a symbol."""
        if not self._dependent:
            for number, condition in enumerate(self._conditions):
                for one in self._free(condition):
                    self._dependent.setdefault(one, []).append(number)
        demanded = enumerate(demands, len(self._conditions))
        return [
            *self._dependent.get(symbol, ()),
            *(number for number, demand in demanded if symbol in self._free(demand)),
        ]

    def _may_hold(self, condition: Term, chosen: Model) -> bool:
        """Tell whether a condition holds by what it depends on alone, which is known soon."""
        model, known = dict(chosen), Memory()
        try:
            for symbol in self._below(condition):
                model[symbol] = self._evaluator.value(self._definitions[symbol], model, known)
        except GslError:
            return False
        return self._holds(condition, model, known)

    def _below(self, condition: Term) -> tuple[Symbol, ...]:
        """Return the defined symbols on which a condition depends, each after those it needs."""
        found = self._defined.get(condition)
        if found is None:
            reached = reachable(condition, self._definitions)
            needed = {s: self._definitions[s] for s in reached if s in self._definitions}
            found = self._defined[condition] = tuple(in_order(needed))
        return found

    def _gain(
        self,
        changed: Model,
        unmet: Sequence[int],
        conditions: Sequence[Term],
        touched: Sequence[int],
    ) -> int:
        """Return how many conditions more hold after a change that touched some, if the first does.

        Conditions are given by their numbers.
        """
        known = Memory()
        if not self._holds(conditions[unmet[0]], changed, known):
            return MUCH_WORSE
        held = [number for number in touched if number not in unmet]
        lost = sum(not self._holds(conditions[number], changed, known) for number in held)
        return sum(self._holds(conditions[number], changed, known) for number in unmet) - lost

    def _changes(
        self, condition: Term, model: Model, turn: int, bound: int
    ) -> Iterator[tuple[Symbol, Any]]:
        """Yield other values for the symbols of a condition; where to begin depends on `turn`."""
        symbols = tuple(self._free(condition))
        likely = list(dict.fromkeys(self._values_in(condition, model)))
        for symbol in _rotated(symbols, turn):
            for value in _rotated(self._values(symbol, likely, model, bound), turn):
                if value != model[symbol]:
                    yield symbol, value

    def _values(self, symbol: Symbol, likely: Sequence[Any], model: Model, bound: int) -> list[Any]:
        if symbol in self._options:
            return list(self._options[symbol])
        if symbol.sort == "bool":
            return [False, True]
        if symbol.sort == "int":
            most = max(bound, model[symbol]) if symbol.low is not None else bound
            numbers = [n for n in likely if type(n) is int]
            beside = [near for n in numbers for near in (n, n - 1, n + 1) if near <= most]
            return [n for n in dict.fromkeys((*beside, *NUMBERS)) if is_within(symbol, n)]
        if symbol.sort == "text":
            return [value for value in likely if type(value) is str]
        reals = [float(value) for value in likely if type(value) in (int, float)]
        return [value for value in dict.fromkeys(reals) if is_within(symbol, value)]

    def _holds(self, condition: Term, model: Model, known: Memory) -> bool:
        try:
            return self._evaluator.value(condition, model, known) is True
        except GslError:
            return False

    def _values_in(self, condition: Term, model: Model) -> Iterator[Any]:
        """Yield what the sides of comparisons in a condition are, and all that it mentions."""
        for part in subterms(condition):
            match part:
                case Constant(value=tuple() as values):
                    yield from values
                case Constant(value=value):
                    yield value
                case Symbol() if part in model:
                    yield model[part]
                case Operation(head="==" | "<" | "<=" | ">" | ">=", operands=sides):
                    for side in sides:
                        try:
                            yield self._evaluator.value(side, model)
                        except GslError:
                            continue

    def _free(self, term: Term) -> dict[Symbol, None]:
        """Return the symbols that a term depends on, through definitions."""
        known = self._reached.get(term)
        if known is None:
            reached = reachable(term, self._definitions)
            known = {symbol: None for symbol in reached if symbol not in self._definitions}
            self._reached[term] = known
        return known


def _rotated(values: Sequence[Any], turn: int) -> Iterator[Any]:
    start = turn % len(values) if values else 0
    yield from values[start:]
    yield from values[:start]
