"""One draw of random numbers for functions of which nothing is known, and for conditions.

A function is a table of random numbers, a condition an unknown that is its own square. Equations
that are shown in another way are added with `equate`: wherever a value is the left side, it is the
right one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from gslverify.certificates.field import (
    PRIME,
    SMALL,
    Value,
    key_of,
    parts,
    plus,
    signed,
    simple,
    within,
)

MOST_PARTS = 1024
"""Products of conditions in one value."""

DRAWN = 58
"""Bits that are drawn for a number, the same ones whatever the prime is."""

BITS = 240
"""Of a set of what values were computed from."""


class RefusedError(Exception):
    """A certificate does not show what it claims; says which step."""


class Draw:
    """Random numbers, products and conditions."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = Random(seed)
        self.table: dict[Any, int] = {}
        self.equal: dict[Any, Value] = {}
        self.known: dict[int, bool] = {}
        self.met_known = set[int]()
        self.implied: list[tuple[frozenset[int], int, bool]] = []
        self.limited: list[tuple[frozenset[int], Any, Value]] = []
        self.given: frozenset[int] = frozenset()
        self.memory: dict[Any, tuple[Any, Value, int]] = {}
        self.asked = 0

    def drawn(self, *key: Any) -> int:
        """Return a random number, the same one for the same key."""
        if key not in self.table:
            self.table[key] = SMALL + self.random.getrandbits(DRAWN)
        return self.table[key]

    def forget(self, key: Any = None) -> None:
        """Compute values anew, as more is known about what has a key; about anything for None."""
        self.memory = {
            subject: found
            for subject, found in (self.memory.items() if key is not None else ())
            if not found[2] & _bit(key)
        }

    def equate(self, left: Value, right: Value, given: frozenset[int] = frozenset()) -> None:
        """Let one value be another one wherever it is met and some conditions are given."""
        if key_of(left) == key_of(right):
            return
        if given:
            self.limited.append((given, key_of(left), right))
        else:
            self.equal[key_of(left)] = right
        self.forget(key_of(left))

    def times(self, left: Value, right: Value) -> Value:
        """Return the product, in which conditions are their own squares."""
        if isinstance(left, int) and isinstance(right, int):
            return left * right % PRIME
        found: dict[frozenset[int], int] = {}
        for other, b in parts(right).items():
            for one, a in parts(left).items():
                mono = self._met(one | other)
                if mono is not None:
                    found[mono] = (found.get(mono, 0) + a * b) % PRIME
        if len(found) > MOST_PARTS:
            raise RefusedError("it falls into too many cases")
        return simple(found)

    def _met(self, mono: frozenset[int]) -> frozenset[int] | None:
        """Return conditions that hold together without implied ones, None where they cannot."""
        for given, one, holds in self.implied:
            if one in mono and given <= mono - {one}:
                if not holds:
                    return None
                mono -= {one}
        return mono

    def lifted(self, make: Callable[..., Value], values: Sequence[Value]) -> Value:
        """Return a function of values, which has its own value for every set of conditions."""
        if not any(isinstance(value, dict) for value in values):
            return make(*values)
        cases = {frozenset[int]()}
        for value in values:
            for mono in parts(value):
                joined = (self._met(one | mono) for one in cases)
                cases |= {one for one in joined if one is not None}
                if len(cases) > MOST_PARTS:
                    raise RefusedError("it falls into too many cases")
        found: dict[frozenset[int], Value] = {}
        total: Value = 0
        for case in sorted(cases, key=lambda one: (len(one), sorted(one))):
            less = (part for other, part in found.items() if other < case)
            value = make(*(within(one, case) for one in values))
            for part in less:
                value = plus(value, part, -1)
            found[case] = value
            total = plus(total, self.times({case: 1} if case else 1, value))
        return total

    def literal(self, kind: Any, value: int, *more: Any) -> Value:
        """Return a condition about numbers: known, an unknown, or 1 without its opposite."""
        number = signed(value) if not more else None
        match kind:
            case "eq":
                if number is not None:
                    return int(number == 0)
                value = min(value, PRIME - value)
            case "ge" | "gt":
                if number is not None:
                    return int(number >= (kind == "gt"))
                opposite = (PRIME - value - 1) % PRIME
                if kind == "ge" and (kind, opposite) in self.table:
                    return plus(1, self.literal(kind, opposite), -1)
        name = self.drawn(kind, value, *more)
        self.asked |= _bit(name)
        if name in self.known:
            self.met_known.add(name)
            return int(self.known[name])
        for given, one, holds in self.implied if self.given else ():
            if one == name and given <= self.given:
                return int(holds)
        return self.met({frozenset([name]): 1})

    def met(self, value: Value) -> Value:
        """Return a value, or what an equation says that it is."""
        key = value if isinstance(value, int) else key_of(value)
        self.asked |= 1 << hash(key) % BITS
        if self.given:
            for given, left, right in self.limited:
                if given <= self.given and left == key:
                    return right
        return self.equal.get(key, value) if self.equal else value


def _bit(key: Any) -> int:
    """Return a bit for what is asked for: a set of them is a number, and may say too much."""
    return 1 << hash(key) % BITS
