"""Numbers of a field, and sums of products of conditions, which are their own squares."""

from __future__ import annotations

from collections.abc import Mapping
from random import SystemRandom
from typing import Any


def _prime() -> int:
    """Return a prime with 60 digits, one less than a multiple of 4, so that roots are powers.

    It is drawn, as whoever knew it could write a number of a rule that is 0 in the field. Numbers
    that pass are primes but for a chance of 2**-64 (Miller and Rabin).
    """
    draw = SystemRandom()
    while True:
        number = 2**59 + 4 * draw.randrange(2**57) + 3
        bases = (draw.randrange(2, number - 1) for _ in range(32))
        if all(pow(base, number // 2, number) in (1, number - 1) for base in bases):
            return number


PRIME = _prime()
SMALL = 2**20
"""Numbers up to it are what they are: nothing that is drawn happens to be one."""

Value = Any
"""A number of the field, or numbers by sets of conditions: a sum of products of these."""


def signed(value: Value) -> int | None:
    """Return the small integer that a value is, None for anything else."""
    if not isinstance(value, int):
        return None
    near = value if value < SMALL else value - PRIME
    return near if -SMALL < near < SMALL else None


def plus(left: Value, right: Value, factor: int = 1) -> Value:
    """Return left + factor * right."""
    if isinstance(left, int) and isinstance(right, int):
        return (left + factor * right) % PRIME
    found = dict(parts(left))
    for mono, number in parts(right).items():
        found[mono] = (found.get(mono, 0) + factor * number) % PRIME
    return simple(found)


def parts(value: Value) -> Mapping[frozenset[int], int]:
    """Return the numbers of a value by sets of conditions."""
    return value if isinstance(value, dict) else {frozenset(): value}


def simple(found: dict[frozenset[int], int]) -> Value:
    """Return a sum without what is 0, as a number where it is one."""
    kept = {mono: number for mono, number in found.items() if number}
    return kept if any(kept) else kept.get(frozenset(), 0)


def key_of(value: Value) -> Any:
    """Return what equal values have in common."""
    return value if isinstance(value, int) else frozenset(value.items())


def within(value: Value, case: frozenset[int]) -> int:
    """Return what a value is where some conditions hold and all others do not."""
    return sum(number for mono, number in parts(value).items() if mono <= case) % PRIME


def product_in(value: Value) -> frozenset[int] | None:
    """Return the conditions that a value is the product of, None for anything else."""
    if value == 1:
        return frozenset()
    if isinstance(value, dict) and list(value.values()) == [1]:
        (conditions,) = value
        return frozenset(conditions)
    return None
