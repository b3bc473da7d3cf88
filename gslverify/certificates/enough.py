"""Finds the few facts from which a condition follows: certificates name them, z3 gets no others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gsl.attr.evaluate import negation
from gsl.attr.term import Constant, Operation, Symbol, Term
from gslverify.certificates.checker import Asked, Checker, conditions_of, decided
from gslverify.certificates.combining import Combining
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.indices import Indices
from gslverify.certificates.inputs import is_seen
from gslverify.certificates.laws import LAWS, Step
from gslverify.certificates.lemmas import Way, clashes
from gslverify.prove.indices.cone import conjuncts, connected, shape_of
from gslverify.semantics.solver import Solver
from gslverify.semantics.terms import UntranslatableError

MOST_TRIED = 16
"""Facts without which it is tried where z3 does not say which of them clash."""


COMBINING = Combining()


@dataclass(slots=True)
class Searching(Asked):
    """Asks z3, and which of the facts it needed; questions of the same form have one answer."""

    needed: dict[Any, tuple[int, ...] | None] = field(default_factory=dict)
    known_ways: dict[Any, tuple[Way, ...]] = field(default_factory=dict)

    def ways(self, goal: Any, facts: Sequence[Any]) -> tuple[Way, ...]:
        """Return how a goal follows from facts by sums of products, nothing where z3 is asked."""
        if not (isinstance(goal, Term) or goal is False) or is_seen(goal, facts):
            return ()
        if any(fact is False for fact in facts):
            return ()
        goals, given = ([one for one in some if isinstance(one, Term)] for some in ([goal], facts))
        key = len(goals), shape_of([*goals, *given])
        if key not in self.known_ways:
            self.known_ways[key] = COMBINING.ways(goal, given) or ()
        ways = self.known_ways[key]
        return ways if ways and clashes(ways, goal, given, Indices(0)) else ()

    def enough(self, goal: Any, facts: Sequence[Any]) -> tuple[int, ...] | None:
        """Return the numbers of facts that a goal follows from, None where it is not shown.

        The `goal` is False where facts must clash.
        """
        if not isinstance(goal, Term) and goal:
            return ()
        parts = conjuncts([goal])
        if len(parts) > 1:
            found = [self.enough(one, facts) for one in parts]
            used = {number for few in found for number in few or ()}
            return None if None in found else tuple(sorted(used))
        for number, fact in enumerate(facts):
            if fact is False or is_seen(goal, (fact,)):
                return (number,)
        numbers = [number for number, fact in enumerate(facts) if isinstance(fact, Term)]
        given = [facts[number] for number in numbers]
        goals = [goal] if isinstance(goal, Term) else []
        if goals:
            inside = connected(goals, given)
            numbers, given = [numbers[n] for n in inside], [given[n] for n in inside]
        key = len(goals), shape_of([*goals, *given])
        if key not in self.needed:
            self.needed[key] = self._few(goal, given) if self.shows(goal, given) else None
        few = self.needed[key]
        return None if few is None else tuple(numbers[n] for n in few)

    def _few(self, goal: Any, given: Sequence[Term]) -> tuple[int, ...]:
        """Return the numbers of few facts that are enough, of some that are."""
        if is_seen(goal, given):
            few = [n for n, fact in enumerate(given) if _is_about_symbols(fact)]
            for one in tuple(few):
                less = [n for n in few if n != one]
                few = less if is_seen(goal, [given[n] for n in less]) else few
            return tuple(few)
        solver = Solver((), self.limit, self.context, ideal=True)
        opposite = [negation(goal)] if isinstance(goal, Term) else []
        try:
            clashing = solver.clash([*given, *opposite])
        except UntranslatableError:
            clashing = None
        if clashing is not None:
            few = sorted(clashing - {len(given)})
            if self.shows(goal, [given[n] for n in few]):
                return tuple(few)
        few = list(range(len(given)))
        for one in range(min(len(given), MOST_TRIED)):
            less = [n for n in few if n != one]
            few = less if self.shows(goal, [given[n] for n in less]) else few
        return tuple(few)


def with_facts(step: Step, checker: Checker) -> Step:
    """Return a step with the facts that its conditions follow from; raise RefusedError."""
    law = LAWS.get(step.law)
    shown = conditions_of(law(checker.elements, step)) if law else decided(step)
    asked = checker.asked
    assert isinstance(asked, Searching)
    found, ways = [], []
    for given, condition in shown:
        facts = checker.facts(step, given)
        used = asked.enough(condition, facts)
        if used is None:
            raise RefusedError(f"`{step.law}` asks for what is not shown: {condition!r}")
        found.append(used)
        ways.append(asked.ways(condition, [facts[number] for number in used]))
    return replace(step, facts=tuple(found), ways=tuple(ways))


def _is_about_symbols(fact: Term) -> bool:
    match fact:
        case Operation(head="in" | "==", operands=(Symbol(), Symbol() | Constant())):
            return True
    return False
