"""The table of dtypes, held against what NumPy says of its own types."""

from __future__ import annotations

import numpy as np
import pytest

from gsl.dtypes import DTYPES, Kind, names_of, wider
from gsl.types import ALL_DTYPES, BOOLEAN, FLOATING, INTEGER, NUMERIC, UNSIGNED


@pytest.mark.parametrize("name", DTYPES)
def test_kinds_and_widths_are_those_of_numpy(name: str) -> None:
    one = DTYPES[name]
    assert one.kind.value == np.dtype(name).kind
    assert one.bits == np.dtype(name).itemsize * 8


@pytest.mark.parametrize("name", FLOATING)
def test_limits_of_floats(name: str) -> None:
    one, limits = DTYPES[name], np.finfo(name)
    assert (one.largest, one.lowest) == (float(limits.max), float(limits.min))
    assert one.smallest == float(limits.smallest_subnormal)
    assert one.digits == limits.nmant + 1
    assert 2 * one.unit == float(limits.eps)


@pytest.mark.parametrize("name", INTEGER)
def test_limits_of_integers(name: str) -> None:
    one, limits = DTYPES[name], np.iinfo(name)
    assert (one.lowest, one.largest) == (limits.min, limits.max)


@pytest.mark.parametrize("name", FLOATING)
def test_from_its_digits_on_a_float_loses_whole_numbers(name: str) -> None:
    first_lost = 2 ** DTYPES[name].digits + 1
    assert int(np.array(first_lost - 1).astype(name)) == first_lost - 1
    assert int(np.array(first_lost).astype(name)) != first_lost


def test_wider_dtypes_hold_all_numbers() -> None:
    for name in ALL_DTYPES:
        for other in wider(name):
            assert other != name
            assert np.can_cast(name, other)
    assert wider("float16") == ("float32", "float64")
    assert wider("uint8") == ("int32", "int64", "int16", "uint16", "uint32", "uint64")
    assert wider("int8") == ("int32", "int64", "int16")
    assert wider("uint32") == ("int64", "uint64")
    assert wider("bool") == NUMERIC
    assert wider("float64") == wider("int64") == wider("uint64") == ()


def test_every_dtype_is_of_one_kind() -> None:
    assert sorted(FLOATING + INTEGER + BOOLEAN) == sorted(ALL_DTYPES) == sorted(DTYPES)
    assert names_of(Kind.UNSIGNED) == UNSIGNED == ("uint8", "uint16", "uint32", "uint64")
