"""Comparisons with an infinite constant: no real number is infinite, nor beyond it.

What divides, and functions that have poles, are left out: where they have no real value, floats
have an infinite one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf

from gslverify.prove.laws.law import only_factor
from gslverify.prove.values.signs import Signs
from gslverify.prove.values.values import NUMBER, Factor, Value, plus
from gslverify.semantics.arithmetic import COMPARED

TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def compared_with_infinity(name: str, values: Sequence[Value], signs: Signs) -> bool | None:
    """Return what a comparison of a real number with an infinity says, None for anything else."""
    if name not in COMPARED:
        return None
    left, right = values
    for one, other, function in ((left, right, name), (right, left, TURNED.get(name, name))):
        side = _side(other)
        if side and _is_finite(one, signs):
            return bool(COMPARED[function](0, side))  # as any finite number compares with it
    return None


def _side(value: Value) -> int:
    """Return 1 or -1 for an infinite constant, 0 for any other value."""
    for turned, side in ((value, 1), (plus(Value(), value, -1), -1)):
        factor = only_factor(turned)
        if factor is not None and factor.head == NUMBER:
            number = factor.places[0]
            if isinstance(number, float) and isinf(number):
                return side if number > 0 else -side
    return 0


def _is_finite(value: Value, signs: Signs) -> bool:
    """Tell whether a value is made of elements and numbers by sums, products and extrema."""
    return all(
        power > 0 and _is_finite_factor(factor, signs)
        for family in value.families
        for factor, power in family.powers
    )


def _is_finite_factor(factor: Factor, signs: Signs) -> bool:
    match factor.head:
        case "read":
            return True
        case "number":
            return not isinstance(factor.places[0], float)
        case "max" | "min":
            is_filled = any(signs.is_filled(item.region) for item in factor.items)
            return is_filled and all(_is_finite(item.value, signs) for item in factor.items)
    return factor.is_bit
