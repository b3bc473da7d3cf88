"""Inputs with other numbers in few places, as far as their dtypes hold these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

import numpy as np

from gsl.numpy_dtypes import finfo, iinfo, is_floating, kind_of

PLACES_OF_AN_INPUT = 3

Inputs = Mapping[str, Any]
Element = tuple[str, int]
"""A place of an input, counted row by row."""
Direction = Mapping[Element, float]
"""How much is added to elements."""


def numbers_of(inputs: Inputs) -> list[str]:
    """Return the names of inputs that are numbers and have elements."""
    return [name for name, one in inputs.items() if kind_of(one.dtype) != "b" and one.size]


def elements_of(inputs: Inputs) -> Iterator[Element]:
    """Yield the first, last and middle elements of all inputs that are numbers, in turns."""
    for turn in range(PLACES_OF_AN_INPUT):
        for name in numbers_of(inputs):
            size = inputs[name].size
            places = tuple(dict.fromkeys((0, size - 1, size // 2)))
            if turn < len(places):
                yield name, places[turn]


def steps_between(base: Inputs, inputs: Inputs, direction: Direction) -> float:
    """Return how many steps in a direction inputs are, which the dtype may have rounded."""
    (name, place), amount = next(iter(direction.items()))
    whole = not is_floating(base[name].dtype)
    there, here = (one[name].flat[place] for one in (inputs, base))
    apart = int(there) - int(here) if whole else float(there) - float(here)
    return apart / amount


def with_steps(inputs: Inputs, direction: Direction, steps: float) -> Inputs | None:
    """Return inputs with other numbers in few places; None if the dtype has no such numbers."""
    made = dict(inputs)
    for (name, place), amount in direction.items():
        array = np.array(made[name])
        number = _stored(array, number_at(array, place), steps * amount)
        if number is None:
            return None
        array.flat[place] = number
        made[name] = array
    return made


def with_all_shifted(inputs: Inputs, name: str, steps: Any) -> Inputs | None:
    """Return inputs in which something is added to each element of one."""
    array = np.array(inputs[name])
    added = np.broadcast_to(steps, array.size)
    for place in range(array.size):
        number = _stored(array, number_at(array, place), float(added[place]))
        if number is None:
            return None
        array.flat[place] = number
    return {**inputs, name: array}


def number_at(array: Any, place: int) -> Any:
    """Return an element as a number of Python."""
    return float(array.flat[place]) if is_floating(array.dtype) else int(array.flat[place])


def _stored(array: Any, number: Any, added: float) -> Any:
    """Return a sum as an array holds it, None if its dtype has no such number."""
    limits = finfo(array.dtype) if is_floating(array.dtype) else iinfo(array.dtype)
    if not isfinite(added) or not float(limits.min) <= number + added <= float(limits.max):
        return None
    if is_floating(array.dtype):
        return number + added
    return min(max(number + round(added), limits.min), limits.max)
