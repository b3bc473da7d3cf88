"""Values of symbols in which little differs from the least."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import cycle
from typing import Any

from gsl.attr.term import Symbol
from gslverify.structures.definitions import Options

SIMPLE_SIZES = ((2,), (1,), (4,), (2, 3, 4, 5))
"""Sizes that are tried one after the other, and again from the start when there are more."""


def simple_values(free: Iterable[Symbol], options: Options) -> Iterator[dict[Symbol, Any]]:
    """Yield values of symbols, of which some have `options`: simple ones, in a few ways."""
    symbols = list(free)
    for sizes in SIMPLE_SIZES:
        numbers = cycle(sizes)
        yield {symbol: _simple(symbol, options.get(symbol), numbers) for symbol in symbols}


def _simple(symbol: Symbol, options: tuple[Any, ...] | None, sizes: Iterator[int]) -> Any:
    if options:
        return options[0]
    if symbol.sort in ("text", "bool"):
        return "float32" if symbol.sort == "text" else False
    if symbol.sort == "real" or symbol.low is None:
        return 1.0 if symbol.sort == "real" else 1
    return next(sizes) if ".shape[" in symbol.name else int(symbol.low)
