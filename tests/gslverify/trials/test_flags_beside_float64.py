"""Graphs with float64 and narrower floats: what is rounded before a conversion, and what after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gsl import op
from tests.gslverify.trials.flagged import Sides, check_flags, write_of


def single(x: Any) -> Any:
    return op.Cast(x, dtype="float32")


def double(x: Any) -> Any:
    return op.Cast(x, dtype="float64")


NARROWED: Mapping[str, tuple[Sides, str]] = {
    "float16(float32(x * y)) => float16(float32(x) * float32(y))": (
        lambda x, y: (
            op.Cast(single(x * y), dtype="float16"),
            op.Cast(single(x) * single(y), dtype="float16"),
        ),
        "ninf lossy",
    ),
    "float32(x + y) => float32(x) + float32(y)": (
        lambda x, y: (single(x + y), single(x) + single(y)),
        "ninf nsz lossy",
    ),
    "float32(-x) => -float32(x)": (lambda x: (single(-x), -single(x)), ""),
}
WIDENED: Mapping[str, tuple[Sides, str]] = {
    "float32(float64(x) * float64(y)) => x * y": (
        lambda x, y: (single(double(x) * double(y)), x * y),
        "",
    ),
    "float32(float64(x) / float64(y)) => x / y": (
        lambda x, y: (single(double(x) / double(y)), x / y),
        "",
    ),
    "float32(sqrt(float64(x))) => sqrt(x)": (
        lambda x: (single(op.Sqrt(double(x))), op.Sqrt(x)),
        "",
    ),
    "float32(float64(x) * y * z) => x * y * z": (
        lambda x, y, z: (single(double(x) * double(y) * double(z)), x * y * z),
        "ninf reassoc",
    ),
    "(float64(x) + float64(y)) + float64(z) => float64(x) + (float64(y) + float64(z))": (
        lambda x, y, z: (
            (double(x) + double(y)) + double(z),
            double(x) + (double(y) + double(z)),
        ),
        "reassoc",
    ),
}
ROWS = [
    (name, dtype, sides, flags)
    for dtype, rows in (("float64", NARROWED), ("float32", WIDENED))
    for name, (sides, flags) in rows.items()
]


@pytest.mark.parametrize(
    ("dtype", "sides", "flags"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_flags_beside_float64(dtype: str, sides: Sides, flags: str) -> None:
    check_flags(write_of(sides, dtype), flags, {}, dtype)
