"""Dtypes of a rule that are free: every two of them together, as pairwise testing has it.

What a rule computes in a dtype that is too narrow for two others is wrong for these two only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from gsl.attr.term import Symbol
from gslverify.networks.preferences import DTYPES
from gslverify.structures.models.sampling import Sampler

MOST_ROWS = 100
"""So many networks of a rule are drawn for the sake of their dtypes."""

Row = tuple[tuple[str, str], ...]
"""What symbols are, by their names."""

Pair = tuple[tuple[str, str], tuple[str, str]]
"""Two symbols by name, and the dtypes that they are together."""


def joint_dtypes(samplers: Sequence[Sampler]) -> Iterator[tuple[Sampler, Row]]:
    """Yield structures in turn with dtypes such that every two that are free come together."""
    alike: dict[tuple[tuple[str, tuple[str, ...]], ...], list[Sampler]] = {}
    for sampler in samplers:
        free = [symbol for symbol in sampler.free if symbol.sort == "text"]
        options = tuple((s.name, _options(sampler, s)) for s in free)
        several = tuple(one for one in options if len(one[1]) > 1)
        if several:
            alike.setdefault(several, []).append(sampler)
    for several, few in alike.items():
        for number, row in enumerate(_rows(dict(several))):
            yield few[number % len(few)], row


def _options(sampler: Sampler, symbol: Symbol) -> tuple[str, ...]:
    among = sampler.options.get(symbol, ())
    return tuple(one for one in DTYPES if one in among) if among else DTYPES


def _rows(options: Mapping[str, Sequence[str]]) -> Iterator[Row]:
    """Yield choices for all names until every two options of two names were chosen together.

    Each row begins with two options that no row has together; other names get the options that
    make the most such pairs with these. Of one name alone every option is chosen once.
    """
    names = list(options)
    if len(names) == 1:
        yield from (((names[0], one),) for one in options[names[0]])
        return
    every = ((a, b) for a, b in combinations(names, 2))
    open_ones: dict[Pair, None] = {
        ((a, one), (b, other)): None
        for a, b in every
        for one, other in product(options[a], options[b])
    }
    while open_ones:
        row = dict(next(iter(open_ones)))
        for name in names:
            if name not in row:
                row[name] = max(options[name], key=lambda one: _gain(name, one, row, open_ones))
        pairs = combinations([(name, row[name]) for name in names], 2)
        for pair in pairs:
            open_ones.pop(pair, None)
        yield tuple((name, row[name]) for name in names)


def _gain(name: str, option: str, row: Mapping[str, str], open_ones: Mapping[Pair, None]) -> int:
    """Return how many open pairs an option makes with what a row has already."""
    chosen = [(other, row[other]) for other in row]
    mine = (name, option)
    return sum((mine, one) in open_ones or (one, mine) in open_ones for one in chosen)
