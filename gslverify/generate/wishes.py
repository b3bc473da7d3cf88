"""Wishes for the free symbols of an instance: sizes, dtypes, attributes, values of constants."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from gsl.attr.term import Symbol
from gslverify.instances.sampling import Wish, is_constant

DTYPES = ("float32", "float64", "int32", "float16", "int64", "int8", "uint8", "bool")
REALS = (1.0, 0.5, 2.0, 0.0, 0.25, -1.0, 3.0, -0.5, 1e-5, -2.0, 100.0)
INTEGERS = (1, 2, 0, -1, 3, -2, 5, 100)
EDGES = (127, 128, -128, 255, 256, 300, -129, 2**31 - 1, -(2**31), 2**31, 2**63 - 1, -(2**63))
"""The least and largest numbers of the integer dtypes, and those just beside them."""
LENGTHS = (600, 4500)
"""Longer than int8, uint8 and float16 can count, even if only every second element counts."""
SIZES = ("free", "equal", "distinct")
LONG = ("long",)


_COMMON, _SIZE, _BOOLEAN = st.integers(1, 4), st.integers(1, 5), st.booleans()
_REAL, _INTEGER = st.sampled_from(REALS), st.sampled_from(INTEGERS)
_NUMBER, _LENGTH = st.sampled_from(INTEGERS + EDGES), st.sampled_from(LENGTHS)


@lru_cache(maxsize=256)
def _one_of(options: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    """A strategy that is made anew is examined anew, which takes longer than to draw from it."""
    return st.sampled_from(options)


@lru_cache(maxsize=256)
def _from(low: int) -> st.SearchStrategy[int]:
    return st.integers(low, low + 3)


def wishes(draw: st.DrawFn, dtypes: Sequence[str] = DTYPES, modes: Sequence[str] = SIZES) -> Wish:
    """Return a chooser of values for symbols.

    In the mode "free" sizes are up to 5, in "equal" all the same and in "distinct" all different;
    in "long" one is of LENGTHS and the others are short.
    """
    mode = draw(_one_of(tuple(modes)))
    common = draw(_COMMON)
    same = common if mode == "equal" else 0
    length = draw(_LENGTH) if mode == "long" else 0
    count = 0

    def wish(symbol: Symbol, options: tuple[Any, ...]) -> Any:
        nonlocal count, length
        if symbol.sort == "text":
            likely = tuple(dtype for dtype in dtypes if not options or dtype in options)
            return draw(_one_of(likely or options))
        if symbol.sort == "real":
            return draw(_REAL)
        if symbol.sort == "bool":
            return draw(_BOOLEAN)
        if symbol.low is None:
            return draw(_NUMBER if is_constant(symbol) else _INTEGER)
        if ".shape[" not in symbol.name:
            return draw(_from(int(symbol.low)))
        count += 1
        # Every mode draws as often, or shrinking would prefer the mode that draws least.
        size = draw(_SIZE)
        if length and draw(_BOOLEAN):
            size, length = length, 0
            return size
        if mode == "long":
            return min(size, 2)
        return same or (1 + (size + count) % 6 if mode == "distinct" else size)

    return wish
