"""Making values: factors with their keys, products, inverses, other indices in place of some."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

from gsl.attr.term import Symbol, Term, bottom_up
from gslverify.prove.forms import Forms
from gslverify.prove.replacing import Mapped, put
from gslverify.prove.values import (
    CAST,
    NUMBER,
    READ,
    Factor,
    Family,
    Item,
    Powers,
    Region,
    Value,
    constant,
    product_of,
    symbols_in,
    value_of,
)

MOST_FACTORS = 8
"""Powers up to this are products; greater ones stay powers, as they may be huge."""


class Algebra:
    """Makes values whose keys come from the forms of one scenario."""

    def __init__(self, forms: Forms) -> None:
        self.forms = forms
        self._free: dict[int, tuple[Factor, frozenset[Symbol]]] = {}

    def factor(self, head: str, *arguments: Value, is_bit: bool = False) -> Factor:
        """Return a function of values that is not taken apart."""
        key = (head, *(argument.key for argument in arguments))
        return Factor(head, key, arguments=arguments, is_bit=is_bit)

    def read(self, tensor: str, places: Sequence[Any], is_bit: bool = False) -> Factor:
        """Return an element of an input."""
        key = (READ, tensor, *(self.forms.poly(place) for place in places))
        return Factor(READ, key, name=tensor, places=tuple(places), is_bit=is_bit)

    def term(self, term: Any) -> Factor:
        """Return a constant that is known as a term."""
        return Factor(NUMBER, (NUMBER, self.forms.poly(term)), places=(term,))

    def cast(self, value: Value, source: Any, target: Any) -> Factor:
        """Return a value of one dtype as one of another."""
        names = tuple(self.forms.names.text(dtype) for dtype in (source, target))
        key = (CAST, *(self.forms.poly(name) for name in names), value.key)
        return Factor(CAST, key, places=names, arguments=(value,))

    def combined(self, head: str, items: Sequence[Item]) -> Factor:
        """Return an extremum or a product of items."""
        keys = frozenset((item.region.key, item.value.key) for item in items)
        return Factor(head, (head, keys), items=tuple(items))

    def number(self, value: Any) -> Value:
        """Return a constant: a number, or integer arithmetic on terms."""
        if not isinstance(value, Term):
            if isinstance(value, float) and not isfinite(value):
                return single(Factor(NUMBER, (NUMBER, repr(value)), places=(value,)))
            exact = Fraction(value)
            return constant(int(exact) if exact.denominator == 1 else exact)
        families = []
        for mono, number in self.forms.poly(value):
            atoms = [(self.term(self.forms.atoms[atom]), 1) for atom in mono]
            families.append(Family(number, product_of(atoms)))
        return value_of(families)

    def times(self, left: Value, right: Value) -> Value:
        """Return the product of two sums, multiplied out."""
        self.forms.effort.products(len(left.families) * len(right.families))
        clashing = symbols_in(left) & symbols_in(right)
        if clashing:
            right = self.renamed(right, clashing)
        products = [self._product(a, b) for a in left.families for b in right.families]
        return value_of(family for value in products for family in value.families)

    def _product(self, left: Family, right: Family) -> Value:
        region = Region(
            left.region.extents + right.region.extents, left.region.guards + right.region.guards
        )
        return self.family(left.number * right.number, (*left.powers, *right.powers), region)

    def family(self, number: Any, powers: Iterable[tuple[Factor, int]], region: Region) -> Value:
        """Return a family as a value; groups that are no divisors any more are opened."""
        kept: list[tuple[Factor, int]] = []
        opened: list[Value] = []
        for factor, power in self._without_signs(product_of(powers), opened):
            if factor.head == "group" and 0 < power <= MOST_FACTORS:
                opened += [factor.arguments[0]] * power
            elif factor.head in ("sqrt", "abs") and 1 < abs(power) <= 2 * MOST_FACTORS:
                self._open_twice(factor, power, kept, opened)
            else:
                kept.append((factor, power))
        result = Value((Family(number, tuple(kept), region),)) if number else Value()
        for value in opened:
            result = self.times(result, value)
        return result

    def _open_twice(
        self, factor: Factor, power: int, kept: list[tuple[Factor, int]], opened: list[Value]
    ) -> None:
        """Open sqrt(a) ** 2, which is a, and abs(a) ** 2, which is a ** 2."""
        side, (half, odd) = (1 if power > 0 else -1), divmod(abs(power), 2)
        if odd:
            kept.append((factor, side))
        inner = factor.arguments[0] if side > 0 else self.inverse(factor.arguments[0])
        opened += [inner] * (half if factor.head == "sqrt" else 2 * half)

    def _without_signs(self, powers: Powers, opened: list[Value]) -> Powers:
        """Open sign(a) abs(a), which is a."""
        left = {factor.key: (factor, power) for factor, power in powers}
        for factor, power in powers:
            if factor.head != "sign" or power != 1:
                continue
            size = self.factor("abs", factor.arguments[0])
            _, count = left.get(size.key, (size, 0))
            if count >= 1:
                left[size.key] = size, count - 1
                del left[factor.key]
                opened.append(factor.arguments[0])
        return tuple(pair for pair in left.values() if pair[1])

    def inverse(self, value: Value) -> Value:
        """Return 1 / value, where the value is not 0."""
        if len(value.families) != 1:
            return self._inverse_of_sum(value)
        (only,) = value.families
        number = Fraction(1) / only.number
        bound = only.region.symbols
        apart = [p for p in only.powers if only.region.is_point or not self.free(p[0]) & bound]
        inside = tuple(pair for pair in only.powers if pair not in apart)
        inverted = [(factor, -power) for factor, power in apart]
        if not only.region.is_point:
            rest = Value((Family(1, inside, only.region),))
            inverted.append((self.factor("group", rest), -1))
        return self.family(_simple(number), inverted, Region())

    def _inverse_of_sum(self, value: Value) -> Value:
        common = self._common(value)
        inverted: list[tuple[Factor, int]] = [(factor, -power) for factor, power in common]
        rest = self.times(value, self.family(1, inverted, Region()))
        return self.family(1, [*inverted, (self.factor("group", rest), -1)], Region())

    def _common(self, value: Value) -> Powers:
        """Return the factors that all families have and that depend on no bound index."""
        if not value.families:
            return ()
        bound = symbols_in(value)
        first, *others = value.families
        common = []
        for factor, power in first.powers:
            powers = [power]
            for family in others:
                powers += [p for f, p in family.powers if f.key == factor.key]
            if len(powers) == len(value.families) and not self.free(factor) & bound:
                common.append((factor, min(powers)))
        return tuple(common)

    def free(self, factor: Factor) -> frozenset[Symbol]:
        """Return all symbols in a factor, its own bound ones included."""
        if id(factor) not in self._free:
            self._free[id(factor)] = factor, frozenset(self._symbols(factor))
        return self._free[id(factor)][1]

    def _symbols(self, factor: Factor) -> set[Symbol]:
        found = _in_terms(factor.places)
        stack: list[Any] = [*factor.arguments, *factor.items]
        while stack:
            match stack.pop():
                case Value(families=families):
                    stack.extend(families)
                case Family(powers=powers, region=region):
                    stack.extend([region, *(one for one, _ in powers)])
                case Item(region=region, value=value):
                    stack.extend([region, value])
                case Factor() as inner:
                    found |= self.free(inner)
                case Region(extents=extents, guards=guards):
                    found |= _in_terms([extent for _, extent in extents]) | _in_terms(guards)
                    found |= {symbol for symbol, _ in extents}
        return found

    @staticmethod
    def symbols_of(term: Any) -> set[Symbol]:
        """Return the symbols in a term or number."""
        return _in_terms([term])

    def renamed(self, value: Value, symbols: Iterable[Symbol]) -> Value:
        """Return a value with fresh names for some bound indices."""
        fresh = {symbol: Symbol(symbol.name, low=0) for symbol in symbols}
        for old, new in fresh.items():
            self._bound_like(value, old, new)
        return self.replaced(value, fresh)

    def _bound_like(self, value: Value, old: Symbol, new: Symbol) -> None:
        for family in value.families:
            for symbol, extent in family.region.extents:
                if symbol is old:
                    self.forms.bound(new, extent)

    def replaced(self, value: Value, mapping: Mapped) -> Value:
        """Return a value with terms in place of symbols; bound ones may only be renamed."""
        if not mapping:
            return value
        families = []
        for family in value.families:
            powers = [(self._replaced_factor(f, mapping), power) for f, power in family.powers]
            families.append(
                Family(family.number, product_of(powers), replaced_region(family.region, mapping))
            )
        return value_of(families)

    def _replaced_factor(self, factor: Factor, mapping: Mapped) -> Factor:
        if not self.free(factor) & mapping.keys():
            return factor
        match factor.head:
            case "read":
                places = [put(place, mapping) for place in factor.places]
                return self.read(factor.name, places, factor.is_bit)
            case "number":
                return self.term(put(factor.places[0], mapping))
            case "cast":
                value = self.replaced(factor.arguments[0], mapping)
                return self.cast(value, *(put(place, mapping) for place in factor.places))
        if factor.items:
            items = [
                Item(replaced_region(i.region, mapping), self.replaced(i.value, mapping))
                for i in factor.items
            ]
            return self.combined(factor.head, items)
        arguments = [self.replaced(argument, mapping) for argument in factor.arguments]
        return self.factor(factor.head, *arguments, is_bit=factor.is_bit)


def single(factor: Factor) -> Value:
    """Return a factor as a value."""
    return Value((Family(1, ((factor, 1),)),))


def replaced_region(region: Region, mapping: Mapped) -> Region:
    """Return a region with terms in place of symbols; bound ones may only be renamed."""
    if region.is_point:
        return region
    extents = tuple((mapping.get(s, s), put(extent, mapping)) for s, extent in region.extents)
    return Region(extents, tuple(put(guard, mapping) for guard in region.guards))


def _in_terms(terms: Iterable[Any]) -> set[Symbol]:
    parts = (part for term in terms if isinstance(term, Term) for part in bottom_up(term))
    return {part for part in parts if isinstance(part, Symbol)}


def _simple(number: Fraction) -> Any:
    return int(number) if number.denominator == 1 else number
