"""Inputs at which comparisons come out otherwise: of functions, or by references of users.

Which elements make a sum, or a product, equal a number of somebody's code no draw finds. One
element is changed a little to see how far each comparison moves, and then by as much as it takes
(the secant method, as the code may compute anything). Where several equations hold at once, those
that hold already keep doing so while several elements are changed; and where code asks about all
elements, all of them are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from gsl.expr import Call, Expr
from gsl.numpy_dtypes import finfo, is_floating
from gslverify.comparison.watched import (
    Distances,
    Place,
    comparisons_beside_functions,
    distances,
    foreign_calls,
)
from gslverify.networks.moved_inputs import (
    Direction,
    Element,
    Inputs,
    elements_of,
    number_at,
    numbers_of,
    steps_between,
    with_all_shifted,
    with_steps,
)

MOST_RUNS, MOST_RUNS_OF_A_NETWORK = 4_000, 150
MOST_RUNS_OF_FUNCTIONS = 2_000
"""Where no reference is somebody else's code, so many runs are enough."""
MOST_STEPS = 20
MOST_BASES = 8
MOST_HELD = 2
MOST_TOGETHER = 12
"""Where inputs have no more elements than this, all of them are changed at once."""
ENOUGH = 10
"""So often a comparison is made to come out in a way, on different networks."""
CLOSE = 16
"""Units in the last place from a root to floats that are close to it."""
CLOSER = 2.0**-10
SIGNS = (0, 1, -1)

Outcome = tuple[int, bool]
"""A sign of how far left sides are above right ones, of some element or of all of several."""
Held = frozenset[tuple[Place, Outcome]]
"""Comparisons, and how they come out."""
Made = tuple[Inputs, tuple[Place, Outcome]]
"""Inputs, and the comparison that comes out anew on them."""
SOME = tuple((sign, False) for sign in SIGNS)


@dataclass(slots=True)
class Turning:
    """What was done for the rule so far: runs of graphs, and how comparisons came out.

    Comparisons are made to come out anew while others are held, as one may be made in a branch of
    another, or both decide together.
    """

    runs: int = 0
    reached: Counter[tuple[Held, Place, Outcome]] = field(default_factory=Counter)

    def inputs(self, outputs: Sequence[Expr], bases: Sequence[Inputs]) -> list[Inputs]:
        """Return inputs near some at which comparisons come out anew."""
        foreign = foreign_calls(outputs) if bases else []
        calls = [*foreign, *comparisons_beside_functions(outputs)] if bases else []
        if not calls:
            return []
        of_rule = MOST_RUNS if foreign else MOST_RUNS_OF_FUNCTIONS
        most = min(of_rule, self.runs + MOST_RUNS_OF_A_NETWORK)
        found: list[Inputs] = []
        waiting: list[tuple[Inputs, Held]] = [(base, frozenset()) for base in bases]
        seen: dict[Held, dict[tuple[Place, Outcome], None]] = {}
        for _ in range(MOST_BASES):
            if not waiting:
                break
            waiting.sort(key=_equations, reverse=True)
            base, held = waiting.pop(0)
            search = _Search(outputs, calls, base, held, self, most, seen.setdefault(held, {}))
            for made, way in _quietly(search.found()):
                found.append(made)
                if len(held) < MOST_HELD:
                    waiting.append((made, held | {way}))
        return found


