"""Inputs at which comparisons that references of users make come out otherwise.

Which elements make a sum, or a product, equal a number of somebody's code no draw finds. One
element is changed a little to see how far each comparison moves, and then by as much as it takes
(the secant method, as the code may compute anything).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from gsl.expr import Expr
from gsl.numpy_dtypes import finfo, iinfo, is_floating, kind_of
from gslverify.comparison.watched import Distances, Place, distances, foreign_calls

MOST_RUNS, MOST_RUNS_OF_A_NETWORK = 4_000, 150
MOST_STEPS = 20
MOST_BASES = 8
MOST_HELD = 2
PLACES_OF_AN_INPUT = 3
ENOUGH = 10
"""So often a comparison is made to come out in a way, on different networks."""
SIGNS = (0, 1, -1)

Inputs = Mapping[str, Any]
Held = frozenset[tuple[Place, int]]
"""Comparisons, and the signs of how far their left sides are above the right ones."""
Element = tuple[str, int]
"""A place of an input, counted row by row."""


@dataclass(slots=True)
class Turning:
    """What was done for the rule so far: runs of graphs, and how comparisons came out.

    Comparisons are made to come out anew while others are held, as one may be made in a branch of
    another, or both decide together.
    """

    runs: int = 0
    reached: Counter[tuple[Held, Place, int]] = field(default_factory=Counter)

    def inputs(self, outputs: Sequence[Expr], bases: Sequence[Inputs]) -> list[Inputs]:
        """Return inputs near some at which comparisons in references of others come out anew."""
        if not bases or not foreign_calls(outputs):
            return []
        most = min(MOST_RUNS, self.runs + MOST_RUNS_OF_A_NETWORK)
        found: list[Inputs] = []
        waiting: list[tuple[Inputs, Held]] = [(base, frozenset()) for base in bases]
        seen: dict[Held, set[tuple[Place, int]]] = {}
        for base, held in waiting:
            search = _Search(outputs, base, held, self, most, seen.setdefault(held, set()))
            for made, way in search.found():
                found.append(made)
                if len(held) < MOST_HELD and len(waiting) < MOST_BASES:
                    waiting.append((made, held | {way}))
        return found


@dataclass(slots=True)
class _Search:
    """The comparisons of one graph on one of its inputs; `seen` are those of other inputs."""

    outputs: Sequence[Expr]
    base: Inputs
    held: Held
    turning: Turning
    most: int
    seen: set[tuple[Place, int]]

    def run(self, inputs: Inputs) -> Distances:
        self.turning.runs += 1
        noted = distances(self.outputs, inputs)
        if all(sign in _signs(noted.get(place, ())) for place, sign in self.held):
            self.seen.update((place, s) for place, apart in noted.items() for s in _signs(apart))
        return noted

    def found(self) -> Iterator[tuple[Inputs, tuple[Place, int]]]:
        """Yield inputs of which one element was changed, and the comparison that shows it."""
        start = self.run(self.base)
        for element in _elements(self.base) if start else ():
            if self.turning.runs >= self.most:
                return
            moved = _changed(self.base, element, _at(self.base, element) + 1)
            if moved is None:
                continue
            known, beside = set(self.seen), self.run(moved)
            yield from ((moved, way) for way in list(self.seen - known)[:1])
            for place in start.keys() & beside.keys():
                yield from self._turned(place, element, start[place], beside[place])

    def _turned(
        self, place: Place, element: Element, here: Any, there: Any
    ) -> Iterator[tuple[Inputs, tuple[Place, int]]]:
        """Yield inputs at which a comparison comes out as it did not yet."""
        held, reached = self.held, self.turning.reached
        seen = {sign for way, sign in (*self.seen, *held) if way == place}
        wanted = {s for s in SIGNS if s not in seen and reached[held, place, s] < ENOUGH}
        if not wanted or here.shape != there.shape:
            return
        slopes = there - here
        ways = np.abs(here / np.where(slopes == 0, np.nan, slopes))
        if not np.isfinite(ways).any():
            return
        which = int(np.nanargmin(ways))
        root = self._root(place, element, which, float(here[which]), float(there[which]))
        near = () if root is None else (root, root + 1, root - 1)
        for made in filter(None, (_changed(self.base, element, value) for value in near)):
            noted = self.run(made)
            new = wanted & _signs(noted.get(place, ()))
            if new and all(sign in _signs(noted.get(one, ())) for one, sign in held):
                wanted -= new
                reached.update((held, place, sign) for sign in new)
                yield made, (place, min(new, key=abs))

    def _root(self, place: Place, element: Element, which: int, here: float, there: float) -> Any:
        """Return what an element has to be for both sides of a comparison to be equal."""
        old, new = _at(self.base, element), _at(self.base, element) + 1
        for _ in range(MOST_STEPS):
            if there == 0 or there == here or self.turning.runs >= self.most:
                break
            wanted = new - there * (new - old) / (there - here)
            inputs = _changed(self.base, element, wanted)
            if inputs is None:
                return None
            old, new = new, _at(inputs, element)
            noted = self.run(inputs).get(place)
            if noted is None or which >= noted.size:
                return None
            here, there = there, float(noted[which])
        return new if there == 0 else round(new) if isfinite(new) else None


def _signs(apart: Any) -> set[int]:
    return {sign for sign in SIGNS if np.any(np.sign(apart) == sign)}


def _elements(inputs: Inputs) -> Iterator[Element]:
    """Yield the first, last and middle elements of all inputs that are numbers, in turns."""
    numbers = {name: one for name, one in inputs.items() if kind_of(one.dtype) != "b" and one.size}
    for turn in range(PLACES_OF_AN_INPUT):
        for name, array in numbers.items():
            places = tuple(dict.fromkeys((0, array.size - 1, array.size // 2)))
            if turn < len(places):
                yield name, places[turn]


def _at(inputs: Inputs, element: Element) -> Any:
    name, place = element
    found = inputs[name].flat[place]
    return float(found) if is_floating(inputs[name].dtype) else int(found)


def _changed(inputs: Inputs, element: Element, value: Any) -> Inputs | None:
    """Return inputs with another number in one place; None if the dtype has no such number."""
    name, place = element
    array = np.array(inputs[name])
    limits = finfo(array.dtype) if is_floating(array.dtype) else iinfo(array.dtype)
    if not isfinite(value) or not float(limits.min) <= value <= float(limits.max):
        return None
    number = value if is_floating(array.dtype) else min(max(round(value), limits.min), limits.max)
    array.flat[place] = number
    return {**inputs, name: array}
