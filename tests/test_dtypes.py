"""The table of dtypes, held against what NumPy says of its own types."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from gsl.dtypes import DTYPES, Kind, names_of, wider
from gsl.numpy_dtypes import converted, finfo, iinfo, kind_of, promoted
from gsl.types import (
    ALL_DTYPES,
    ANY_FLOAT,
    ANY_INTEGER,
    BOOLEAN,
    FLOATING,
    INTEGER,
    NUMERIC,
    STORED,
    UNSIGNED,
)


@pytest.mark.parametrize("name", DTYPES)
def test_kinds_and_widths_are_those_of_numpy(name: str) -> None:
    one = DTYPES[name]
    assert one.kind.value == kind_of(np.dtype(name))
    assert -(-one.bits // 8) == np.dtype(name).itemsize


@pytest.mark.parametrize("name", ANY_FLOAT)
def test_limits_of_floats(name: str) -> None:
    one, limits = DTYPES[name], finfo(name)
    assert (one.largest, one.lowest) == (float(limits.max), float(limits.min))
    assert one.smallest == float(limits.smallest_subnormal)
    assert one.digits == limits.nmant + 1
    assert 2 * one.unit == float(limits.eps)


@pytest.mark.parametrize("name", ANY_INTEGER)
def test_limits_of_integers(name: str) -> None:
    one, limits = DTYPES[name], iinfo(name)
    assert (one.lowest, one.largest) == (limits.min, limits.max)


@pytest.mark.parametrize("name", ANY_FLOAT)
def test_from_its_digits_on_a_float_loses_whole_numbers(name: str) -> None:
    first_lost = 2 ** DTYPES[name].digits + 1
    assert int(np.array(first_lost - 1).astype(name)) == first_lost - 1
    assert int(np.array(first_lost).astype(name)) != first_lost


def test_wider_dtypes_hold_all_numbers() -> None:
    for name in ALL_DTYPES:
        for other in wider(name):
            assert other != name
            assert np.can_cast(name, other) or DTYPES[name].is_stored
    assert wider("float16") == wider("bfloat16") == ("float32", "float64")
    assert wider("float8_e4m3fn") == ("float32", "float64", "float16", "bfloat16")
    assert wider("float8_e5m2") == ("float32", "float64", "float16", "bfloat16")
    assert wider("uint8") == ("int32", "int64", "int16", "uint16", "uint32", "uint64")
    assert wider("int8") == ("int32", "int64", "int16")
    assert wider("int4") == ("int32", "int64", "int8", "int16")
    assert wider("uint32") == ("int64", "uint64")
    assert wider("bool") == (*NUMERIC, *STORED)
    assert wider("float64") == wider("int64") == wider("uint64") == ()


def test_every_dtype_is_of_one_kind() -> None:
    assert sorted(FLOATING + INTEGER + BOOLEAN + STORED) == sorted(ALL_DTYPES) == sorted(DTYPES)
    assert sorted(ANY_FLOAT + ANY_INTEGER + BOOLEAN) == sorted(ALL_DTYPES)
    assert names_of(Kind.UNSIGNED) == UNSIGNED == ("uint8", "uint16", "uint32", "uint64", "uint4")
    assert names_of(Kind.UNSIGNED, stored=False) == ("uint8", "uint16", "uint32", "uint64")


def test_numpy_promotes_what_it_does_not_know_by_our_rules() -> None:
    assert promoted([np.dtype("bfloat16"), 1.5]) == np.dtype("bfloat16")
    assert promoted([np.dtype("float16"), 1.5]) == np.dtype("float16")
    assert promoted([np.dtype("bfloat16"), np.dtype("float32")]) == np.dtype("float32")


def beside_ties(wanted: str, given: str) -> list[int | float]:
    """Return numbers in the middle of two of a dtype, and next to it in another one."""
    digits = DTYPES[wanted].digits
    is_wide = wanted == "bfloat16" and DTYPES[given].largest > 2**50
    scale = 2**20 if is_wide else 1
    ties = [(2 * n + 1) * scale for n in range(2 ** (digits - 1), 2 ** (digits - 1) + 8)]
    if given in ANY_FLOAT:
        step = 2.0 ** (digits - 50) * scale
        return [(tie + way * step) / scale / 2**digits for tie in ties for way in (-1, 0, 1)]
    signs = (1, -1) if DTYPES[given].lowest else (1,)
    return [sign * (tie + way) for tie in ties for way in (-1, 0, 1) for sign in signs]


@pytest.mark.parametrize("given", ["int32", "uint32", "int64", "uint64", "float64"])
@pytest.mark.parametrize("wanted", ["bfloat16", "float16", "float8_e4m3fn", "float8_e5m2"])
def test_conversions_round_once(wanted: str, given: str) -> None:
    numbers = [n for n in beside_ties(wanted, given) if abs(n) < DTYPES[wanted].largest]
    bits = np.dtype(f"uint{8 * np.dtype(wanted).itemsize}")
    every = np.arange(2 ** (8 * bits.itemsize), dtype=np.uint32).astype(bits)
    held = {float(v): int(b) for v, b in zip(every.view(wanted), every, strict=True) if v == v}
    ordered = np.array(sorted(v for v in held if abs(v) != np.inf))
    for number in numbers:
        place = int(np.searchsorted(ordered, number))
        near = ordered[max(0, place - 2) : place + 2]
        distances = [(abs(Fraction(float(v)) - Fraction(number)), held[v] % 2) for v in near]
        expected = near[distances.index(min(distances))]
        assert float(converted(np.array(number, given), wanted)) == expected, number


def test_conversions_keep_what_is_special() -> None:
    special = np.array([np.nan, np.inf, -np.inf, 1e300, -1e-300, -0.0])
    kept = converted(special, "bfloat16").astype("float64")
    assert str(kept.tolist()) == "[nan, inf, -inf, inf, -0.0, -0.0]"
