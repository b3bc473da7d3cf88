"""Trials on neighbouring inputs between which a comparison, a conversion or a rounding changes.

Where numbers are made into fewer ones, a difference in the last place of a float is seldom seen: of
8000 float32 one lies where its neighbour is another float16. Such places are sought by bisection of
one element of the inputs, down to two neighbours with different results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gsl.expr import Expr
from gsl.numpy_dtypes import finfo, is_floating
from gslverify.comparison.fastmath.array import digits_of
from gslverify.comparison.under_flags import Sides, coarse_results, mixes_dtypes
from gslverify.trials.trial import Outcome as Trial

BOUNDARIES = 8
"""Places sought for each side of a network."""
ATTEMPTS = 3
"""Elements that are changed until one changes a result."""
FACTORS = (1.5, 4.0, -1.0, 64.0, 0.25, 2.0**-6)
"""How much larger or smaller an element becomes, to see whether a result changes on the way."""
SMALLER = 16
"""Powers of two by which an element may become smaller.

Of one beside 0 hardly anything is left in a sum, whatever the machine is granted: `small_numbers`.
"""
WHOLE = 5
"""Powers of two beyond the digits of a dtype by which floats are scaled to be whole numbers."""

Inputs = dict[str, Any]


def at_boundaries(trial: Trial, sides: Sides, number: int) -> Iterator[Trial]:
    """Yield a trial on both neighbours of places at which results of a side change.

    The sides are not compared; `number` seeds what is drawn.
    """
    generator, wide = np.random.default_rng(number), mixes_dtypes(sides)
    for outputs in (sides.source, sides.target):
        for place in range(BOUNDARIES):
            inputs = with_all_digits(trial.inputs, generator, wide, is_whole=place % 4 == 3)
            for pair in _neighbours(_Side(outputs, sides), inputs, generator):
                yield replace(trial, inputs=pair, exact=False, values=((), ()))


@dataclass(frozen=True, slots=True)
class _Side:
    outputs: Sequence[Expr]
    sides: Sides

    @property
    def wide(self) -> bool:
        """Whether float64 is told from float32 there."""
        return mixes_dtypes(self.sides)

    def results(self, inputs: Inputs) -> list[Any]:
        return coarse_results(self.outputs, replace(self.sides, inputs=inputs))


def with_all_digits(
    usual: Mapping[str, Any], generator: np.random.Generator, wide: bool, is_whole: bool = False
) -> Inputs:
    """Return floats of about the same size or whole ones, all of whose digits are drawn.

    Signs and zeros are kept. Unless it is `wide`, float64 has the digits of float32.
    """
    found = {name: np.asarray(array) for name, array in usual.items()}
    for name, array in found.items():
        if is_floating(array.dtype):
            factors = generator.uniform(0.5, 1.0, array.shape)
            scale = digits_of(array.dtype) + int(generator.integers(WHOLE)) if is_whole else 0
            drawn = np.ldexp(array.astype(np.float64) * factors, scale)
            found[name] = on_grid(drawn, array.dtype, wide)
    return found


def on_grid(values: Any, dtype: np.dtype[Any], wide: bool = False) -> Any:
    """Return finite numbers of a dtype, float64 with the digits that it is compared with."""
    grid = _grid(dtype, wide)
    largest = float(finfo(grid).max)
    return np.asarray(np.clip(values, -largest, largest)).astype(grid).astype(dtype)


def _grid(dtype: np.dtype[Any], wide: bool) -> np.dtype[Any]:
    return np.dtype("float32") if dtype == np.float64 and not wide else dtype


def _neighbours(side: _Side, inputs: Inputs, generator: np.random.Generator) -> list[Inputs]:
    """Return inputs on both sides of a change, as near as floats are; nothing if none is found."""
    before = side.results(inputs)
    names = [name for name, array in inputs.items() if is_floating(array.dtype) and array.size]
    if not names or not before:
        return []
    for _ in range(ATTEMPTS):
        name = names[generator.integers(len(names))]
        place = tuple(int(generator.integers(size)) for size in inputs[name].shape)
        line = _Line(inputs, name, place, side.wide)
        far = line.numbered(line.first) * float(generator.choice(FACTORS))
        last = line.number_of(far)
        result = _changed(before, side.results(line.at(last)), generator)
        if result is not None:
            pair = _bisected(side, line, last, result)
            least = abs(line.numbered(line.first)) * 2.0**-SMALLER
            return [line.at(one) for one in pair if abs(line.numbered(one)) >= least]
    return []


@dataclass(frozen=True, slots=True)
class _Line:
    """The floats that one element of the inputs may be, numbered in their order."""

    inputs: Inputs
    name: str
    place: tuple[int, ...]
    wide: bool

    @property
    def first(self) -> int:
        """The number of the float that the element is."""
        return self.number_of(self.inputs[self.name][self.place])

    @property
    def _dtype(self) -> np.dtype[Any]:
        return _grid(self.inputs[self.name].dtype, self.wide)

    @property
    def _bits(self) -> np.dtype[Any]:
        return np.dtype(f"int{8 * self._dtype.itemsize}")

    def number_of(self, value: Any) -> int:
        """Return the number of a float; neighbours have neighbouring ones, and 0 is 0."""
        with np.errstate(over="ignore"):
            bits = int(np.asarray(value).astype(self._dtype).view(self._bits))
        return bits if bits >= 0 else int(np.iinfo(self._bits).min) - bits

    def numbered(self, number: int) -> float:
        """Return the float that has a number."""
        bits = number if number >= 0 else int(np.iinfo(self._bits).min) - number
        return float(np.asarray(bits, self._bits).view(self._dtype))

    def at(self, number: int) -> Inputs:
        """Return the inputs with another float in the place of the element."""
        array = self.inputs[self.name].copy()
        array[self.place] = self.numbered(number)
        return {**self.inputs, self.name: array}


def _changed(
    before: Sequence[Any], after: Sequence[Any], generator: np.random.Generator
) -> tuple[int, Any, Any] | None:
    """Return one of the elements of results that have changed, with what it was."""
    if [one.shape for one in before] != [one.shape for one in after]:
        return None
    pairs = enumerate(zip(before, after, strict=True))
    found = [(n, place) for n, (one, new) in pairs for place in np.argwhere(one != new)]
    if not found:
        return None
    number, place = found[generator.integers(len(found))]
    return number, tuple(place), before[number][tuple(place)]


def _bisected(side: _Side, line: _Line, last: int, result: tuple[int, Any, Any]) -> tuple[int, int]:
    """Return the numbers of neighbours of which only the first still has the result."""
    number, place, value = result
    kept, lost = line.first, last
    while abs(lost - kept) > 1:
        middle = (kept + lost) // 2
        found = side.results(line.at(middle))
        same = len(found) > number and found[number][place] == value
        kept, lost = (middle, lost) if same else (kept, middle)
    return kept, lost
