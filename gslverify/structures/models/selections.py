"""Sizes at which what kernels select is seen: one value at some places, the other one elsewhere.

An attribute of a triangle, a padding or a concatenation says where a kernel takes which of two
values. While all places lie on one side of that, a wrong attribute makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterator

from gsl.attr.evaluate import conjunction
from gsl.attr.term import Operation, Symbol, Term, free_symbols, subterms
from gsl.errors import GslError
from gsl.expr import Call
from gsl.kernel.affine import Affine, affine, constant
from gsl.kernel.expression import Reduction, Select, walk
from gsl.kernel.terms import Extents
from gsl.types import Bool, Int
from gslverify.semantics.solver import Solver
from gslverify.semantics.terms import UntranslatableError
from gslverify.structures.instance import Instance
from gslverify.structures.kernels import Element, elements_of
from gslverify.structures.targets.arms import Arms, target_of

MOST_SELECTIONS = 8
LOWER_SIDE = {"<": -1, ">=": -1, "<=": 0, ">": 0}
"""How far the left side of a comparison is above the right one on its lower side, at most."""


class Selections:
    """The conditions on sizes that what kernels of a structure select falls both ways."""

    def __init__(self, instance: Instance, solver: Solver) -> None:
        self._conditions = _conditions(instance)
        self._solver = solver
        self._seen: dict[Term, Term] = {}

    def seen_where(self, demand: Term) -> Term:
        """Return a demand together with those of the conditions that can hold then."""
        if demand not in self._seen:
            self._seen[demand] = conjunction(demand, *self._beside(demand))
        return self._seen[demand]

    def _beside(self, demand: Term) -> tuple[Term, ...]:
        left = self._conditions
        while left:
            try:
                clash = self._solver.clash((demand, *left))
            except UntranslatableError:
                return ()
            if clash is None or clash <= {0}:
                return left
            left = tuple(one for number, one in enumerate(left, 1) if number not in clash)
        return left


def _conditions(instance: Instance) -> tuple[Term, ...]:
    """Return that selections fall both ways, those of the target first."""
    with target_of(instance, Arms().decide) as builder:
        added = {*builder.added}
        nodes = sorted(instance.graph, key=lambda node: node not in added)
        calls = [node.expr for node in nodes if isinstance(node.expr, Call)]
        found = dict.fromkeys(term for call in calls for term in _fall_both_ways(call))
    return tuple(found)[:MOST_SELECTIONS]


def _fall_both_ways(call: Call) -> Iterator[Term]:
    try:
        elements = elements_of(call)
    except GslError:
        return
    for element in elements:
        extents = _extents(element)
        conditions = (n.condition for n in walk(element.value) if isinstance(n, Select))
        parts = (part for one in conditions if isinstance(one, Term) for part in subterms(one))
        for part in dict.fromkeys(parts):
            if isinstance(part, Operation) and part.head in LOWER_SIDE:
                demand = _both_ways(part, extents)
                if isinstance(demand, Term):
                    yield demand


def _extents(element: Element) -> dict[Symbol, Int]:
    """Return how many values each index of a kernel has."""
    extents: dict[Symbol, Int] = dict(zip(element.index, element.type.shape, strict=True))
    for node in walk(element.value):
        if isinstance(node, Reduction):
            extents |= dict(node.variables)
    return extents


def _both_ways(comparison: Operation, extents: Extents) -> Bool:
    """Return that a comparison holds for some indices and not for others; False if never."""
    left, right = comparison.operands
    try:
        gap = affine(left, {}).plus(affine(right, {}), -1)
    except GslError:
        return False
    least, most = _end(gap, extents, -1), _end(gap, extents, 1)
    if least is None or most is None:
        return False
    side = LOWER_SIDE[comparison.head]
    return conjunction(least.term() <= side, most.term() > side)


def _end(gap: Affine, extents: Extents, sign: int) -> Affine | None:
    """Return the largest value of a form with `sign` 1, the least with -1; None if not known."""
    end, indices = constant(gap.constant), False
    for atom, times in gap.parts.values():
        if isinstance(atom, Symbol) and atom in extents:
            indices = True
            if (times > 0) == (sign > 0):
                end = end.plus(affine(extents[atom], {}).plus(constant(-1)), times)
        elif free_symbols(atom).isdisjoint(extents):
            end = end.plus(affine(atom, {}), times)
        else:
            return None
    return end if indices else None
