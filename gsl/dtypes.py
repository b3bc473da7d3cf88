"""What is known about every element type, in one table; whatever else depends on dtypes follows.

Names are those of NumPy and, where it has no such type, of `ml_dtypes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """The numbers of a dtype: reals of some digits, integers with or without a sign, bits."""

    FLOAT = "f"
    SIGNED = "i"
    UNSIGNED = "u"
    BOOL = "b"


@dataclass(frozen=True, slots=True)
class Dtype:
    """Facts about one dtype.

    Attributes:
        name: the name in NumPy.
        kind: which numbers it has.
        bits: how many bits an element has; arrays in NumPy keep four of them in a byte.
        digits: binary digits of the significand with the leading one; of an integer without sign.
        largest: the largest finite number.
        smallest: the least positive number; 1 for integers.
        is_stored: whether tensors are only kept in it: moved, converted and quantised, while
            arithmetic is that of another dtype. So it is in ONNX.
    """

    name: str
    kind: Kind
    bits: int
    digits: int
    largest: float | int
    smallest: float | int = 1
    is_stored: bool = False

    @property
    def lowest(self) -> float | int:
        """The least number."""
        if self.kind is Kind.FLOAT:
            return -self.largest
        return -self.largest - 1 if self.kind is Kind.SIGNED else 0

    @property
    def unit(self) -> float:
        """Half the distance from 1 to the next number: the relative error of rounding."""
        return 2.0**-self.digits

    def holds_all_of(self, other: Dtype) -> bool:
        """Tell whether it has every number that the other one has."""
        return (
            self.digits >= other.digits
            and self.lowest <= other.lowest
            and self.largest >= other.largest
            and self.smallest <= other.smallest
        )


def _float(
    name: str,
    bits: int,
    digits: int,
    exponent: int,
    smallest: int,
    largest: float | None = None,
    is_stored: bool = False,
) -> Dtype:
    """Return a float type: numbers below 2 ** exponent, multiples of 2 ** smallest.

    Those of IEEE 754 have all of these, others end at `largest`.
    """
    ieee = (2.0 - 2.0 ** (1 - digits)) * 2.0 ** (exponent - 1)
    most = ieee if largest is None else largest
    return Dtype(name, Kind.FLOAT, bits, digits, most, 2.0**smallest, is_stored)


def _integer(name: str, bits: int, is_stored: bool = False) -> Dtype:
    kind = Kind.UNSIGNED if name.startswith("u") else Kind.SIGNED
    digits = bits if kind is Kind.UNSIGNED else bits - 1
    return Dtype(name, kind, bits, digits, 2**digits - 1, is_stored=is_stored)


DTYPES: Mapping[str, Dtype] = {
    one.name: one
    for one in (
        _float("float32", 32, 24, 128, -149),
        _float("float64", 64, 53, 1024, -1074),
        _float("float16", 16, 11, 16, -24),
        _float("bfloat16", 16, 8, 128, -133),
        _integer("int32", 32),
        _integer("int64", 64),
        _integer("int8", 8),
        _integer("uint8", 8),
        _integer("int16", 16),
        _integer("uint16", 16),
        _integer("uint32", 32),
        _integer("uint64", 64),
        Dtype("bool", Kind.BOOL, 8, 1, 1),
        _float("float8_e4m3fn", 8, 4, 9, -9, 448.0, is_stored=True),
        _float("float8_e5m2", 8, 3, 16, -16, is_stored=True),
        _integer("int4", 4, is_stored=True),
        _integer("uint4", 4, is_stored=True),
    )
}
"""All dtypes, in the order in which they are listed and tried."""


def names_of(*kinds: Kind, stored: bool = True) -> tuple[str, ...]:
    """Return the names of the dtypes of some kinds, those that are only `stored` if asked for."""
    known = (one for one in DTYPES.values() if stored or not one.is_stored)
    return tuple(one.name for one in known if one.kind in kinds)


def wider(name: str) -> tuple[str, ...]:
    """Return the names of the other dtypes of its class that have all numbers of a dtype.

    The classes are floats and integers; truth values are numbers of either.
    """
    own = DTYPES[name]
    return tuple(
        other.name
        for other in DTYPES.values()
        if other is not own and _is_of_class(other, own) and other.holds_all_of(own)
    )


def _is_of_class(one: Dtype, other: Dtype) -> bool:
    return other.kind is Kind.BOOL or (one.kind is Kind.FLOAT) == (other.kind is Kind.FLOAT)
