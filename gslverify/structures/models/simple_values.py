"""Values of symbols that are preferred by what they stand for: sizes, dtypes, attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import cycle, repeat
from typing import Any

from gsl.attr.term import Symbol
from gslverify.structures.models.definitions import Options
from gslverify.structures.models.symbols import is_size

SIMPLE_SIZES = ((2,), (1,), (4,), (2, 3, 4, 5))
"""Sizes that are tried one after the other, and again from the start when there are more."""


@dataclass(slots=True)
class Preferred:
    """Chooses a value for a symbol: `sizes` and what is `added` to the least number come in turn.

    Of options it is the one whose `turn` it is, of `dtypes` the first that is among them.
    """

    sizes: Iterator[int]
    added: Iterator[int] = field(default_factory=lambda: repeat(0))
    dtypes: tuple[str, ...] = ()
    integer: int = 1
    real: float = 1.0
    flag: bool = False
    turn: int = 0

    def __call__(self, symbol: Symbol, options: tuple[Any, ...]) -> Any:
        """Return the value."""
        if symbol.sort == "text":
            allowed = [dtype for dtype in self.dtypes if not options or dtype in options]
            return (*allowed, *options, "float32")[0]
        if options:
            return options[self.turn % len(options)]
        if symbol.sort == "bool":
            return self.flag
        if symbol.sort == "real":
            return self.real
        if symbol.low is None:
            return self.integer
        return next(self.sizes) if is_size(symbol) else int(symbol.low) + next(self.added)


def simple_values(free: Iterable[Symbol], options: Options) -> Iterator[dict[Symbol, Any]]:
    """Yield values of symbols, of which some have `options`: simple ones, in a few ways."""
    symbols = list(free)
    for sizes in SIMPLE_SIZES:
        preferred = Preferred(cycle(sizes))
        yield {symbol: preferred(symbol, options.get(symbol, ())) for symbol in symbols}
