"""Styles of arrays: which numbers an input has, before these are brought into their ranges."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gsl.dtypes import DTYPES
from gsl.numpy_dtypes import iinfo, is_floating, kind_of

TIED = ("bfloat16", "float16", "float32", "float64")
"""Floating dtypes at whose ties integers are tried."""
PEAK = 100
"""Far from other elements, and what one byte holds."""
LONGEST = 2**11
"""Float16 has all integers up to this one."""


def _small_integers(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    return generator.integers(0 if kind_of(dtype) == "u" else -3, 4, shape)


def _distinct_integers(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    count = int(np.prod(shape, dtype=np.int64))
    ramp = np.arange(count) - (0 if kind_of(dtype) == "u" else count // 2)
    known = DTYPES[dtype.name]
    exact = 2**known.digits if is_floating(dtype) else int(known.largest)
    limit = min(100 if dtype.itemsize == 1 else 1000, exact)
    return generator.permutation(ramp % limit if count > limit else ramp).reshape(shape)


def _reals(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    if not is_floating(dtype):
        return _wide(shape, dtype, generator)
    return generator.standard_normal(shape).astype(dtype)


def _small_halves(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    """Values on which comparing and choosing meet ties, and rounding where they are floats."""
    small = _small_integers(shape, dtype, generator)
    return small / 2 if is_floating(dtype) else small


def _halves(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    """The same, with integers that are rounded where they are converted to floats."""
    small = _small_halves(shape, dtype, generator)
    if is_floating(dtype):
        return small
    beside = _beside_ties(shape, dtype, generator)
    return np.where(generator.integers(0, 2, shape) == 1, beside, small)


def _beside_ties(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    """Integers at ties of numbers of a floating dtype, and beside them.

    Beside one, what is rounded to another floating dtype first may be rounded the other way.
    """
    known, few = DTYPES[dtype.name], [DTYPES[name].digits for name in TIED]
    bits = int(known.largest).bit_length()
    digits = generator.choice([one for one in few if one + 2 < bits] or [0], shape)
    if not digits.all():
        return _small_integers(shape, dtype, generator)
    odd = 2 * generator.integers(2 ** (digits - 1), 2**digits) + 1
    ties = odd << generator.integers(1, bits - digits)
    sign = generator.choice([1, -1] if known.lowest else [1], shape)
    return sign * (ties + generator.integers(-1, 2, shape))


def _wide(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    if not is_floating(dtype):
        limits, drawn = iinfo(dtype), np.dtype(np.int8) if DTYPES[dtype.name].bits < 8 else dtype
        return generator.integers(limits.min, limits.max, shape, dtype=drawn, endpoint=True)
    return (generator.standard_normal(shape) * 16.0).astype(dtype)


def _edges(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    """The least and largest integers; floats beside a tie of float16 or of bfloat16 numbers."""
    if not is_floating(dtype):
        limits = iinfo(dtype)
        less = (-1,) if limits.min else ()
        edges = (limits.min, limits.min + 1, *less, 0, 1, limits.max - 1, limits.max)
        return generator.choice(np.array(edges, dtype), shape)
    digits = DTYPES[str(generator.choice(("float16", "bfloat16")))].digits
    numbers = 2 ** (digits - 1)
    halfway = 1.0 + (generator.integers(0, numbers, shape) + 0.5) / numbers
    return generator.choice([-1.0, 1.0], shape) * (halfway + generator.choice([-1, 1]) * 2.0**-30)


def _magnitudes(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    """Values of one order of magnitude, which may be far from 1; floats are positive."""
    if not is_floating(dtype):
        return _of_few_bits(shape, dtype, generator, generator.uniform(1, _bits(dtype)))
    orders = min(5, int(math.log10(DTYPES[dtype.name].largest)) - 1)
    return 10.0 ** generator.uniform(-orders, orders) * generator.uniform(0.25, 4.0, shape)


def _signed_magnitudes(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    if not is_floating(dtype):
        bits = generator.uniform(1, _bits(dtype), shape)
        return _of_few_bits(shape, dtype, generator, bits)
    return _magnitudes(shape, dtype, generator) * generator.choice([-1.0, 1.0], shape)


def _bits(dtype: np.dtype[Any]) -> int:
    return int(iinfo(dtype).max).bit_length()


def _of_few_bits(
    shape: Any, dtype: np.dtype[Any], generator: np.random.Generator, bits: Any
) -> Any:
    """Integers below 2**bits: more than one dtype counts exactly, and not too many for another."""
    sizes = np.floor(2.0**bits * generator.uniform(0, 1, shape)).astype(dtype)
    signs = 1 if kind_of(dtype) == "u" else generator.choice([-1, 1], shape)
    return sizes * np.asarray(signs, dtype)


def _nonzero_integers(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    """Small integers that powers and quotients of any sign accept."""
    low = 1 if kind_of(dtype) == "u" else -3
    raw = generator.integers(low, 4 if low < 0 else 7, shape)
    return np.where(raw == 0, 2, raw)


def _alike(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    """One small number: all elements tie, and squares of differences add up to 0."""
    return np.full(shape, generator.integers(0 if kind_of(dtype) == "u" else -3, 4))


def _ends(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator, last: int) -> Any:
    """Extrema at both ends: there a place is the largest number that it can be, and 0."""
    is_unsigned = kind_of(dtype) == "u"
    raw = generator.integers(1 if is_unsigned else -3, 4, shape)
    if raw.size > 1:
        raw.flat[0], raw.flat[-1] = (max(0, end) if is_unsigned else end for end in (-last, last))
    return raw


def _ascending(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator, sign: int) -> Any:
    """All elements in order, none twice if the dtype has as many."""
    count = int(np.prod(shape, dtype=np.int64))
    ramp = np.arange(count) % (int(DTYPES[dtype.name].largest) if dtype.itemsize == 1 else LONGEST)
    return ramp.reshape(shape)[(slice(None, None, sign),) * len(shape)]


def _one_of_many(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    """One number everywhere but for one place, which is often the first or the last."""
    raw = np.full(shape, generator.choice((0, 0, 2)))
    if raw.size:
        place = generator.choice((0, raw.size - 1, int(generator.integers(raw.size))))
        raw.flat[place] += generator.choice((1, 1, 3, -1) if raw.flat[0] else (1, 1, 3))
    return raw


def _mirrored(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    """What is the same from behind."""
    raw = generator.integers(0, 4, shape)
    return raw + np.flip(raw)


def _extreme(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator, sign: int) -> Any:
    """The largest or the least integer everywhere, and of floats one number of that sign."""
    if is_floating(dtype):
        return np.full(shape, float(sign))
    limits = iinfo(dtype)
    return np.full(shape, limits.max if sign > 0 else limits.min)


def _offsets(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    """Values that differ little from each other and much from 0: differences lose digits."""
    if not is_floating(dtype):
        return _small_integers(shape, dtype, generator)
    return (100.0 if dtype.itemsize <= 2 else 1000.0) + generator.standard_normal(shape)


FILLED: dict[str, Callable[..., Any]] = {
    "small integers": _small_integers,
    "distinct integers": _distinct_integers,
    "reals": _reals,
    "halves": _halves,
    "wide": _wide,
    "edges": _edges,
    "magnitudes": _magnitudes,
    "signed magnitudes": _signed_magnitudes,
    "nonzero integers": _nonzero_integers,
    "cut points": _small_halves,
    "alike": _alike,
    "rising": partial(_ends, last=PEAK),
    "falling": partial(_ends, last=-PEAK),
    "peaks": _small_integers,
    "pits": _small_integers,
    "divisors": _small_integers,
    "largest": partial(_extreme, sign=1),
    "ascending": partial(_ascending, sign=1),
    "descending": partial(_ascending, sign=-1),
    "one of many": _one_of_many,
    "mirrored": _mirrored,
    "least": partial(_extreme, sign=-1),
    "offsets": _offsets,
}
"""How the numbers of an input are drawn, by the name of the style."""
