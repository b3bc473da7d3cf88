"""Values in normal form: sums of products, each summed over a region of the integer space.

A sum over indices, a convolution, a mean are families of products; what is chosen by a condition
about summed indices restricts the region of its family. Anything else is a factor: an element that
is read, a constant that is only known as a term, a function of values.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gsl.attr.term import Symbol, Term

Extents = tuple[tuple[Symbol, Any], ...]
"""Bound indices with their extents: each takes the values 0 .. extent - 1."""

READ, NUMBER, CAST, HELD = "read", "number", "cast", "held"
EXTREMA = ("max", "min", "product")
"""Functions of any number of values, whose factors have items."""


@dataclass(slots=True, eq=False)
class Region:
    """The indices within some extents for which conditions hold."""

    extents: Extents = ()
    guards: tuple[Term, ...] = ()
    _key: Hashable = field(default=None, init=False, repr=False)

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The bound indices."""
        return frozenset(symbol for symbol, _ in self.extents)

    @property
    def bounds(self) -> tuple[Term, ...]:
        """The conditions that make an index a part of the region."""
        sides = ((s >= 0, s < extent) for s, extent in self.extents)
        return (*(side for pair in sides for side in pair), *self.guards)

    @property
    def key(self) -> Hashable:
        """Regions of one key are the same."""
        if self._key is None:
            symbols = frozenset(id(symbol) for symbol, _ in self.extents)
            self._key = symbols, frozenset(map(id, self.guards))
        return self._key

    @property
    def is_point(self) -> bool:
        """Whether nothing is bound and nothing demanded."""
        return not self.extents and not self.guards


POINT = Region()
"""Nothing is bound and nothing demanded."""


@dataclass(slots=True, eq=False)
class Item:
    """A value for every index of a region: what extrema and products combine."""

    region: Region
    value: Value


@dataclass(slots=True, eq=False)
class Factor:
    """A value that is not taken apart.

    Args:
        head: what it is: "read", "number", "cast" or the name of a function.
        name: the tensor that is read.
        places: indices of a read, the term of a number, source and target dtype of a cast.
        arguments: the values that a function is applied to.
        items: what an extremum or product combines.
        is_bit: whether it is 0 or 1, as a truth value is.
    """

    head: str
    key: Hashable
    name: str = ""
    places: tuple[Any, ...] = ()
    arguments: tuple[Value, ...] = ()
    items: tuple[Item, ...] = ()
    is_bit: bool = False

    @property
    def signature(self) -> tuple[str, str, int, int, int]:
        """What factors that are equal usually have in common."""
        return self.head, self.name, len(self.places), len(self.arguments), len(self.items)


Powers = tuple[tuple[Factor, int], ...]
"""Factors with their exponents."""


@dataclass(slots=True, eq=False)
class Family:
    """A product of factors and a number, summed over a region."""

    number: Any
    powers: Powers = ()
    region: Region = POINT
    _key: Hashable = field(default=None, init=False, repr=False)
    _signature: Any = field(default=None, init=False, repr=False)

    @property
    def key(self) -> Hashable:
        """Families of one key are equal up to their numbers."""
        if self._key is None:
            factors = frozenset((factor.key, power) for factor, power in self.powers)
            self._key = factors if self.region.is_point else (factors, self.region.key)
        return self._key

    @property
    def signature(self) -> Any:
        """What equal families usually have in common."""
        if self._signature is None:
            kinds = [(*factor.signature, power) for factor, power in self.powers]
            self._signature = tuple(sorted(kinds))
        return self._signature

    def scaled(self, number: Any) -> Family:
        """Return the family times a number."""
        return Family(self.number * number, self.powers, self.region)


@dataclass(slots=True, eq=False)
class Value:
    """A sum of families."""

    families: tuple[Family, ...] = ()
    _key: Hashable = field(default=None, init=False, repr=False)

    @property
    def key(self) -> Hashable:
        """Values of one key are equal."""
        if self._key is None:
            self._key = frozenset((family.key, family.number) for family in self.families)
        return self._key

    @property
    def constant(self) -> Any:
        """The number that the value is, None if it is not known to be one."""
        if not self.families:
            return 0
        if len(self.families) > 1:
            return None
        only = self.families[0]
        return None if only.powers or not only.region.is_point else only.number


def value_of(families: Iterable[Family]) -> Value:
    """Return the sum of families; those of one key become one, or none."""
    found: dict[Hashable, Family] = {}
    for family in families:
        key = family.key
        if key in found:
            family = Family(found[key].number + family.number, family.powers, family.region)
        found[key] = family
    return Value(tuple(family for family in found.values() if family.number != 0))


def constant(number: Any) -> Value:
    """Return a known number as a value."""
    return Value((Family(number),)) if number != 0 else Value()


def plus(left: Value, right: Value, number: Any = 1) -> Value:
    """Return left + number * right."""
    return value_of([*left.families, *(family.scaled(number) for family in right.families)])


def product_of(powers: Iterable[tuple[Factor, int]]) -> Powers:
    """Return factors with their exponents added up; a truth value is its own square."""
    found: dict[Hashable, tuple[Factor, int]] = {}
    for factor, power in powers:
        key = factor.key
        whole = power + (found[key][1] if key in found else 0)
        found[key] = factor, min(whole, 1) if factor.is_bit else whole
    return tuple(pair for pair in found.values() if pair[1])


def parts_of(value: Value) -> Iterator[Factor | Region]:
    """Yield the factors and regions in a value, at any depth."""
    stack: list[Any] = [value]
    while stack:
        part = stack.pop()
        match part:
            case Value(families=families):
                stack.extend(families)
            case Family(powers=powers, region=region):
                stack.extend([region, *(factor for factor, _ in powers)])
            case Item(region=region, value=inner):
                stack.extend([region, inner])
            case Factor(arguments=arguments, items=items):
                stack.extend([*arguments, *items])
                yield part
            case Region():
                yield part


def symbols_in(value: Value) -> frozenset[Symbol]:
    """Return the indices that a value binds itself, at any depth."""
    regions = [part for part in parts_of(value) if isinstance(part, Region)]
    return frozenset(symbol for region in regions for symbol in region.symbols)
