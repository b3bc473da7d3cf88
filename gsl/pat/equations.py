"""Equations between what a match has bound and what may be added to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from gsl.attr.conjuncts import conjuncts, disjuncts
from gsl.attr.term import ANYTHING, Access, Operation, Term, free_symbols, subterms
from gsl.pat.pattern import Call, Pattern, SameOperator


@dataclass(frozen=True, slots=True, eq=False)
class Equation:
    """`left`, about what is bound before, equals `right`, about the candidate, unless a guard."""

    left: Term
    right: Term
    guards: tuple[Term, ...] = ()


def patterns_of(term: Term) -> frozenset[Pattern]:
    """Return the patterns of which `term` mentions attributes."""
    return frozenset(part.pattern for part in subterms(term) if isinstance(part, Access))


def equations(
    patterns: Collection[Pattern], conditions: Iterable[Term], before: Collection[Pattern]
) -> list[Equation]:
    """Return the equations between `patterns`, of a candidate, and those bound before.

    They come from the constraints of `patterns` and from `conditions`.
    """
    sides = _Sides(frozenset(before), frozenset(patterns))
    found = [
        Equation(left, right)
        for pattern in patterns
        for left, right in _constraints(pattern)
        if sides.is_before(left)
    ]
    parts = (part for condition in conditions for part in conjuncts(condition))
    return found + [equation for part in parts for equation in sides.guarded(part)]


@dataclass(frozen=True, slots=True)
class _Sides:
    """The patterns that are bound before a candidate, and those of the candidate."""

    before: frozenset[Pattern]
    candidate: frozenset[Pattern]

    def is_before(self, term: Term) -> bool:
        return patterns_of(term) <= self.before and not free_symbols(term)

    def is_candidate(self, term: Term) -> bool:
        patterns = patterns_of(term)
        return bool(patterns) and patterns <= self.candidate and not free_symbols(term)

    def guarded(self, part: Term) -> Iterator[Equation]:
        """Yield the equation `left == right`, or `guard | ... | left == right`, if it is one."""
        parts = list(disjuncts(part))
        guards = tuple(one for one in parts if self.is_before(one))
        others = [one for one in parts if not self.is_before(one)]
        for one in others if len(others) == 1 else ():
            if isinstance(one, Operation) and one.head == "==":
                left, right = one.operands
                if self.is_candidate(left):
                    left, right = right, left
                if self.is_before(left) and self.is_candidate(right):
                    yield Equation(left, right, guards)


def _constraints(pattern: Pattern) -> Iterator[tuple[Term, Term]]:
    for name, term in pattern.constraints.items():
        if name != "value" and not any(part is ANYTHING for part in subterms(term)):
            yield term, Access(pattern, name)
    if isinstance(pattern, Call) and isinstance(pattern.callee, SameOperator):
        yield Access(pattern.callee.call, "operator"), Access(pattern, "operator")


def compared(output: Pattern, known: Collection[Pattern]) -> list[Pattern]:
    """Return the patterns by which candidates for an output are told apart: it and its operands."""
    return [p for p in dict.fromkeys((*output.operands, output)) if p not in known]


def is_bound(output: Pattern, conditions: Iterable[Term], before: Collection[Pattern]) -> bool:
    """Tell whether an attribute of an output or its operands has to equal one of `before`."""
    found = equations(compared(output, before), conditions, before)
    return any(patterns_of(one.left) and not one.guards for one in found)
