"""The conditions of a rule, evaluated as soon as what they read is bound.

A condition over two ranks refuses a structure when the second rank is decided, whatever else is
still open. Conjunctions are taken apart, over fields of variadic patterns as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gsl.attr.conjuncts import conjuncts
from gsl.attr.evaluate import (
    conjunction,
    disjunction,
    evaluate,
    evaluate_in_cases,
    field_count,
)
from gsl.attr.memory import Memory
from gsl.attr.term import Access, Operation, Reduce, Symbol, Term, Value
from gsl.errors import EvaluationError, UndecidedError
from gsl.match.bindings import Bindings, Key, Scope, instance_of
from gsl.pat import Alt, GetInst, Pattern, Variadic
from gsl.span import Origin
from gsl.subst import Subst
from gsl.text.terms import term_text
from gslverify.structures.decisions import Decisions, every_way

Place = tuple[int, Key]
"""A key of one of the tables of bindings, which is named by its identity."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A part of a condition, in which some symbols stand for numbers.

    It is one `of_the_rule`, or only tells which structures are looked for.
    """

    term: Term
    reason: str
    origin: Origin | None
    symbols: Mapping[Symbol, int] = field(default_factory=dict)
    of_the_rule: bool = True


def conditions_of(subst: Subst, names: dict[Pattern, str]) -> list[Condition]:
    """Return what a rule asks for with `where`, taken apart, each part with the whole as reason."""
    found = []
    for term in subst.where:
        reason = f"the condition `{term_text(term, names)}`"
        origin = getattr(term, "origin", None) or subst.origin
        found += [Condition(part, reason, origin) for part in conjuncts(term)]
    return found


def looked_for(terms: Iterable[Term]) -> list[Condition]:
    """Return what holds of the structures that are looked for, taken apart."""
    parts = (part for term in terms for part in conjuncts(term))
    return [Condition(part, "not looked for", None, of_the_rule=False) for part in parts]


class UnboundError(Exception):
    """A condition reads what is not bound yet."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place


@dataclass(frozen=True, slots=True)
class _Reading(Scope):
    """A scope that notes what is read, and stops where it is not bound."""

    read: dict[Place, None] = field(default_factory=dict)

    def access(self, term: Access) -> Any:
        """Return the value of an attribute; raise UnboundError if it has none yet."""
        for place, is_bound in self._places(term.pattern, term.name):
            if not is_bound:
                raise UnboundError(place)
            self.read[place] = None
        return self.bindings.attribute(term.pattern, term.name, self)

    def _places(self, pattern: Pattern, name: str) -> Iterable[tuple[Place, bool]]:
        bound = self.bindings
        if isinstance(pattern, GetInst):
            fields = instance_of(pattern.variadic, self.frame)
            yield (id(bound.lengths), fields), fields in bound.lengths
            yield from self._places_of_index(pattern)
        key = bound.locate(pattern, self)
        table: dict[Key, Any] = bound.nodes
        if isinstance(key[0], Variadic) and name == "length":
            table = bound.lengths
        elif isinstance(key[0], Alt) and name == "arm":
            table = bound.arms
        yield (id(table), key), key in table

    def _places_of_index(self, pattern: GetInst) -> Iterable[tuple[Place, bool]]:
        template = pattern.template
        if isinstance(template, GetInst):
            yield from self._places(template, "")

    def bind(self, symbol: Symbol, value: Any) -> _Reading:
        """Return this scope with one more symbol, noting what is read in the same place."""
        return replace(self, symbols={**self.symbols, symbol: value})


Claim = Callable[[Any, Condition, Iterable[Place]], None]
"""Told what a condition is worth, and what it has read."""


class Waiting:
    """The conditions of a source that wait for what they read.

    `claim` is told the value of each; `on_undo` takes back what a binding has changed here.
    """

    def __init__(
        self,
        conditions: Iterable[Condition],
        bindings: Bindings,
        claim: Claim,
        on_undo: Callable[[Callable[[], object]], None],
    ) -> None:
        self._bindings = bindings
        self._claim = claim
        self._on_undo = on_undo
        self._by_place: dict[Place, list[Condition]] = {}
        self._first = list(conditions)
        self.undecided: list[tuple[str, Condition]] = []

    def start(self) -> None:
        """Evaluate what reads nothing, and have the rest wait."""
        first, self._first = self._first, []
        for condition in first:
            self._examine(condition)

    def wake(self, table: dict[Key, Any], key: Key) -> None:
        """Evaluate what has waited for a key of a table of bindings; raises what a claim raises."""
        place = id(table), key
        woken = self._by_place.pop(place, None)
        if woken is None:
            return
        self._on_undo(lambda: self._by_place.__setitem__(place, woken))
        for condition in woken:
            self._examine(condition)

    def left(self) -> list[Condition]:
        """Return what reads a pattern that is not bound in the finished build."""
        return [condition for waiting in self._by_place.values() for condition in waiting]

    def _examine(self, whole: Condition) -> None:
        stack = [whole]
        while stack:
            one = stack.pop()
            reading = _Reading(self._bindings, None, one.symbols)
            try:
                fields = _fields(one, reading)
                if fields is not None:
                    stack += fields
                    continue
                value = _value(one.term, reading)
            except UnboundError as error:
                parts = _parts(one)
                if parts:
                    stack += parts
                else:
                    self._wait(error.place, one)
            except UndecidedError as error:
                if one.of_the_rule:
                    self.undecided.append((str(error), one))
                    self._on_undo(self.undecided.pop)
            except EvaluationError as error:
                self._claim(False, replace(one, reason=str(error)), reading.read)
            else:
                self._claim(value, one, reading.read)

    def _wait(self, place: Place, condition: Condition) -> None:
        waiting = self._by_place.setdefault(place, [])
        waiting.append(condition)
        self._on_undo(waiting.pop)


def _parts(one: Condition) -> list[Condition]:
    if isinstance(one.term, Operation) and one.term.head == "and":
        return [replace(one, term=part) for part in reversed(one.term.operands)]
    return []


def _fields(one: Condition, reading: _Reading) -> list[Condition] | None:
    """Return what is demanded of each field, of which the number is known."""
    term = one.term
    if not isinstance(term, Reduce) or term.head != "and":
        return None
    count = evaluate(term.length, reading)
    if isinstance(count, Term):
        return None
    places = reversed(range(field_count(count)))
    known = [{**one.symbols, term.symbol: place} for place in places]
    return [replace(one, term=term.body, symbols=symbols) for symbols in known]


def _value(term: Term, reading: _Reading) -> Value:
    """Return the value of a term; where sizes decide, of a condition in every case."""
    try:
        return evaluate(term, reading)
    except UndecidedError:
        ways = every_way(lambda decisions: _value_in(term, reading, decisions))
        return disjunction(*(conjunction(*path, value) for value, path in ways))


def _value_in(term: Term, reading: _Reading, decisions: Decisions) -> Value:
    """Return the value of a condition in one case; without a value it does not hold."""
    try:
        return evaluate_in_cases(term, reading, Memory(), decisions.pick)
    except EvaluationError:
        return False
