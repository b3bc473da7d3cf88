"""Making values: factors with their keys, products, inverses, other indices in place of some."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

from gsl.attr.term import Symbol, Term, bottom_up
from gslverify.prove.indices.forms import Forms
from gslverify.prove.indices.replacing import Mapped, put
from gslverify.prove.values.values import (
    CAST,
    HELD,
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
        self._usual: dict[Hashable, Symbol] = {}
        self._levels: dict[Symbol, int] = {}

    def factor(self, head: str, *arguments: Value, is_bit: bool = False) -> Factor:
        """Return a function of values that is not taken apart."""
        arguments = tuple(map(self.with_usual_indices, arguments))
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
        value = self.with_usual_indices(value)
        names = tuple(self.forms.names.text(dtype) for dtype in (source, target))
        key = (CAST, *(self.forms.poly(name) for name in names), value.key)
        return Factor(CAST, key, places=names, arguments=(value,))

    def held(self, value: Value, dtype: Any) -> Factor:
        """Return what a dtype holds of a value; None stands for a dtype that is not known."""
        value = self.with_usual_indices(value)
        if dtype is None:
            return self.factor(HELD, value)
        name = self.forms.names.text(dtype)
        key = HELD, self.forms.poly(name), value.key
        return Factor(HELD, key, places=(name,), arguments=(value,))

    def combined(self, head: str, items: Sequence[Item]) -> Factor:
        """Return an extremum or a product of items."""
        items = [self._item_with_usual_indices(item) for item in items]
        keys = frozenset((item.region.key, item.value.key) for item in items)
        return Factor(head, (head, keys), items=tuple(items))

    def with_usual_indices(self, value: Value) -> Value:
        """Return a value whose bound indices have the names that they have in equal values."""
        if all(not family.region.extents for family in value.families):
            return value
        families = []
        for family in value.families:
            inner = [self.free(factor) for factor, _ in family.powers]
            mapping = self._usual_names(family.region, frozenset().union(*inner))
            families.append(self._with_names(family, mapping) if mapping else family)
        return value_of(families)

    def _item_with_usual_indices(self, item: Item) -> Item:
        if not item.region.extents:
            return item
        factors = [factor for family in item.value.families for factor, _ in family.powers]
        inner = [self.free(factor) for factor in factors]
        regions = [family.region for family in item.value.families]
        symbols = frozenset().union(*inner) | _in_regions(regions)
        mapping = self._usual_names(item.region, symbols)
        if not mapping:
            return item
        return self._named_item(item, mapping)

    def _usual_names(self, region: Region, inner: frozenset[Symbol]) -> Mapped:
        """Return names for the indices of a region that clash with none inside of it."""
        own = region.symbols
        outside = (inner | _in_regions([region])) - own
        level = 1 + max((self._levels.get(symbol, -1) for symbol in outside), default=-1)
        mapping: dict[Symbol, Any] = {}
        for number, (symbol, extent) in enumerate(region.extents):
            size = put(extent, mapping)
            key = level, number, self.forms.poly(size)
            if key not in self._usual:
                self._usual[key] = Symbol(symbol.name, low=0)
                self._levels[self._usual[key]] = level
                self.forms.bound(self._usual[key], size)
            if self._usual[key] is not symbol:
                mapping[symbol] = self._usual[key]
        return mapping

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
        left, right = self._summed_apart(left, right), self._summed_apart(right, left)
        products = [self._product(a, b) for a in left.families for b in right.families]
        return value_of(family for value in products for family in value.families)

    def _summed_apart(self, value: Value, other: Value) -> Value:
        """Return a value whose sums run over indices that occur nowhere in another value."""
        own = {symbol for family in value.families for symbol in family.region.symbols}
        return self.renamed(value, own & symbols_in(other)) if own else value

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

    def without(self, value: Value, wanted: Callable[[Factor], bool]) -> tuple[Powers, Value]:
        """Return the wanted factors that all summands of a value have, and the value without."""
        taken = tuple(pair for pair in self._common(value) if wanted(pair[0]))
        if not taken:
            return (), value
        inverted = self.family(1, [(factor, -power) for factor, power in taken], Region())
        return taken, self.times(value, inverted)

    def _inverse_of_sum(self, value: Value) -> Value:
        common = self._common(value)
        inverted: list[tuple[Factor, int]] = [(factor, -power) for factor, power in common]
        rest = self.times(value, self.family(1, inverted, Region()))
        return self.family(1, [*inverted, (self.factor("group", rest), -1)], Region())

    def _common(self, value: Value) -> Powers:
        """Return the factors that all families have and that depend on no bound index."""
        if not value.families or (len(value.families) == 1 and not value.families[0].powers):
            return ()
        bound = {symbol for family in value.families for symbol in family.region.symbols}
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
        """Return a value with fresh names for some of the indices that its sums run over."""
        wanted = frozenset(symbols)
        return value_of(self._fresh(family, wanted) for family in value.families)

    def _fresh(self, family: Family, symbols: frozenset[Symbol]) -> Family:
        region = self._fresh_names(family.region, symbols)
        return self._with_names(family, region) if region else family

    def _fresh_names(self, region: Region, symbols: frozenset[Symbol]) -> dict[Symbol, Any]:
        """Return new names for those indices of a region that are among some symbols."""
        names: dict[Symbol, Any] = {}
        for symbol, extent in region.extents:
            if symbol in symbols:
                names[symbol] = Symbol(symbol.name, low=0)
                self.forms.bound(names[symbol], put(extent, names))
        return names

    def _with_names(self, family: Family, names: Mapped) -> Family:
        """Return a family whose own indices are called otherwise."""
        powers = [(self._replaced_factor(f, names), power) for f, power in family.powers]
        return Family(family.number, product_of(powers), replaced_region(family.region, names))

    def replaced(self, value: Value, mapping: Mapped) -> Value:
        """Return a value with terms in place of symbols that it does not bind itself.

        Indices that are bound give way to symbols of the same name in these terms.
        """
        if not mapping:
            return value
        return value_of(self._replaced_family(family, mapping) for family in value.families)

    def _replaced_family(self, family: Family, mapping: Mapped) -> Family:
        if family.region.extents:
            mapping, names = self._apart(family.region, mapping)
            family = self._with_names(family, names) if names else family
        powers = [(self._replaced_factor(f, mapping), power) for f, power in family.powers]
        return Family(family.number, product_of(powers), replaced_region(family.region, mapping))

    def _apart(self, region: Region, mapping: Mapped) -> tuple[Mapped, Mapped]:
        """Return a mapping without what a region binds, and other names for what it would bind."""
        own = region.symbols
        free = {symbol: term for symbol, term in mapping.items() if symbol not in own}
        return free, self._fresh_names(region, own & _in_terms(free.values()))

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
            case "held":
                value = self.replaced(factor.arguments[0], mapping)
                return self.held(value, next(iter(factor.places), None))
        if factor.items:
            items = [self._replaced_item(item, mapping) for item in factor.items]
            return self.combined(factor.head, items)
        arguments = [self.replaced(argument, mapping) for argument in factor.arguments]
        return self.factor(factor.head, *arguments, is_bit=factor.is_bit)

    def _replaced_item(self, item: Item, mapping: Mapped) -> Item:
        if item.region.extents:
            mapping, names = self._apart(item.region, mapping)
            item = self._named_item(item, names) if names else item
        return Item(replaced_region(item.region, mapping), self.replaced(item.value, mapping))

    def _named_item(self, item: Item, names: Mapped) -> Item:
        return Item(replaced_region(item.region, names), self.replaced(item.value, names))


def single(factor: Factor) -> Value:
    """Return a factor as a value."""
    return Value((Family(1, ((factor, 1),)),))


def replaced_region(region: Region, mapping: Mapped) -> Region:
    """Return a region with terms in place of symbols; bound ones may only be renamed."""
    if region.is_point:
        return region
    extents = tuple((mapping.get(s, s), put(extent, mapping)) for s, extent in region.extents)
    return Region(extents, tuple(put(guard, mapping) for guard in region.guards))


def _in_regions(regions: Iterable[Region]) -> set[Symbol]:
    terms = [part for one in regions for part in (*one.guards, *(e for _, e in one.extents))]
    return _in_terms(terms) | {symbol for one in regions for symbol in one.symbols}


def _in_terms(terms: Iterable[Any]) -> set[Symbol]:
    parts = (part for term in terms if isinstance(term, Term) for part in bottom_up(term))
    return {part for part in parts if isinstance(part, Symbol)}


def _simple(number: Fraction) -> Any:
    return int(number) if number.denominator == 1 else number
