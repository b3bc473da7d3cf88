"""Laws of maxima, minima and products over regions: what is the same for all items stands outside.

max(a + t) = max(a) + t, max(g a) = g max(a) for g > 0, max(f(a)) = f(max(a)) for functions that
never decrease. Sums and products of integers wrap, so these take real numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import gcd, inf
from typing import Any

from gslverify.prove.laws.powers import Powers
from gslverify.prove.values.algebra import Algebra, single
from gslverify.prove.values.signs import Sign, Signs
from gslverify.prove.values.values import (
    NUMBER,
    POINT,
    Factor,
    Family,
    Item,
    Region,
    Value,
    constant,
    plus,
    symbols_in,
    value_of,
)

INCREASING = frozenset({"floor", "ceil", "round", "trunc", "erf", "tanh", "sqrt", "log", "sign"})
"""Functions of one argument that never decrease."""

STRICTLY = frozenset({"erf", "tanh", "sqrt", "log", "exp"})
"""Those that increase everywhere, so that numbers are equal or ordered as their values are."""

ROUNDING = frozenset({"floor", "ceil", "round", "trunc"})
"""Functions of which every whole number is its own value."""

OPPOSITE = {
    **{name: name for name in ("round", "trunc", "erf", "tanh", "sign")},
    "floor": "ceil",
    "ceil": "floor",
}
"""The function g with -f(a) = g(-a)."""

_LOST = {"max": -inf, "min": inf}


class Extrema:
    """Combines items by "max", "min" or "product"."""

    def __init__(self, algebra: Algebra, signs: Signs, powers: Powers, is_field: bool) -> None:
        self.algebra = algebra
        self.signs = signs
        self.powers = powers
        self.is_field = is_field

    def extremum(self, head: str, items: Sequence[Item]) -> Value:
        """Return an extremum or product; extrema of extrema become one."""
        if head == "min" and self.is_field:
            turned = [Item(item.region, plus(Value(), item.value, -1)) for item in items]
            return plus(Value(), self.extremum("max", turned), -1)
        flat: dict[Any, Item] = {}
        for item in items:
            for one in self._flat(head, item):
                if not _is_neutral(head, one.value):
                    key = one.region.key, one.value.key
                    flat.setdefault(key if head != "product" else len(flat), one)
        if head == "product":
            return self._product(list(flat.values()))
        found = self._without_dominated(head, list(flat.values()))
        return self._combined(head, found)

    def _combined(self, head: str, items: list[Item]) -> Value:
        """Return the extremum of items with what is the same for all of them outside."""
        if len(items) == 1 and items[0].region.is_point:
            return items[0].value
        if self.is_field and items:
            shift = self._shift(items)
            if shift.families:
                rest = [Item(i.region, plus(i.value, shift, -1)) for i in items]
                return plus(self._combined(head, rest), shift)
            scale = self._scale(items)
            if scale.constant != 1:
                inverse = self.algebra.inverse(scale)
                times = self.algebra.times
                rest = [Item(i.region, times(i.value, inverse)) for i in items]
                return times(self._combined(head, rest), scale)
        function = self._function(items)
        if function is not None:
            return self._of_function(function, head, items)
        return single(self.algebra.combined(head, items))

    def _product(self, items: Sequence[Item]) -> Value:
        """Return the product of several products over one region each."""
        parts = [
            item.value if item.region.is_point else single(self.algebra.combined("product", [item]))
            for item in items
        ]
        return reduce(self.algebra.times, parts, constant(1))

    def _flat(self, head: str, item: Item) -> list[Item]:
        inner = _inner(head, item.value)
        if inner is None or item.region.symbols & symbols_in(single(inner)):
            return [self._without_unused(item) if head != "product" else item]
        whole = [
            Item(
                Region(
                    item.region.extents + one.region.extents,
                    item.region.guards + one.region.guards,
                ),
                one.value,
            )
            for one in inner.items
        ]
        return [self._without_unused(one) if head != "product" else one for one in whole]

    def _without_unused(self, item: Item) -> Item:
        """Leave out indices that nothing depends on, where they take a value at all."""
        if not item.region.extents:
            return item
        used = self._free(item.value)
        for guard in item.region.guards:
            used |= self.algebra.symbols_of(guard)
        for _, extent in item.region.extents:
            used |= self.algebra.symbols_of(extent)
        unused = [extent for symbol, extent in item.region.extents if symbol not in used]
        if not unused or not self.signs.facts.entails(*(extent >= 1 for extent in unused)):
            return item
        kept = tuple(pair for pair in item.region.extents if pair[0] in used)
        return Item(Region(kept, item.region.guards), item.value)

    def _free(self, value: Value) -> set[Any]:
        found = set[Any]()
        for family in value.families:
            found |= self._free_in(family)
        return found

    def _free_in(self, family: Family) -> set[Any]:
        found = {symbol for factor, _ in family.powers for symbol in self.algebra.free(factor)}
        for symbol, extent in family.region.extents:
            found |= {symbol} | self.algebra.symbols_of(extent)
        for guard in family.region.guards:
            found |= self.algebra.symbols_of(guard)
        return found

    def _without_dominated(self, head: str, items: list[Item]) -> list[Item]:
        """Leave out items at one place that another one is never worse than."""
        kept = [item for item in items if not self._is_limit_of_dtype(head, item, items)]
        if not self.is_field or head != "max":
            return kept
        for item in items:
            others = [o for o in kept if o is not item and o.region.is_point]
            if item.region.is_point and any(
                self.signs.has(Sign.NATURAL, plus(other.value, item.value, -1)) for other in others
            ):
                kept.remove(item)
        return kept

    def _is_limit_of_dtype(self, head: str, item: Item, items: Sequence[Item]) -> bool:
        """Tell whether an item is a number that no element of a dtype is on the other side of."""
        number = item.value.constant
        others = [one for one in items if one is not item and one.region.is_point]
        if number is None or not item.region.is_point or len(others) != 1 or len(items) != 2:
            return False
        limits = self.signs.limits_of(others[0].value)
        if limits is None:
            return False
        return bool(number <= limits[0] if head == "max" else number >= limits[1])

    def _shift(self, items: Sequence[Item]) -> Value:
        """Return the summands that all items have and that depend on no index of theirs."""
        first, *others = items
        known = [{(f.key, f.number) for f in item.value.families} for item in others]
        shift = []
        for family in first.value.families:
            if any((family.key, family.number) not in one for one in known):
                continue
            if all(self._is_apart(family, item.region) for item in items):
                shift.append(family)
        if len(items) > 1 or not items[0].region.is_point:
            return value_of(shift)
        return Value()

    def _is_apart(self, family: Family, region: Region) -> bool:
        return not self._free_in(family) & region.symbols

    def _scale(self, items: Sequence[Item]) -> Value:
        """Return the factors that all summands of all items have, and that keep the order.

        Where there may be no item at all, 0 times that is no number.
        """
        is_filled = all(self.signs.is_filled(item.region) for item in items)
        sign = Sign.NATURAL if is_filled else Sign.POSITIVE
        families = [family for item in items for family in item.value.families]
        if not families:
            return constant(1)
        number = reduce(_common_measure, (abs(Fraction(f.number)) for f in families))
        symbols = {symbol for item in items for symbol in item.region.symbols}
        taken = []
        if all(family.region.is_point for family in families):
            for factor, power in families[0].powers:
                powers = [
                    next((p for f, p in one.powers if f.key == factor.key), 0) for one in families
                ]
                count = min(powers) if power > 0 else max(powers)
                is_common = count * power > 0 and not self.algebra.free(factor) & symbols
                if is_common and self.signs.is_factor(sign, factor):
                    taken.append((factor, count))
        simple = int(number) if number.denominator == 1 else number
        return self.algebra.family(simple, taken, POINT)

    def _function(self, items: Sequence[Item]) -> str | None:
        """Return the function that never decreases and that all items are values of."""
        heads = {self.outermost(item.value) for item in items if not self._is_whole(item.value)}
        head = heads.pop() if len(heads) == 1 else None
        has_numbers = any(self._is_whole(item.value) for item in items)
        return None if has_numbers and head not in ROUNDING else head

    def _is_whole(self, value: Value) -> bool:
        """Tell whether a value is a whole number, which is what it is rounded to."""
        return self.is_field and isinstance(value.constant, int)

    def outermost(self, value: Value) -> str | None:
        """Return the increasing function that a value is of; -round(a) is round(-a)."""
        if len(value.families) != 1 or not value.families[0].region.is_point:
            return None
        (only,) = value.families
        if only.number == 1 and only.powers and all(f.head == "exp" for f, _ in only.powers):
            return "exp"
        if len(only.powers) != 1 or only.powers[0][1] != 1:
            return None
        head = only.powers[0][0].head
        if only.number == -1:
            return OPPOSITE.get(head)
        return head if only.number == 1 and head in INCREASING else None

    def inside(self, function: str, value: Value) -> Value:
        """Return what a value is an increasing function of."""
        if function == "exp":
            return self.powers.logarithm(value)
        if self._is_whole(value):
            return value
        (only,) = value.families
        return plus(Value(), only.powers[0][0].arguments[0], only.number)

    def _of_function(self, function: str, head: str, items: Sequence[Item]) -> Value:
        inside = [Item(i.region, self.inside(function, i.value)) for i in items]
        whole = self.extremum(head, inside)
        match function:
            case "exp":
                return self.powers.exponential(whole)
            case "log":
                return self.powers.logarithm(whole)
            case "sqrt":
                return self.powers.root(whole)
        return single(self.algebra.factor(function, whole))


def _inner(head: str, value: Value) -> Factor | None:
    if len(value.families) != 1:
        return None
    only = value.families[0]
    if only.number != 1 or not only.region.is_point or len(only.powers) != 1:
        return None
    factor, power = only.powers[0]
    return factor if factor.head == head and power == 1 else None


def _common_measure(one: Fraction, other: Fraction) -> Fraction:
    """Return the largest number of which both are whole multiples."""
    denominator = one.denominator * other.denominator
    return Fraction(
        gcd(one.numerator * other.denominator, other.numerator * one.denominator), denominator
    )


def is_infinite(value: Value) -> bool:
    """Tell whether an infinite constant takes part in a value."""
    return any(
        factor.head == NUMBER and isinstance(factor.places[0], float)
        for family in value.families
        for factor, _ in family.powers
    )


def _is_neutral(head: str, value: Value) -> bool:
    """Tell whether a value is an infinity that never is the extremum."""
    if not is_infinite(value) or len(value.families) != 1:
        return False
    only = value.families[0]
    places = [factor.places[0] for factor, power in only.powers if power == 1 and factor.places]
    return len(only.powers) == 1 and bool(places) and only.number * places[0] == _LOST.get(head)
