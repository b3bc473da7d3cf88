"""What is known about every element type, in one table; whatever else depends on dtypes follows.

Names are those of NumPy.
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
        bits: how many bits an element has.
        digits: binary digits of the significand with the leading one; of an integer without sign.
        largest: the largest finite number.
        smallest: the least positive number; 1 for integers.
    """

    name: str
    kind: Kind
    bits: int
    digits: int
    largest: float | int
    smallest: float | int = 1

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


def _float(name: str, bits: int, digits: int, exponent: int, smallest: int) -> Dtype:
    """Return a float type of IEEE 754: numbers below 2 ** exponent, multiples of 2 ** smallest."""
    largest = (2.0 - 2.0 ** (1 - digits)) * 2.0 ** (exponent - 1)
    return Dtype(name, Kind.FLOAT, bits, digits, largest, 2.0**smallest)


def _integer(name: str, bits: int) -> Dtype:
    kind = Kind.UNSIGNED if name.startswith("u") else Kind.SIGNED
    digits = bits if kind is Kind.UNSIGNED else bits - 1
    return Dtype(name, kind, bits, digits, 2**digits - 1)


DTYPES: Mapping[str, Dtype] = {
    one.name: one
    for one in (
        _float("float32", 32, 24, 128, -149),
        _float("float64", 64, 53, 1024, -1074),
        _float("float16", 16, 11, 16, -24),
        _integer("int32", 32),
        _integer("int64", 64),
        _integer("int8", 8),
        _integer("uint8", 8),
        _integer("int16", 16),
        _integer("uint16", 16),
        _integer("uint32", 32),
        _integer("uint64", 64),
        Dtype("bool", Kind.BOOL, 8, 1, 1),
    )
}
"""All dtypes, in the order in which they are listed and tried."""


def names_of(*kinds: Kind) -> tuple[str, ...]:
    """Return the names of the dtypes of some kinds."""
    return tuple(name for name, one in DTYPES.items() if one.kind in kinds)


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
