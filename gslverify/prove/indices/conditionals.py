"""Canonical forms of conditionals: terms with one value where a condition holds, and another.

An index into a tensor that is broadcast is such a term, and so is each size of what a broadcast
makes: after ten of them in a row an index is ten conditionals within each other; most decide
nothing that was not decided before.
"""

from __future__ import annotations

from collections.abc import Hashable, Set
from typing import Any

from gslverify.prove.effort import Effort
from gslverify.prove.indices.conditions import decided, joined, opposite
from gslverify.prove.indices.ranges import Ranges
from gslverify.structures.arithmetic.polynomials import (
    ONE,
    ZERO,
    Poly,
    add,
    frozen,
    replaced,
    signless,
)

Conditional = tuple[Hashable, tuple[Poly, Poly]]
"""The form of a condition, and the value where it holds and elsewhere."""


class Conditionals:
    """The conditionals among the atoms of one scenario, simplified."""

    def __init__(self, ranges: Ranges, effort: Effort) -> None:
        self._ranges = ranges
        self._effort = effort
        self._known: dict[int, Conditional] = {}
        self._equations: dict[Poly, Hashable] = {}

    def note(self, atom: int, conditional: Conditional) -> None:
        """Note what an atom is."""
        self._known[atom] = conditional

    def simplified(self, condition: Hashable, then: Poly, otherwise: Poly) -> Poly | Conditional:
        """Return the one value of a conditional, or one that decides as little as may be.

        if p: a, else if q: a, else b is the same as if p or q: a, else b.
        """
        if isinstance(condition, bool):
            return then if condition else otherwise
        if then == otherwise or self._agree_where(condition, then, otherwise):
            return otherwise
        inner = self._conditional(otherwise)
        if inner is not None and inner[1][0] == then:
            condition = joined("or", [condition, inner[0]])
            return self.simplified(condition, then, inner[1][1])
        return condition, (then, otherwise)

    def equation(self, difference: Poly) -> Hashable:
        """Return the form of the condition that a polynomial is 0.

        A size that a broadcast makes is 1 where both sizes are: (if a = 1: b, else a) = 1.
        """
        if difference not in self._equations:
            self._equations[difference] = self._equation(difference)
        return self._equations[difference]

    def _equation(self, difference: Poly) -> Hashable:
        unknown = [mono for mono, _ in difference if mono]
        if len(unknown) == 1 and len(unknown[0]) == 1:
            ((atom,),) = unknown
            if atom in self._known:
                condition, values = self._known[atom]
                then, otherwise = (self.equation(replaced(difference, atom, v)) for v in values)
                if otherwise is False or otherwise == condition:
                    return joined("and", [condition, then])
                if then is False or then == opposite(condition):
                    return joined("and", [opposite(condition), otherwise])
        return decided("eq", signless(difference))

    def _conditional(self, poly: Poly) -> Conditional | None:
        """Return the conditional that a polynomial is, None if it is anything else."""
        if len(poly) != 1:
            return None
        ((mono, number),) = poly
        return self._known.get(mono[0]) if len(mono) == 1 and number == 1 else None

    def _agree_where(self, condition: Hashable, then: Poly, otherwise: Poly) -> bool:
        """Tell whether two forms become one where a condition holds, such as that a size is 1."""
        if not isinstance(condition, tuple) or condition[0] not in ("eq", "and"):
            return False
        if condition[0] == "eq":
            return self._agree_by(condition, then, otherwise)
        then, otherwise = (self._decided_by(condition[1], one) for one in (then, otherwise))
        return then == otherwise or any(
            self._agree_by(part, then, otherwise)
            for part in condition[1]
            if isinstance(part, tuple) and part[0] == "eq"
        )

    def _decided_by(self, parts: Set[Hashable], poly: Poly) -> Poly:
        """Return a form where all of some conditions hold, which decide conditionals in it."""
        atoms = {atom for mono, _ in poly for atom in mono} & self._known.keys()
        for atom in sorted(atoms):
            condition, (then, otherwise) = self._known[atom]
            if condition in parts:
                poly = replaced(poly, atom, then)
            elif opposite(condition) in parts:
                poly = replaced(poly, atom, otherwise)
        return poly

    def _agree_by(self, condition: tuple[Any, ...], then: Poly, otherwise: Poly) -> bool:
        """Tell whether two forms become one by an equation."""
        if signless(add(then, otherwise, -1)) == condition[1]:
            return True
        known = self._solved(condition[1])
        atoms = {atom for mono, _ in (*then, *otherwise) for atom in mono}
        for atom in sorted(atoms & self._ranges.extents.keys()):
            extent = self._ranges.extents[atom]
            self._effort.terms(len(known) + len(extent))
            for place, value in known:
                extent = replaced(extent, place, value)
            if extent == ONE or signless(add(extent, ONE, -1)) == condition[1]:
                known.append((atom, ZERO))
        for atom, value in known:
            self._effort.terms(len(then) + len(otherwise))
            then, otherwise = replaced(then, atom, value), replaced(otherwise, atom, value)
        return then == otherwise

    def _solved(self, equation: Poly) -> list[tuple[int, Poly]]:
        """Return what unknowns are where a form is 0; counts whose product is 1 are all 1."""
        for mono, number in sorted(equation, key=lambda pair: pair[0]):
            others = {atom for other, _ in equation if other != mono for atom in other}
            if number not in (1, -1) or others & set(mono):
                continue
            rest = frozen({m: -number * n for m, n in equation if m != mono})
            if len(mono) == 1:
                return [(mono[0], rest)]
            if mono and rest == ONE and all(map(self._ranges.is_count, mono)):
                return [(atom, ONE) for atom in sorted(set(mono))]
        return []
