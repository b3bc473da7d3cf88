"""Normal forms of the prover as expressions again."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from gsl.attr.evaluate import conjunction
from gsl.attr.term import operation
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction
from gsl.kernel.meaning import select
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.laws import NEUTRAL
from gslverify.prove.values.values import Factor, Family, Item, Powers, Region, Value

ZERO, ONE = Number(0), Number(1)


def of_value(value: Value) -> Expression:
    """Return a value as an expression; raise RefusedError."""
    return _joined("+", [of_family(family) for family in value.families], ZERO)


def of_family(family: Family) -> Expression:
    """Return a family as an expression: a number times a sum of products over a region."""
    over = of_region("sum", family.region, of_powers(family.powers))
    return over if family.number == 1 else Apply("*", (_number(family.number), over))


def of_region(head: str, region: Region, body: Expression) -> Expression:
    """Return a sum or an extremum of an expression over a region."""
    inner = select(conjunction(*region.guards), body, NEUTRAL[head])
    return Reduction(head, region.extents, inner) if region.extents else inner


def of_powers(powers: Powers) -> Expression:
    """Return a product of factors as an expression."""
    above = [one for factor, power in powers for one in [of_factor(factor)] * power]
    below = [one for factor, power in powers for one in [of_factor(factor)] * -power]
    product = _joined("*", above, ONE)
    return Apply("/", (product, _joined("*", below, ONE))) if below else product


def of_factor(factor: Factor) -> Expression:
    """Return a factor as an expression."""
    arguments = [of_value(argument) for argument in factor.arguments]
    match factor.head:
        case "read":
            return Read(factor.name, tuple(factor.places))
        case "number":
            return Number(factor.places[0])
        case "cast":
            old, new = factor.places
            return Apply("cast", (arguments[0], Number(old), Number(new)))
        case "group":
            return arguments[0]
        case "==" | "<" if len(arguments) == 1:
            return Apply(factor.head, (arguments[0], ZERO))
        case "held":
            raise RefusedError("it holds what may have wrapped")
    if factor.items:
        items = [_item(factor.head, item) for item in factor.items]
        return reduce(lambda a, b: Apply(factor.head, (a, b)), items)
    return Apply(factor.head, tuple(arguments))


def _item(head: str, item: Item) -> Expression:
    return of_region(head, item.region, of_value(item.value))


def _joined(head: str, parts: Sequence[Expression], empty: Expression) -> Expression:
    return reduce(lambda a, b: Apply(head, (a, b)), parts) if parts else empty


def _number(number: Any) -> Number:
    if isinstance(number, Fraction) and number.denominator != 1:
        return Number(operation("/", number.numerator, number.denominator))
    return Number(int(number))
