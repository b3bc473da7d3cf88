"""Numbers at which a network or its rule may start to do something else, for its inputs.

`x == 37.25` is true of one number among very many, and no range of numbers says which; so is
`1000 < x < 1000.5` of few. The numbers are those that the network and the terms of its rule have,
those at which functions of one element turn by their kernels, and those between all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from math import inf, isclose, isfinite
from typing import Any

import numpy as np

from gsl.attr.term import Constant, subterms
from gsl.dtypes import DTYPES
from gsl.errors import GslError
from gsl.expr import Call, Const
from gsl.graph import reverse_post_order
from gsl.kernel.evaluate import evaluate
from gsl.kernel.expression import Expression, reads_of
from gsl.kernel.joints import clearances
from gsl.kernel.meaning import named
from gsl.numpy_dtypes import finfo, iinfo, is_floating, kind_of
from gsl.operators import Operator
from gsl.subst import Subst
from gsl.types import ANY_FLOAT, TensorType
from gslverify.networks.network import Network
from gslverify.structures.kernels import is_pointwise

MOST_OF_A_CONSTANT = 8
MOST_BETWEEN = 8
LARGEST = 1e300
"""Numbers that are larger, infinite or none have nothing between them."""
LEAST_LOST = 1.5
"""Times the least number of a float type is one that a conversion to it does not keep."""
DRAWN_ANYWAY = frozenset(range(-3, 4))
PROBES = (0.3, 1.7, -2.1)
"""Numbers at which it is measured how far a function is from where it turns."""


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
            if expr.operator.name == "Cast" and expr.dtype in ANY_FLOAT:
                yield LEAST_LOST * float(DTYPES[expr.dtype].smallest)
            types = [one.type for one in expr.operands if isinstance(one.type, TensorType)]
            if is_pointwise(expr) and len(types) == len(expr.operands):
                singles = tuple(TensorType((1,) * one.ndim, one.dtype) for one in types)
                rank = expr.tensor_type.ndim
                yield from _turns(expr.operator, singles, rank, tuple(expr.attributes.items()))


@lru_cache(maxsize=16)
def _in_rule(subst: Subst) -> tuple[float, ...]:
    patterns = (*subst.source_patterns, *subst.target_patterns)
    terms = [*subst.where, *(term for pattern in patterns for term in pattern.terms())]
    parts = (part for term in terms for part in subterms(term) if isinstance(part, Constant))
    written = (part.value for part in parts if type(part.value) in (int, float))
    return tuple(dict.fromkeys(written))


@lru_cache(maxsize=256)
def _turns(
    operator: Operator, types: tuple[TensorType, ...], rank: int, attributes: tuple[Any, ...]
) -> tuple[float, ...]:
    """Return the numbers at which a function of one element of each operand turns.

    Its result has so many axes, which may be more than those of its operands.
    """
    operands = [named(f"x{n}", one) for n, one in enumerate(types)]
    index = (0,) * rank
    with suppress(GslError), np.errstate(all="ignore"):
        element = operator.element(index, operands, dict(attributes), None)
        zeros = [_zero(distance) for distance in clearances(element)]
        return tuple(round(zero, 9) for zero in zeros if zero is not None)
    return ()


def _zero(distance: Expression) -> float | None:
    """Return where a distance is 0 that grows in proportion to how far a number is from there."""
    ranks = {read.tensor: len(read.indices) for read in reads_of(distance)}
    if len(ranks) != 1:
        return None
    ((tensor, rank),) = ranks.items()
    values = (evaluate(distance, (), {tensor: np.full((1,) * rank, x)}) for x in PROBES)
    one, two, three = map(float, values)
    between = one * PROBES[1] + two * PROBES[0], one + two
    beyond = one * PROBES[1] - two * PROBES[0], one - two
    for weighed, weight in (between, beyond):
        zero = weighed / weight if weight else inf
        slope = one / abs(PROBES[0] - zero)
        if isfinite(zero) and isclose(slope * abs(PROBES[2] - zero), three, rel_tol=1e-9):
            return zero
    return None


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

    Of integers so are those on the other side of its range.
    """
    if is_floating(dtype):
        finite = [number for number in numbers if abs(number) <= float(finfo(dtype).max)]
        return [near for number in finite for near in (number, -number)]
    limits = iinfo(dtype)
    whole = (int(number) for number in numbers if number == number // 1)
    half = (int(limits.max) - int(limits.min) + 1) // 2  # products with even numbers do not see it
    near = (v for n in whole for v in (n, n + 1, n - 1, -n, n + half, n - half))
    return [value for value in near if limits.min <= value <= limits.max]
