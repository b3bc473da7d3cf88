"""A law is a row: what is written on the left is what is written on the right, under conditions.

Unknowns are reads without indices, so that both sides are expressions like those of kernels. Rows
say nothing about how they are found or discharged, and each is tested by itself: on random numbers
and, where z3 can decide it, for all (`tests/gslverify/prove/test_rows.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from gsl.kernel.expression import Apply, Expression, Number, Read
from gslverify.prove.values.values import Factor, Family, Value, constant, plus, value_of

A, B, C, D = (Read(name, ()) for name in "abcd")
"""Unknowns of laws."""


class Numbers(Enum):
    """What the unknowns of a law stand for."""

    INTEGERS = "integers of one dtype, which wrap"
    REALS = "real numbers"


@dataclass(frozen=True, slots=True)
class Law:
    """`left` is `right` for numbers of a kind where all conditions hold.

    Args:
        name: how derivations call it.
        left: a function of unknowns; arguments may be functions again, multiples or opposites.
        right: what it is, in the same unknowns.
        where: conditions on the unknowns, as expressions that are truth values.
        fits: expressions of integers that must be within the range of their dtype.
        of: the kind of numbers.
    """

    name: str
    left: Apply
    right: Expression
    where: tuple[Expression, ...] = ()
    fits: tuple[Expression, ...] = ()
    of: Numbers = Numbers.INTEGERS


Bound = Mapping[str, Value]
"""Values of unknowns."""


def matches(law: Law, arguments: tuple[Value, ...]) -> Iterator[Bound]:
    """Yield the ways in which arguments are those on the left of a law."""
    yield from _all(law.left.arguments, arguments, {})


def _all(patterns: tuple[Any, ...], values: tuple[Value, ...], bound: Bound) -> Iterator[Bound]:
    if len(patterns) != len(values):
        return
    if not patterns:
        yield bound
        return
    for first in _one(patterns[0], values[0], bound):
        yield from _all(patterns[1:], values[1:], first)


def _one(pattern: Any, value: Value, bound: Bound) -> Iterator[Bound]:
    match pattern:
        case Read(tensor=name):
            known = bound.get(name)
            if known is None or known.key == value.key:
                yield {**bound, name: value}
        case Number(value=number):
            if value.constant == number:
                yield bound
        case Apply(function="neg", arguments=(inner,)):
            if is_negative(value):
                yield from _one(inner, plus(Value(), value, -1), bound)
        case Apply(function="*", arguments=arguments):
            for part, rest in _factors(value):
                yield from _all(arguments, (rest, part), bound)
        case Apply(function="+", arguments=arguments):
            for part, rest in _summands(value):
                yield from _all(arguments, (rest, part), bound)
        case Apply(function=function, arguments=arguments):
            factor = only_factor(value)
            if factor is not None and factor.head == function:
                yield from _all(arguments, factor.arguments, bound)


def only_factor(value: Value) -> Factor | None:
    """Return the factor that a value is, None if it is anything else."""
    if len(value.families) != 1:
        return None
    only = value.families[0]
    if only.number != 1 or not only.region.is_point or len(only.powers) != 1:
        return None
    factor, power = only.powers[0]
    return factor if power == 1 else None


def _factors(value: Value) -> Iterator[tuple[Value, Value]]:
    """Yield each factor of a product, and the product without it; its number last."""
    if len(value.families) != 1 or not value.families[0].region.is_point:
        return
    only = value.families[0]
    for factor, power in only.powers:
        if power >= 1:
            rest = [(f, p - 1 if f is factor else p) for f, p in only.powers]
            kept = tuple(pair for pair in rest if pair[1])
            yield Value((Family(1, ((factor, 1),)),)), Value((Family(only.number, kept),))
    if only.number != 1:
        yield constant(only.number), Value((Family(1, only.powers),))


def _summands(value: Value) -> Iterator[tuple[Value, Value]]:
    """Yield each summand of a sum, and the sum without it."""
    if len(value.families) < 2:
        return
    for family in value.families:
        yield Value((family,)), value_of(one for one in value.families if one is not family)


def is_negative(value: Value) -> bool:
    """Tell whether a value is written with a minus, of which its opposite has none."""
    ordered = sorted(value.families, key=lambda family: repr(family.signature))
    return bool(ordered) and ordered[0].number < 0
