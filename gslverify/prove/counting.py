"""Divisors and extrema over regions, without conditions that always hold there.

A mean over a window divides by the number of its pixels inside of the image. Where a window never
leaves the image, that number is the product of its sizes.
"""

from __future__ import annotations

from gslverify.prove.indices.facts import Facts
from gslverify.prove.normal import Normaliser
from gslverify.prove.values.algebra import MOST_FACTORS
from gslverify.prove.values.values import Factor, Family, Item, Powers, Region, Value, value_of


def counted(value: Value, normaliser: Normaliser, facts: Facts) -> Value:
    """Return the same value, its divisors with as few conditions as facts allow."""
    parts = [_in_family(family, normaliser, facts) for family in value.families]
    return value_of(family for part in parts for family in part.families)


def _in_family(family: Family, normaliser: Normaliser, facts: Facts) -> Value:
    divisors = tuple(pair for pair in family.powers if pair[0].head == "group" and pair[1] < 0)
    extrema = tuple(pair for pair in family.powers if _is_limited(*pair))
    if not divisors and not extrema:
        return Value((family,))
    algebra = normaliser.algebra
    kept: Powers = tuple(p for p in family.powers if p not in (*divisors, *extrema))
    result = Value((Family(family.number, kept, family.region),))
    for factor, power in divisors:
        inverse = _inverse(factor, normaliser, facts)
        for _ in range(min(-power, MOST_FACTORS)):
            result = algebra.times(result, inverse)
        if -power > MOST_FACTORS:
            rest = ((factor, power + MOST_FACTORS),)
            result = algebra.times(result, Value((Family(1, rest),)))
    for factor, _ in extrema:
        result = algebra.times(result, _extremum(factor, normaliser, facts))
    return result


def _is_limited(factor: Factor, power: int) -> bool:
    """Tell whether a factor is an extremum of what conditions leave."""
    return power == 1 and any(item.region.guards for item in factor.items)


def _extremum(factor: Factor, normaliser: Normaliser, facts: Facts) -> Value:
    items = []
    for item in factor.items:
        inside = facts.assuming(*Region(item.region.extents).bounds)
        guards = tuple(guard for guard in item.region.guards if not inside.entails(guard))
        items.append(Item(Region(item.region.extents, guards), item.value))
    return normaliser.laws.extremum(factor.head, items)


def _inverse(divisor: Factor, normaliser: Normaliser, facts: Facts) -> Value:
    families = (
        one
        for family in divisor.arguments[0].families
        for one in _unconditional(family, normaliser, facts).families
    )
    return normaliser.algebra.inverse(value_of(families))


def _unconditional(family: Family, normaliser: Normaliser, facts: Facts) -> Value:
    extents = family.region.extents
    inside = facts.assuming(*Region(extents).bounds)
    guards = tuple(guard for guard in family.region.guards if not inside.entails(guard))
    return normaliser.counted(family, Region(extents, guards))
