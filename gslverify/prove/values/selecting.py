"""Sums with one term at most that is not 0: an element is looked up at a place that is computed.

The sum over s of [s == e] v(s) is v(e), or 0 where no s is e. What keeps 0, as conversions do, may
be applied to v instead.
"""

from __future__ import annotations

from collections.abc import Callable

from gsl.attr.term import Symbol
from gslverify.prove.values.algebra import Algebra, single
from gslverify.prove.values.values import NUMBER, READ, Factor, Family, Region, Value, value_of


def moved_inside(
    value: Value, function: Callable[[Value], Value | None], algebra: Algebra
) -> Value | None:
    """Return a function of a selection as the selection of the function; None if it is none.

    The function has to take 0 to 0; it returns None where it has no single value.
    """
    found = selection(value, algebra)
    if found is None:
        return None
    choice, family = found
    rest = tuple(pair for pair in family.powers if pair[0] is not choice)
    inner = function(Value((Family(1, rest),)))
    if inner is None:
        return None
    product = algebra.times(single(choice), inner)
    return value_of(_over(family.region, one) for one in product.families)


def _over(region: Region, family: Family) -> Family:
    own = family.region
    joined = Region(region.extents + own.extents, region.guards + own.guards)
    return Family(family.number, family.powers, joined)


def selection(value: Value, algebra: Algebra) -> tuple[Factor, Family] | None:
    """Return the truth value that selects, and the family it is in."""
    if len(value.families) != 1:
        return None
    (only,) = value.families
    if only.number != 1 or len(only.region.extents) != 1:
        return None
    if any(power < 0 for _, power in only.powers):
        return None
    ((symbol, _),) = only.region.extents
    choices = (factor for factor, _ in only.powers if _selects(factor, symbol, algebra))
    choice = next(choices, None)
    return None if choice is None else (choice, only)


def _selects(factor: Factor, symbol: Symbol, algebra: Algebra) -> bool:
    """Tell whether a factor says that an index is an element of an input."""
    if factor.head != "==" or len(factor.arguments) != 1:
        return False
    families = factor.arguments[0].families
    if len(families) != 2 or {family.number for family in families} != {1, -1}:
        return False
    if not all(family.region.is_point and len(family.powers) == 1 for family in families):
        return False
    atoms = [family.powers[0] for family in families]
    places = [one for one, _ in atoms if one.head == NUMBER and one.places[0] is symbol]
    reads = [one for one, _ in atoms if one.head == READ and symbol not in algebra.free(one)]
    return len(places) == len(reads) == 1 and all(power == 1 for _, power in atoms)
