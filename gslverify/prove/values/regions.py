"""Regions of indices: without what can have one value only, and without what is obvious."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gsl.attr.term import Operation, Symbol, Term
from gslverify.prove.indices.cone import conjuncts
from gslverify.prove.indices.forms import Forms
from gslverify.prove.indices.replacing import Mapped, put
from gslverify.prove.values.values import Region
from gslverify.structures.arithmetic.polynomials import (
    ONE,
    ZERO,
    Monomial,
    Poly,
    add,
    frozen,
    order,
)


class Regions:
    """Simplifies the regions of one scenario."""

    def __init__(self, forms: Forms) -> None:
        self.forms = forms

    def simplified(self, region: Region) -> tuple[Region, Mapped] | None:
        """Return a region without indices that can have one value only, and their values.

        None when the region is known to be empty.
        """
        extents, mapping = dict(region.extents), dict[Symbol, Any]()
        guards = conjuncts(region.guards)
        while True:
            found = self._determined(extents, guards)
            if found is None:
                break
            symbol, place = found
            guards += [place >= 0, place < extents[symbol]]
            del extents[symbol]
            mapping = {s: put(t, {symbol: place}) for s, t in mapping.items()} | {symbol: place}
            extents = {s: put(e, {symbol: place}) for s, e in extents.items()}
            guards = [put(guard, {symbol: place}) for guard in guards]
        kept = self._needed(extents, guards)
        return None if kept is None else (Region(tuple(extents.items()), kept), mapping)

    def _determined(self, extents: Mapped, guards: Sequence[Any]) -> tuple[Symbol, Any] | None:
        for symbol, extent in extents.items():
            if self.forms.same(extent, 1):
                return symbol, 0
        for guard in guards:
            if isinstance(guard, Operation) and guard.head == "==":
                for symbol in extents:
                    found = self.solved(guard.operands, [symbol])
                    if found is not None:
                        return found
        return self._only_value(extents, guards)

    def _only_value(self, extents: Mapped, guards: Sequence[Any]) -> tuple[Symbol, Any] | None:
        """Return an index whose greatest value is its least, such as i where 1 <= i < 2."""
        conditions = [self.forms.condition(guard) for guard in guards]
        for symbol, extent in extents.items():
            ((mono, _),) = self.forms.poly(symbol)
            lows, highs = {ZERO}, {add(self.forms.poly(extent), ONE, -1)}
            for condition in conditions:
                match condition:
                    case ("ge", frozenset() as rest, True):
                        self._bounded(symbol, mono, rest, lows, highs)
            if lows & highs:
                return symbol, self.forms.term(min(lows & highs, key=order))
        return None

    def _bounded(
        self, symbol: Symbol, mono: Monomial, rest: Poly, lows: set[Poly], highs: set[Poly]
    ) -> None:
        """Note what a sum that is not negative says about an index in it."""
        number = dict(rest).get(mono)
        others = add(rest, frozenset([(mono, number or 0)]), -1)
        used = {atom for other, _ in others for atom in other}
        if any(symbol in self.forms.symbols_of(atom) for atom in used):
            return
        if number == 1:
            lows.add(add(ZERO, others, -1))
        elif number == -1:
            highs.add(others)

    def solved(self, sides: Sequence[Any], unknown: Iterable[Symbol]) -> tuple[Symbol, Any] | None:
        """Solve an equation for one of the unknowns that occurs in it linearly and once."""
        wanted = frozenset(unknown)
        if not all(map(self.forms.is_integer, sides)):
            return None
        difference = add(self.forms.poly(sides[0]), self.forms.poly(sides[1]), -1)
        for mono, number in sorted(difference, key=lambda pair: pair[0]):
            if len(mono) != 1 or number not in (1, -1):
                continue
            symbol = self.forms.atoms[mono[0]]
            others = [atom for other, _ in difference if other != mono for atom in other]
            inside = [self.forms.symbols_of(atom) for atom in others]
            if symbol in wanted and not any(wanted & symbols for symbols in inside):
                rest = frozen({m: -number * n for m, n in difference if m != mono})
                assert isinstance(symbol, Symbol)
                return symbol, self.forms.term(rest)
        return None

    def _needed(self, extents: Mapped, guards: Sequence[Any]) -> tuple[Term, ...] | None:
        """Return the guards that are not obvious; None when one of them is false."""
        bounds = Region(tuple(extents.items())).bounds
        obvious = {self.forms.condition(bound) for bound in bounds}
        kept: list[Term] = []
        for guard in guards:
            form = self.forms.condition(guard)
            if form is False:
                return None
            if form is not True and form not in obvious:
                obvious.add(form)
                kept.append(guard)
        return tuple(kept)
