"""Which dtypes are left as claims are made: those that some equal dtypes may all be.

Operators demand operands of one dtype, so the kind of one constant decides that of all others it
meets. Without this every combination of kinds would be a structure, of which a solver says later
that no graph has it (domain propagation over a union-find of dtypes).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

from gsl.attr.term import Constant, Operation, Symbol
from gslverify.structures.choices import Positions


@dataclass(frozen=True, slots=True)
class Known:
    """The dtypes that are left, and the decisions on which that depends."""

    dtypes: frozenset[Any]
    causes: Positions


class DtypeDomains:
    """The dtypes that symbols may stand for.

    `on_undo` takes back what a claim has changed, together with the binding that made it.
    """

    def __init__(self, on_undo: Callable[[Callable[[], object]], None]) -> None:
        self._on_undo = on_undo
        self._same: dict[Symbol, Symbol] = {}
        self._known: dict[Symbol, Known] = {}

    def clash(self, claim: Any, positions: Positions) -> Positions | None:
        """Take a claim that depends on some decisions; return those that clash if no dtype is left.

        Nothing is learned of a claim that clashes, or is about what has any values.
        """
        match claim:
            case Operation(head="and", operands=operands):
                found = (self.clash(one, positions) for one in operands)
                return next((one for one in found if one is not None), None)
            case Operation(
                head="in", operands=(Symbol(sort="text") as one, Constant(value=tuple() as known))
            ):
                return self._narrow(one, frozenset(known), positions)
            case Operation(
                head="==", operands=(Symbol(sort="text") as one, Constant(value=str() as known))
            ):
                return self._narrow(one, frozenset({known}), positions)
            case Operation(
                head="==", operands=(Symbol(sort="text") as one, Symbol(sort="text") as other)
            ):
                return self._unite(one, other, positions)
            case _:
                return None

    def _root(self, symbol: Symbol) -> Symbol:
        while symbol in self._same:
            symbol = self._same[symbol]
        return symbol

    def _narrow(
        self, symbol: Symbol, dtypes: frozenset[Any], positions: Positions
    ) -> Positions | None:
        root = self._root(symbol)
        known = self._known.get(root, Known(dtypes, 0))
        left, causes = known.dtypes & dtypes, known.causes | positions
        if not left:
            return causes
        if root not in self._known or left != known.dtypes:
            self._set(root, Known(left, causes))
        return None

    def _unite(self, one: Symbol, other: Symbol, positions: Positions) -> Positions | None:
        first, second = self._root(one), self._root(other)
        if first is second:
            return None
        known = [self._known[root] for root in (first, second) if root in self._known]
        if not known:
            return None
        causes = reduce(operator.or_, (each.causes for each in known), positions)
        left = frozenset[Any].intersection(*(each.dtypes for each in known))
        if not left:
            return causes
        self._set(first, Known(left, causes))
        self._same[second] = first
        self._on_undo(lambda: self._same.pop(second))
        return None

    def _set(self, root: Symbol, known: Known) -> None:
        before = self._known.get(root)
        self._known[root] = known
        if before is None:
            self._on_undo(lambda: self._known.pop(root))
        else:
            self._on_undo(lambda: self._known.__setitem__(root, before))
