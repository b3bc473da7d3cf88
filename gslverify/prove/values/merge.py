"""Reads of one element under several names become one read.

An index can be written in many ways where sizes may be 1. As long as they differ, x does not cancel
x, and a truth value is not its own square.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gslverify.prove.indices.facts import Facts
from gslverify.prove.values.algebra import Algebra
from gslverify.prove.values.values import NUMBER, READ, Factor, Family, Value, value_of

MOST_READS = 12


def merged(values: Sequence[Value], algebra: Algebra, facts: Facts) -> list[Value]:
    """Return values in which reads that are proved to be of one element have one form."""
    reads = list(_reads(values, algebra))
    if len(reads) > MOST_READS:
        return list(values)
    kept: list[Factor] = []
    instead: dict[object, Factor] = {}
    for read in reads:
        same = (
            one
            for one in kept
            if one.head == read.head and one.name == read.name and _is_same(one, read, facts)
        )
        partner = next(same, None)
        if partner is None:
            kept.append(read)
        else:
            instead[read.key] = partner
    return [_replaced(value, instead, algebra) for value in values] if instead else list(values)


def _reads(values: Iterable[Value], algebra: Algebra) -> Iterable[Factor]:
    """Return what is read outside of sums and functions, and constants, every form once."""
    found: dict[object, Factor] = {}
    for value in values:
        for family in value.families:
            symbols = family.region.symbols
            for factor, _ in family.powers:
                is_read = factor.head == READ and family.region.is_point
                if is_read or (factor.head == NUMBER and not algebra.free(factor) & symbols):
                    found[factor.key] = factor
    return found.values()


def _is_same(one: Factor, other: Factor, facts: Facts) -> bool:
    return facts.same(zip(one.places, other.places, strict=True))


def _replaced(value: Value, instead: dict[object, Factor], algebra: Algebra) -> Value:
    parts = [_of_family(family, instead, algebra) for family in value.families]
    return value_of(family for part in parts for family in part.families)


def _of_family(family: Family, instead: dict[object, Factor], algebra: Algebra) -> Value:
    powers = [(instead.get(factor.key, factor), power) for factor, power in family.powers]
    return algebra.family(family.number, powers, family.region)
