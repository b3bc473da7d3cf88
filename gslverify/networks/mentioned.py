"""Numbers that a network or its rule mentions: at them something may happen that nowhere else does.

`x == 37.25` is true of one number among very many, and no range of numbers says which. So is
`1000 < x < 1000.5` of few, which lie between two that are mentioned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from gsl.attr.term import Constant, Term, subterms
from gsl.expr import Call, Const, Expr
from gsl.graph import reverse_post_order
from gsl.subst import Subst
from gslverify.networks.network import Network

MOST_OF_A_CONSTANT = 8
MOST_BETWEEN = 8
LARGEST = 1e300
"""Numbers that are larger, infinite or none have nothing between them."""
DRAWN_ANYWAY = frozenset(range(-3, 4))


def mentioned_numbers(network: Network) -> tuple[float, ...]:
    """Return the numbers in the constants and attributes of a network, and in its rule.

    Those between two of them that are neighbours follow.
    """
    subst = None if network.sampler is None else network.sampler.instance.subst
    found = dict.fromkeys((*_in_network(network.outputs), *(_in_rule(subst) if subst else ())))
    every = dict.fromkeys((*found, *_between(found)))
    return tuple(number for number in every if number not in DRAWN_ANYWAY)


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


def _in_network(outputs: Sequence[Expr]) -> Iterator[float]:
    for expr in reverse_post_order(outputs):
        if isinstance(expr, Const) and expr.value.dtype.kind != "b":
            yield from expr.value.ravel()[:MOST_OF_A_CONSTANT].tolist()
        if isinstance(expr, Call):
            yield from (one for one in expr.attributes.values() if type(one) is float)


@lru_cache(maxsize=16)
def _in_rule(subst: Subst) -> tuple[float, ...]:
    patterns = (*subst.source_patterns, *subst.target_patterns)
    terms = [*subst.where, *(term for pattern in patterns for term in pattern.terms())]
    return tuple(dict.fromkeys(_in_terms(terms)))


def _in_terms(terms: Iterable[Term]) -> Iterator[float]:
    for term in terms:
        for part in subterms(term):
            if isinstance(part, Constant) and type(part.value) in (int, float):
                yield part.value


def held(numbers: Iterable[float], dtype: np.dtype[Any]) -> list[float]:
    """Return those of some numbers, their neighbours and opposites, that a dtype can hold."""
    if dtype.kind == "f":
        finite = [number for number in numbers if abs(number) <= float(np.finfo(dtype).max)]
        return [near for number in finite for near in (number, -number)]
    limits = np.iinfo(dtype)
    whole = (int(number) for number in numbers if number == number // 1)
    near = (value for number in whole for value in (number, number + 1, number - 1, -number))
    return [value for value in near if limits.min <= value <= limits.max]
