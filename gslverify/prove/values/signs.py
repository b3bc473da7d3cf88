"""What is known about the signs of values, from how they are made and where others are defined.

Everything here is about real numbers, and said only where all factors of a value are known to have
a sign; integers wrap, so of theirs nothing follows from products and sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import product
from typing import Any

from gsl.dtypes import DTYPES
from gsl.types import ANY_INTEGER, BOOLEAN, UNSIGNED
from gslverify.prove.indices.facts import Facts
from gslverify.prove.values.algebra import single
from gslverify.prove.values.values import (
    Factor,
    Family,
    Item,
    Region,
    Value,
    plus,
    value_of,
)

NATURAL = (*BOOLEAN, *UNSIGNED)
MOST_BITS = 3
MOST_DEPTH = 12


class Sign(Enum):
    """What a value may be known to be."""

    NONZERO = "not 0"
    NATURAL = "not negative"
    POSITIVE = "greater than 0"

    def follows_from(self, other: Sign) -> bool:
        """Tell whether what is `other` is this, too."""
        return other is self or other is Sign.POSITIVE


@dataclass(slots=True)
class Known:
    """A value whose sign is known at all indices of a region where guards hold."""

    sign: Sign
    region: Region
    guards: tuple[Any, ...]
    value: Value


@dataclass(slots=True)
class Signs:
    """Signs of the values of one scenario; `known` are those of values that the source meets.

    `matches` tells whether a value is one that is known, at some index of its region.
    """

    facts: Facts
    dtypes: Mapping[str, Any] = field(default_factory=dict)
    known: list[Known] = field(default_factory=list)
    matches: Any = None
    depth: int = 0

    def within(self, facts: Facts) -> Signs:
        """Return the same where more holds."""
        return Signs(facts, self.dtypes, self.known, self.matches, self.depth)

    def has(self, sign: Sign, value: Value) -> bool:
        """Tell whether a value is known to have a sign; when in doubt it has not."""
        if self.depth >= MOST_DEPTH:
            return False
        self.depth += 1
        try:
            return self._has(sign, value) or self._is_known(sign, value)
        finally:
            self.depth -= 1

    def _has(self, sign: Sign, value: Value) -> bool:
        rows = list(where_bits(value))
        if len(rows) > 1:
            return all(self.has(sign, one) for one in rows)
        match sign:
            case Sign.NATURAL:
                return all(map(self._is_natural_family, value.families))
            case Sign.POSITIVE:
                families = value.families
                natural = all(map(self._is_natural_family, families))
                return natural and any(map(self._is_positive_family, families))
            case Sign.NONZERO:
                if len(value.families) == 1 and self._is_nonzero_family(value.families[0]):
                    return True
                negated = plus(Value(), value, -1)
                return self._has(Sign.POSITIVE, value) or self._has(Sign.POSITIVE, negated)

    def is_met(self, sign: Sign, value: Value) -> bool:
        """Tell whether the source has no value unless a value has a sign; of integers, too."""
        return self._is_known(sign, value)

    def _is_known(self, sign: Sign, value: Value) -> bool:
        if self.matches is None or not value.families:
            return False
        negated = plus(Value(), value, -1)
        for one in self.known:
            if sign.follows_from(one.sign) and self.matches(one, value, self.facts):
                return True
            if sign is Sign.NONZERO and self.matches(one, negated, self.facts):
                return True
        return False

    def _is_nonzero_family(self, family: Family) -> bool:
        return family.region.is_point and all(
            power < 0 or self.is_factor(Sign.NONZERO, factor) for factor, power in family.powers
        )

    def _is_natural_family(self, family: Family) -> bool:
        if family.number < 0:
            return family.region.is_point and self._is_natural_minimum(family)
        return all(
            power % 2 == 0 or self.is_factor(Sign.NATURAL, factor)
            for factor, power in family.powers
        )

    def _is_natural_minimum(self, family: Family) -> bool:
        """Tell whether -max(-a, -b), which is the way in which minima are written, is natural."""
        extrema = [f for f, power in family.powers if f.head == "max" and power == 1]
        others = [f for f, _ in family.powers if f not in extrema]
        return (
            len(extrema) == 1
            and all(self.is_factor(Sign.NATURAL, one) for one in others)
            and all(self._item(Sign.NATURAL, item, -1) for item in extrema[0].items)
        )

    def _is_positive_family(self, family: Family) -> bool:
        return (
            family.number > 0
            and not family.region.guards
            and self.is_filled(family.region)
            and all(self._is_positive_power(factor, power) for factor, power in family.powers)
        )

    def _is_positive_power(self, factor: Factor, power: int) -> bool:
        if power % 2 == 0:
            return power < 0 or self.is_factor(Sign.NONZERO, factor)
        return self.is_factor(Sign.NATURAL if power < 0 else Sign.POSITIVE, factor)

    def is_filled(self, region: Region) -> bool:
        """Tell whether a region is known to have an index."""
        return not region.guards and self.facts.entails(
            *(extent >= 1 for _, extent in region.extents)
        )

    def _item(self, sign: Sign, item: Item, number: int = 1) -> bool:
        facts = self.facts.assuming(*item.region.bounds)
        return self.within(facts).has(sign, plus(Value(), item.value, number))

    def is_factor(self, sign: Sign, factor: Factor) -> bool:
        """Tell whether a factor is known to have a sign."""
        if factor.is_bit:
            return sign is Sign.NATURAL
        return self._is_factor(sign, factor) or self._is_known(sign, single(factor))

    def _is_factor(self, sign: Sign, factor: Factor) -> bool:
        match factor.head:
            case "read":
                dtype = self.dtypes.get(factor.name)
                return sign is Sign.NATURAL and self.facts.is_one_of(dtype, NATURAL)
            case "number" if not isinstance(factor.places[0], float):
                return self._is_number(sign, factor.places[0])
            case "exp":
                return True
            case "sqrt":
                inner = Sign.NATURAL if sign is Sign.NATURAL else Sign.POSITIVE
                return sign is Sign.NATURAL or self.has(inner, factor.arguments[0])
            case "abs":
                return sign is Sign.NATURAL or self.has(Sign.NONZERO, factor.arguments[0])
            case "group":
                return self.has(sign, factor.arguments[0])
            case "pow":
                return self.has(sign, factor.arguments[0])
            case "floor" | "ceil" | "round" | "sign":
                return sign is Sign.NATURAL and self.has(sign, factor.arguments[0])
            case "max":
                return self._is_maximum(sign, factor)
            case "min" | "product":
                return all(self._item(sign, item) for item in factor.items)
        return False

    def limits_of(self, value: Value) -> tuple[int, int] | None:
        """Return the least and the greatest number that an element of an integer dtype can be."""
        match value.families:
            case (Family(number=1, powers=((Factor(head="read", name=name), 1),)) as only,):
                dtype = self.facts.forms.names.text(self.dtypes.get(name))
                if only.region.is_point and isinstance(dtype, str) and dtype in ANY_INTEGER:
                    limits = DTYPES[dtype]
                    return int(limits.lowest), int(limits.largest)
        return None

    def _is_number(self, sign: Sign, term: Any) -> bool:
        conditions = {
            Sign.NONZERO: term != 0,
            Sign.NATURAL: term >= 0,
            Sign.POSITIVE: term > 0,
        }
        return self.facts.entails(conditions[sign])

    def _is_maximum(self, sign: Sign, factor: Factor) -> bool:
        if sign is Sign.NONZERO:
            sign = Sign.POSITIVE
        filled = (item for item in factor.items if self.is_filled(item.region))
        return any(self._item(sign, item) for item in filled) or (
            all(self._item(sign, item) for item in factor.items)
        )


def consequences(sign: Sign, value: Value) -> Iterator[tuple[Sign, Value]]:
    """Yield what is known of other values where a value is known to have a sign.

    A product that is not 0 has no factor that is; a root that is not 0 is one of a positive number.
    """
    yield sign, value
    if len(value.families) != 1 or not value.families[0].region.is_point:
        return
    (only,) = value.families
    if sign is not Sign.NATURAL:
        for factor, power in only.powers:
            if len(only.powers) > 1 or (power, only.number) != (1, 1):
                yield Sign.NONZERO, single(factor)
            yield from _behind(factor)
    if only.number > 0 and len(only.powers) == 1 and only.powers[0][1] % 2:
        ((factor, _),) = only.powers
        if only.number != 1 or only.powers[0][1] != 1:
            yield sign, single(factor)


def _behind(factor: Factor) -> Iterator[tuple[Sign, Value]]:
    """Yield what is known of the argument of a function whose value is not 0."""
    match factor.head:
        case "sqrt":
            yield from consequences(Sign.POSITIVE, factor.arguments[0])
        case "abs" | "group":
            yield from consequences(Sign.NONZERO, factor.arguments[0])


def where_bits(value: Value) -> Iterable[Value]:
    """Yield a value for each choice of the truth values in it, if these are few."""
    bits = {f.key: f for family in value.families for f, _ in family.powers if f.is_bit}
    is_mixed = len(value.families) > 1 and all(f.region.is_point for f in value.families)
    if not bits or len(bits) > MOST_BITS or not is_mixed:
        yield value
        return
    for row in product((0, 1), repeat=len(bits)):
        yield chosen(value, dict(zip(bits, row, strict=True)))


def chosen(value: Value, bits: dict[Any, int]) -> Value:
    """Return a value where some of the truth values in it are known."""
    kept = []
    for family in value.families:
        if all(bits.get(factor.key, 1) for factor, _ in family.powers):
            powers = tuple(pair for pair in family.powers if pair[0].key not in bits)
            kept.append(Family(family.number, powers, family.region))
    return value_of(kept)