@dataclass(slots=True)
class _Search:
    """The comparisons of one graph on one of its inputs; `seen` are those of other inputs."""

    outputs: Sequence[Expr]
    calls: Sequence[Call]
    base: Inputs
    held: Held
    turning: Turning
    most: int
    seen: dict[tuple[Place, Outcome], None]

    def run(self, inputs: Inputs) -> Distances:
        self.turning.runs += 1
        noted = distances(self.outputs, inputs, self.calls)
        if self._holds(noted):
            ways = ((place, one) for place, apart in noted.items() for one in _ways(apart))
            self.seen.update(dict.fromkeys(ways))
        return noted

    def found(self) -> Iterator[Made]:
        """Yield inputs of which few elements were changed, and the comparison that shows it."""
        start = self.run(self.base)
        beside: dict[Element, Distances] = {}
        for element in elements_of(self.base) if start else ():
            yield from self._along({element: 1.0}, start, beside)
        for direction in self._along_held(start, beside):
            yield from self._along(direction, start, {})
        if start and foreign_calls(self.calls):
            for name in numbers_of(self.base):
                yield from self._all_of(name, start)
            yield from self._all_together(start, beside)

    def _along(
        self, direction: Direction, start: Distances, beside: dict[Element, Distances]
    ) -> Iterator[Made]:
        """Yield inputs in a direction; what one step does is kept of a single element."""
        moved = None if self._is_spent() else with_steps(self.base, direction, 1)
        if moved is None:
            return
        known, there = set(self.seen), self.run(moved)
        if len(direction) == 1:
            beside[next(iter(direction))] = there
        new = sorted((one for one in self.seen if one not in known), key=lambda way: way[1])
        yield from ((moved, way) for way in new[:1])
        for place in (one for one in start if one in there):
            yield from self._turned(place, direction, start[place], there[place])

    def _along_held(self, start: Distances, beside: Mapping[Element, Distances]) -> list[Direction]:
        """Return directions of several elements that keep both sides equal where they are held so.

        A step in one direction is undone by so much of another as the slopes of both say. That is
        asked in the order of the comparisons, as a later one may not be made unless those before
        it are kept.
        """
        equal = {place for place, (sign, _) in self.held if sign == 0}
        directions: list[Direction] = [{element: 1.0} for element in beside]
        steps: list[Distances] = list(beside.values())
        for place in [one for one in start if one in equal]:
            row = int(np.argmin(np.abs(start[place])))
            slopes = [_slope(start[place], there.get(place), row) for there in steps]
            known = [(d, s) for d, s in zip(directions, slopes, strict=True) if s is not None]
            turning = [pair for pair in known if pair[1]]
            if not turning:
                return []
            least, slope = min(turning, key=lambda pair: abs(pair[1]))
            directions = [_sum(d, slope, least, -s) for d, s in known if d is not least]
            steps = [self._step(one) for one in directions]
        return [one for one in directions if len(one) > 1]

    def _step(self, direction: Direction) -> Distances:
        """Return what is compared after a step, without saying that it was seen."""
        made = None if self._is_spent() else with_steps(self.base, direction, 1)
        self.turning.runs += made is not None
        return {} if made is None else distances(self.outputs, made, self.calls)

    def _turned(self, place: Place, direction: Direction, here: Any, there: Any) -> Iterator[Made]:
        """Yield inputs at which a comparison comes out as it did not yet."""
        wanted = self._wanted(place)
        if wanted.isdisjoint(SOME) or here.shape != there.shape:
            return
        slopes = there - here
        ways = np.abs(here / np.where(slopes == 0, np.nan, slopes))
        if not np.isfinite(ways).any():
            return
        which = int(np.nanargmin(ways))
        root = self._root(place, direction, which, float(here[which]), float(there[which]))
        if root is None:
            return
        for near in self._close_by(direction, root):
            made = with_steps(self.base, direction, root + near)
            yield from self._beside(made, place, which, abs(float(here[which])))
        for steps in (root, root + 1, root - 1):
            yield from self._tried(with_steps(self.base, direction, steps), place, wanted)

    def _close_by(self, direction: Direction, root: float) -> tuple[float, ...]:
        """Return how many steps it is from a root to floats that are hardly told from it."""
        (name, place), amount = next(iter(direction.items()))
        array = self.base[name]
        if len(direction) > 1 or not is_floating(array.dtype):
            return ()
        size = abs(number_at(array, place)) + abs(root * amount)
        near = size * CLOSE * float(finfo(array.dtype).eps) / abs(amount)
        return near, -near

    def _beside(
        self, made: Inputs | None, place: Place, which: int, before: float
    ) -> Iterator[Made]:
        """Yield inputs beside a root, as two comparisons may turn there one after the other.

        It is one if both sides of the comparison are much closer there than they were `before`.
        """
        if made is None or self._is_spent():
            return
        noted = self.run(made)
        apart = noted.get(place, np.empty(0))
        if which >= apart.size or not abs(float(apart[which])) < CLOSER * before:
            return
        ways = sorted(_ways(apart) & {(1, False), (-1, False)})
        reached = self.turning.reached
        for way in ways[:1] if self._holds(noted) else ():
            key = self.held, (place, "beside"), way
            if reached[key] < ENOUGH:
                reached[key] += 1
                yield made, (place, way)

    def _root(
        self, place: Place, direction: Direction, which: int, here: float, there: float
    ) -> float | None:
        """Return how many steps in a direction make both sides of a comparison equal."""
        old, new = 0.0, 1.0
        for _ in range(MOST_STEPS):
            if there == 0 or there == here or self._is_spent():
                break
            wanted = new - there * (new - old) / (there - here)
            inputs = with_steps(self.base, direction, wanted)
            if inputs is None:
                return None
            old, new = new, steps_between(self.base, inputs, direction)
            noted = self.run(inputs).get(place)
            if noted is None or which >= noted.size:
                return None
            here, there = there, float(noted[which])
        if there == 0 or not isfinite(new):
            return new if there == 0 else None
        (name, _), _ = next(iter(direction.items()))
        return new if is_floating(self.base[name].dtype) else round(new)

    def _all_of(self, name: str, start: Distances) -> Iterator[Made]:
        """Yield inputs at which a comparison comes out in a way for all elements of one at once."""
        array = self.base[name]
        moved = (
            None if self._is_spent() or array.size < 2 else with_all_shifted(self.base, name, 1.0)
        )
        if moved is None:
            return
        there = self.run(moved)
        for place in (one for one in start if one in there):
            wanted = self._wanted(place)
            if start[place].shape != there[place].shape or start[place].size != array.size:
                continue
            slopes = there[place] - start[place]
            if wanted <= {*SOME} or not slopes.all():
                continue
            for sign in SIGNS:
                steps = (sign - start[place]) / slopes
                yield from self._tried(with_all_shifted(self.base, name, steps), place, wanted)

    def _all_together(self, start: Distances, beside: dict[Element, Distances]) -> Iterator[Made]:
        """Yield inputs at which a comparison of several elements comes out in a way for all.

        Its sides may be made of any elements, as in `all(x == flip(x))`: what a step with each of
        them does to all distances are the equations of Newton's method, solved by as few elements
        as possible.
        """
        names = numbers_of(self.base)
        elements = [(name, n) for name in names for n in range(self.base[name].size)]
        places = [p for p in start if start[p].size > 1 and self._wanted(p) - {*SOME}]
        if not places or not 1 < len(elements) <= MOST_TOGETHER:
            return
        for element in elements:
            if element not in beside:
                beside[element] = self._step({element: 1.0})
        for place in places:
            here, wanted = start[place], self._wanted(place)
            there = [beside[element].get(place, np.empty(0)) for element in elements]
            if any(one.shape != here.shape for one in there):
                continue
            slopes = np.stack([one - here for one in there], axis=1).astype(float)
            few = _independent(slopes)
            for sign in SIGNS if few else ():
                steps = np.linalg.lstsq(slopes[:, few], (sign - here).astype(float))[0]
                pairs = zip((elements[n] for n in few), map(float, steps), strict=True)
                yield from self._tried(with_steps(self.base, dict(pairs), 1), place, wanted)

    def _tried(self, made: Inputs | None, place: Place, wanted: set[Outcome]) -> Iterator[Made]:
        """Yield inputs if a comparison comes out on them in a way that is wanted."""
        if made is None or self._is_spent():
            return
        noted = self.run(made)
        new = wanted & _ways(noted.get(place, ()))
        if new and self._holds(noted):
            wanted -= new
            self.turning.reached.update((self.held, place, way) for way in new)
            yield made, (place, min(new, key=_simplest))

    def _wanted(self, place: Place) -> set[Outcome]:
        """Return the ways in which a comparison was not seen to come out, here or often enough."""
        known = {way for one, way in (*self.seen, *self.held) if one == place}
        reached = self.turning.reached
        ways = {(sign, whole) for sign in SIGNS for whole in (False, True)} - known
        return {way for way in ways if reached[self.held, place, way] < ENOUGH}

    def _holds(self, noted: Distances) -> bool:
        return all(way in _ways(noted.get(place, ())) for place, way in self.held)

    def _is_spent(self) -> bool:
        return self.turning.runs >= self.most


