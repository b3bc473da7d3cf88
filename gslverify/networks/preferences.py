"""Preferred values of the free symbols of an instance: sizes, dtypes, attributes, constants."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import count
from typing import Any

from gsl.attr.term import Symbol
from gsl.types import ALL_DTYPES
from gslverify.networks.choices import Choices, one_of
from gslverify.structures.models.sampling import Preference
from gslverify.structures.models.symbols import is_constant, is_size

DTYPES = tuple(dict.fromkeys(("float32", "float64", "int32", "float16", *ALL_DTYPES)))
"""All dtypes, those first that rules are mostly about."""
REALS = (1.0, 0.5, 2.0, 0.0, 0.25, -1.0, 3.0, -0.5, 1e-5, -2.0, 100.0)
INTEGERS = (1, 2, 0, -1, 3, -2, 5, 100)
EDGES = (127, 128, -128, 255, 256, 300, -129, 2**31 - 1, -(2**31), 2**31, 2**63 - 1, -(2**63))
"""The least and largest numbers of the integer dtypes, and those just beside them."""
BEYOND = (2**11 + 1, 40_000, 70_000, 2**24 + 1, 2**31 + 1, 2**53 + 1)
"""More than float16, int16, uint16, float32, int32 and float64 can tell from their neighbours.

Floats do not hold the odd ones, nor what is two or four more than these.
"""
LENGTHS = (600, 4502, 256)
"""Longer than int8, uint8 and float16 can count, even if only every second element counts.

The second one, and half of it, are not among the numbers that float16 has. With the last one, uint8
is back at 0 and looks as if nothing had been counted.
"""
VERY_LONG_LENGTHS = (70_000, 40_000, 65_536)
"""Longer than uint16 and int16 can count; with the last one, uint16 is back at 0."""
LIKELY = (1, 2, 3, 4, 5, 1)
SIZES = ("free", "equal", "distinct")
LONG, VERY_LONG = ("long",), ("very long",)
BEYOND_NARROW_DTYPES = ("beyond narrow dtypes",)
ROOMY = ("roomy",)
ROOM, MOST_ROOMY = 5_000, 11
"""What the product of the sizes in the mode "roomy" stays below."""


def preferences(
    choices: Choices,
    dtypes: Sequence[str] = DTYPES,
    modes: Sequence[str] = SIZES,
    turn: int = 0,
    axes: int = 1,
    numbers: Collection[Symbol] = (),
) -> Preference:
    """Return a chooser of values for symbols.

    In the mode "free" sizes are up to 5, in "equal" all are 2, 3 or 4, in "distinct" different;
    in "long" one of the `axes` and one of LENGTHS have their `turn`, in "very long" one of
    VERY_LONG_LENGTHS, and other axes are short. In "roomy" as many as there is ROOM for are 8 to
    11, mostly, and integers of attributes may be as large. In "beyond narrow dtypes" `numbers` are
    one of BEYOND, or two or four more.
    """
    mode = one_of(choices, modes)
    sizes = _sizes(choices, mode, turn, axes)

    def preference(symbol: Symbol, options: tuple[Any, ...]) -> Any:
        if mode in BEYOND_NARROW_DTYPES and symbol in numbers:
            return BEYOND[turn % len(BEYOND)] + 2 * choices.number(2)
        if symbol.sort == "text":
            likely = tuple(dtype for dtype in dtypes if not options or dtype in options)
            return one_of(choices, likely or options)
        if symbol.sort == "real":
            return one_of(choices, REALS)
        if symbol.sort == "bool":
            return bool(choices.number(1))
        if symbol.low is None:
            return one_of(choices, INTEGERS + EDGES if is_constant(symbol) else INTEGERS)
        if is_size(symbol):
            return next(sizes)
        return int(symbol.low) + choices.number(MOST_ROOMY if mode in ROOMY else 3)

    return preference


def _sizes(choices: Choices, mode: str, turn: int, axes: int) -> Iterator[int]:
    """Yield the sizes of free axes; every mode draws as often, or shrinking would prefer one."""
    common, room = 2 + choices.number(2), ROOM
    lengths = VERY_LONG_LENGTHS if mode == "very long" else LENGTHS
    length, place = lengths[turn % len(lengths)], turn // len(lengths) % max(1, axes)
    for axis in count():
        size = one_of(choices, LIKELY)
        match mode:
            case "long":
                yield length if axis == place else min(size, 2)
            case "very long":
                yield length if axis == place else 1
            case "roomy":
                roomy = MOST_ROOMY - choices.number(3) if choices.number(5) else size
                size = roomy if roomy <= room else 1 + size % 2
                room //= size
                yield size
            case "equal":
                yield common
            case "distinct":
                yield 1 + (size + axis + 1) % 6
            case _:
                yield size
