"""Numbers at which a network or its rule may start to do something else, for its inputs.

`x == 37.25` is true of one number among very many, and no range of numbers says which; so is
`1000 < x < 1000.5` of few. Where operators have a kernel, the solver finds such numbers; these are
for others: those that the network and the terms of its rule have, and those between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from gsl.expr import Call, Const
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import finfo, iinfo, is_floating, kind_of
from gsl.subst import Subst
from gslverify.networks.network import Network
from gslverify.structures.written_values import written_values

MOST_OF_A_CONSTANT = 8
MOST_BETWEEN = 8
LARGEST = 1e300
"""Numbers that are larger, infinite or none have nothing between them."""
BYTES_OF_FEW_FLOATS = 2
DRAWN_ANYWAY = frozenset(range(-3, 4))


def cut_points(network: Network) -> tuple[float, ...]:
    """Return the numbers at which a network or its rule may turn, those between them last."""
    subst = None if network.sampler is None else network.sampler.instance.subst
    found = dict.fromkeys((*_in_network(network), *(_in_rule(subst) if subst else ())))
    every = dict.fromkeys((*found, *_between(found)))
    return tuple(number for number in every if number not in DRAWN_ANYWAY)


def _in_network(network: Network) -> Iterator[float]:
    for expr in reverse_post_order(network.outputs):
        if isinstance(expr, Const) and kind_of(expr.value.dtype) != "b":
            yield from expr.value.ravel()[:MOST_OF_A_CONSTANT].tolist()
        if isinstance(expr, Call):
            yield from (one for one in expr.attributes.values() if type(one) is float)


@lru_cache(maxsize=16)
def _in_rule(subst: Subst) -> tuple[float, ...]:
    return tuple(dict.fromkeys(one for one in written_values(subst) if type(one) in (int, float)))


def _between(numbers: Iterable[float]) -> list[float]:
    """Return numbers in the middle of neighbours, of close ones before others.

    Whole numbers that do not follow each other have a whole one between them.
    """
    ordered = sorted(number for number in set(numbers) if abs(number) < LARGEST)
    pairs = [pair for pair in pairwise(ordered) if not DRAWN_ANYWAY.issuperset(pair)]
    closest = sorted(pairs, key=lambda pair: pair[1] - pair[0])[:MOST_BETWEEN]
    return [_middle(*pair) for pair in closest]


def _middle(low: float, high: float) -> float:
    if type(low) is int and type(high) is int and high - low > 1:
        return (low + high) // 2
    return low / 2 + high / 2


def held(numbers: Iterable[float], dtype: np.dtype[Any]) -> list[float]:
    """Return those of some numbers, their neighbours and opposites, that a dtype can hold.

    Of integers so are those on the other side of its range. Beside a float lie the next ones, which
    are drawn less often where there are many floats.
    """
    if is_floating(dtype):
        finite = [number for number in numbers if abs(number) <= float(finfo(dtype).max)]
        often = 2 if dtype.itemsize <= BYTES_OF_FEW_FLOATS else 6
        found = [(*[number] * often, *_neighbours(number, dtype)) for number in finite]
        return [near for several in found for one in several for near in (one, -one)]
    limits = iinfo(dtype)
    whole = (int(number) for number in numbers if number == number // 1)
    half = (int(limits.max) - int(limits.min) + 1) // 2  # products with even numbers do not see it
    near = (v for n in whole for v in (n, n + 1, n - 1, -n, n + half, n - half))
    return [value for value in near if limits.min <= value <= limits.max]


def _neighbours(number: float, dtype: np.dtype[Any]) -> tuple[float, ...]:
    """Return the floats beside a number."""
    nearest = np.asarray(number).astype(dtype)
    with np.errstate(over="ignore"):
        beside = [np.nextafter(nearest, np.asarray(to).astype(dtype)) for to in (-np.inf, np.inf)]
    return tuple(float(one) for one in beside if np.isfinite(one.astype(np.float64)))