def _quietly(found: Iterator[Made]) -> Iterator[Made]:
    """Yield what is found; infinities and NaN, of which no step is known, are no surprise."""
    while True:
        with np.errstate(all="ignore"):
            one = next(found, None)
        if one is None:
            return
        yield one


def _equations(waiting: tuple[Inputs, Held]) -> int:
    """Return in how many comparisons, of those that are held, both sides are equal."""
    return sum(sign == 0 for _, (sign, _) in waiting[1])


def _slope(here: Any, there: Any, row: int) -> float | None:
    """Return how far a step moves an element that is compared, None if that is unknown."""
    if there is None or there.shape != here.shape:
        return None
    slope = float(there[row] - here[row])
    return slope if isfinite(slope) else None


def _independent(slopes: Any) -> list[int]:
    """Return the first columns that all others are made of; none where one is not finite."""
    found: list[int] = []
    for column in range(slopes.shape[1]) if np.isfinite(slopes).all() else ():
        if np.linalg.matrix_rank(slopes[:, [*found, column]]) > len(found):
            found.append(column)
    return found


def _sum(one: Direction, times: float, other: Direction, others: float) -> Direction:
    """Return a direction made of so much of two."""
    elements = dict.fromkeys((*one, *other))
    amounts = {e: times * one.get(e, 0.0) + others * other.get(e, 0.0) for e in elements}
    return {element: amount for element, amount in amounts.items() if amount}


def _ways(apart: Any) -> set[Outcome]:
    signs = np.sign(apart)
    found = {(sign, False) for sign in SIGNS if np.any(signs == sign)}
    several = np.size(apart) > 1
    return found | {(sign, True) for sign in SIGNS if several and np.all(signs == sign)}


def _simplest(way: Outcome) -> tuple[int, bool]:
    sign, whole = way
    return abs(sign), whole
