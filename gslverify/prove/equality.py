"""Are two values equal wherever some facts hold?

What both sides have in common cancels. Two families cancel when their indices can be paired off: a
bijection between their regions is inferred from what they read, and proved. What is left is cut
along the conditions of other families, or put to the solver with unknowns for what it cannot know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations, product
from typing import Any

from gsl.attr.evaluate import conjunction, equal, negation
from gsl.attr.term import Operation, Symbol, Term
from gslverify.prove.indices.facts import Facts
from gslverify.prove.indices.replacing import put
from gslverify.prove.normal import Normaliser
from gslverify.prove.solving import Pair, solutions
from gslverify.prove.values.algebra import replaced_region
from gslverify.prove.values.flattening import Summed, flattened, has_quotients
from gslverify.prove.values.unknowns import Unknowns
from gslverify.prove.values.values import (
    Factor,
    Family,
    Item,
    Powers,
    Region,
    Value,
    plus,
)

MOST_PAIRINGS = 24
MOST_CUTS = 12
DEEPEST = 12


class Equality:
    """Proves that values of one scenario are equal."""

    def __init__(self, normaliser: Normaliser) -> None:
        self.normaliser = normaliser
        self.algebra = normaliser.algebra
        self.forms = normaliser.forms
        self.depth = 0
        self._shown: dict[Any, bool] = {}
        self._flat: dict[Any, tuple[Summed, Summed]] = {}

    def same(self, left: Value, right: Value, facts: Facts) -> bool:
        """Tell whether two values are proved to be equal."""
        left, right = map(self.algebra.with_usual_indices, (left, right))
        rest = plus(left, right, -1)
        if not rest.families:
            return True
        if self.depth >= DEEPEST:
            return False
        key = rest.key, facts.known
        if key not in self._shown:
            self._shown[key] = False  # where this is asked again on the way, it is open
            self._shown[key] = self._are_same(left, right, rest, facts)
        return self._shown[key]

    def _are_same(self, left: Value, right: Value, rest: Value, facts: Facts) -> bool:
        self.depth += 1
        try:
            families = self._cancelled(list(rest.families), facts)
            families = self._cut(families, facts) if families else families
            return not families or self._by_solver(left, right, facts)
        finally:
            self.depth -= 1

    def _cancelled(self, families: list[Family], facts: Facts) -> list[Family]:
        """Return what is left when equal families become one."""
        left: list[Family] = []
        for family in families:
            partner = next((o for o in left if self._alike(family, o, facts)), None)
            if partner is None:
                left.append(family)
                continue
            left.remove(partner)
            number = partner.number + family.number
            if number != 0:
                left.append(Family(number, partner.powers, partner.region))
        return left

    def _alike(self, one: Family, other: Family, facts: Facts) -> bool:
        if len(one.powers) != len(other.powers) or one.signature != other.signature:
            return False
        if one.key == other.key:
            return True
        payloads = Value((Family(1, one.powers),)), Value((Family(1, other.powers),))
        return self.match((one.region, payloads[0]), (other.region, payloads[1]), facts)

    def match(self, one: Summed, other: Summed, facts: Facts) -> bool:
        """Tell whether a bijection between two regions takes values to equal values."""
        if one[0].is_point and other[0].is_point:
            self.forms.effort.comparison()
            return self.same_payload(one[1], other[1], facts)
        apart = self._apart(one[0], *other)
        for pairs in self._ways(one, apart):
            self.forms.effort.pairing()
            there = self._solution(pairs, one[0], apart[0])
            if there is None:
                continue
            back = self._solution([(b, a) for a, b in pairs], apart[0], one[0])
            if back is not None and self._is_bijection(one, apart, there, back, facts):
                return True
        return self._match_flattened(one, other, facts)

    def _match_flattened(self, one: Summed, other: Summed, facts: Facts) -> bool:
        """Try again with fewer indices, where these are not the same or hidden by divisions."""
        if len(one[0].extents) == len(other[0].extents) and not _divides(one, other):
            return False
        flat, other_flat = self._flattened(one), self._flattened(other)
        if flat[0] is one[0] and other_flat[0] is other[0]:
            return False
        return self.match(flat, other_flat, facts)

    def _flattened(self, side: Summed) -> Summed:
        """Return a side with fewer indices, which takes long and is asked for with each partner."""
        key = side[0].key, side[1].key
        if key not in self._flat:
            self._flat[key] = side, flattened(side, self.algebra)  # ids in keys are of this side
        known, flat = self._flat[key]
        return side if flat is known else flat

    def reached(
        self,
        whole: Summed,
        guards: Sequence[Any],
        part: Summed,
        facts: Facts,
    ) -> Iterator[Any]:
        """Yield conditions under which a value over `part` is one over `whole`, within guards."""
        for pairs in islice(self._pairings(part[1], whole[1]), MOST_PAIRINGS):
            suggested, unknown = self._suggested(pairs, whole[0])
            there = suggested | dict.fromkeys(unknown, 0)  # any index does that nothing asks for
            conditions = [put(bound, there) for bound in (*whole[0].bounds, *guards)]
            moved = self.algebra.replaced(whole[1], there)
            if self.same_payload(part[1], moved, facts.assuming(*conditions)):
                yield conjunction(*conditions)

    def _ways(self, one: Summed, other: Summed) -> Iterator[list[Pair]]:
        if not one[0].extents and not other[0].extents:
            return iter([[]])
        return islice(self._pairings(one[1], other[1]), MOST_PAIRINGS)

    def _apart(self, fixed: Region, region: Region, value: Value) -> Summed:
        """Rename the indices of a region and a value that another region has, too."""
        clashing = fixed.symbols & region.symbols
        if not clashing:
            return region, value
        fresh = {symbol: Symbol(symbol.name, low=0) for symbol in clashing}
        for symbol, extent in region.extents:
            if symbol in clashing:
                self.forms.bound(fresh[symbol], put(extent, fresh))
        return replaced_region(region, fresh), self.algebra.replaced(value, fresh)

    def _is_bijection(
        self,
        one: Summed,
        other: Summed,
        there: Mapping[Symbol, Any],
        back: Mapping[Symbol, Any],
        facts: Facts,
    ) -> bool:
        within, outside = facts.assuming(*one[0].bounds), facts.assuming(*other[0].bounds)
        reached = [put(bound, there) for bound in other[0].bounds]
        returned = [put(bound, back) for bound in one[0].bounds]
        round_trip = [equal(put(back[s], there), s) for s, _ in one[0].extents]
        other_trip = [equal(put(there[s], back), s) for s, _ in other[0].extents]
        return (
            within.entails(*reached, *round_trip)
            and outside.entails(*returned, *other_trip)
            and self.same_payload(one[1], self.algebra.replaced(other[1], there), within)
        )

    def same_payload(self, one: Value, other: Value, facts: Facts) -> bool:
        """Compare two products factor by factor, other values as they are."""
        if len(one.families) == len(other.families) == 1:
            pairs = one.families[0], other.families[0]
            if pairs[0].number == pairs[1].number and self._same_powers(*pairs, facts):
                return True
            if all(f.region.is_point and len(f.powers) == 1 and f.number == 1 for f in pairs):
                left, right = (family.powers[0][0] for family in pairs)
                if not left.items and not left.is_bit and left.head == right.head != "abs":
                    return False
        return self.same(one, other, facts)

    def _same_powers(self, one: Family, other: Family, facts: Facts) -> bool:
        if not (one.region.is_point and other.region.is_point):
            return False
        for pairs in islice(_paired(one.powers, other.powers), MOST_PAIRINGS):
            if all(self.same_factor(a, b, facts) for a, b in pairs):
                return True
        return False

    def same_factor(self, one: Factor, other: Factor, facts: Facts) -> bool:
        """Tell whether two factors of one signature are equal."""
        if one.key == other.key:
            return True
        if one.head == "cast":
            return self._same_cast(one, other, facts)
        if one.places and not facts.same(zip(one.places, other.places, strict=True)):
            return False
        if one.items:
            return self._same_items(one, other, facts)
        arguments = zip(one.arguments, other.arguments, strict=True)
        return all(self.same(a, b, facts) for a, b in arguments)

    def _same_cast(self, one: Factor, other: Factor, facts: Facts) -> bool:
        """Conversions from one kind of numbers to one dtype are one function."""
        same = [
            self._same_dtype(a, b, facts) for a, b in zip(one.places, other.places, strict=True)
        ]
        return all(same) and self.same(one.arguments[0], other.arguments[0], facts)

    def _same_dtype(self, one: Any, other: Any, facts: Facts) -> bool:
        return one is other or facts.entails(equal(one, other))

    def _same_items(self, one: Factor, other: Factor, facts: Facts) -> bool:
        rest = list(other.items)
        for item in one.items:
            partner = next((o for o in rest if self._same_item(item, o, facts)), None)
            if partner is None:
                return False
            rest.remove(partner)
        return not rest

    def _same_item(self, one: Item, other: Item, facts: Facts) -> bool:
        return self.match((one.region, one.value), (other.region, other.value), facts)

    def _pairings(self, one: Value, other: Value) -> Iterator[list[Pair]]:
        """Yield ways to pair off what two values read, as equations between places."""
        if len(one.families) != len(other.families):
            return
        lefts, rights = (sorted(v.families, key=_by_signature) for v in (one, other))
        ways = [self._family_pairings(a, b) for a, b in zip(lefts, rights, strict=True)]
        for chosen in product(*(list(islice(way, MOST_PAIRINGS)) for way in ways)):
            yield [pair for pairs in chosen for pair in pairs]

    def _family_pairings(self, one: Family, other: Family) -> Iterator[list[Pair]]:
        for pairs in _paired(one.powers, other.powers):
            inner = [list(islice(self._factor_pairings(a, b), MOST_PAIRINGS)) for a, b in pairs]
            for chosen in product(*inner):
                yield [pair for part in chosen for pair in part]

    def _factor_pairings(self, one: Factor, other: Factor) -> Iterator[list[Pair]]:
        if one.head == "cast":
            yield from self._pairings(one.arguments[0], other.arguments[0])
            return
        places = list(zip(one.places, other.places, strict=True))
        arguments = zip(one.arguments, other.arguments, strict=True)
        items = zip(one.items, other.items, strict=True)
        ways = [list(islice(self._pairings(a, b), MOST_PAIRINGS)) for a, b in arguments]
        ways += [list(islice(self._pairings(a.value, b.value), 2)) or [[]] for a, b in items]
        for chosen in product(*(way or [[]] for way in ways)):
            yield [*places, *(pair for pairs in chosen for pair in pairs)]

    def _solution(
        self, pairs: Sequence[Pair], known: Region, wanted: Region
    ) -> dict[Symbol, Any] | None:
        """Express the indices of a region by those of another one, as the places suggest."""
        found, unknown = self._suggested(pairs, wanted)
        return self._completed(found, unknown, known, wanted)

    def _suggested(
        self, pairs: Sequence[Pair], wanted: Region
    ) -> tuple[dict[Symbol, Any], list[Symbol]]:
        """Return what places suggest for indices of a region, and the indices they do not tell."""
        equations = [pair for pair in pairs if not self.forms.same(*pair)]
        for guard in wanted.guards:
            if isinstance(guard, Operation) and guard.head == "==":
                left, right = guard.operands
                equations.append((left, right))
        symbols = [symbol for symbol, _ in wanted.extents]
        found = solutions(equations, symbols, self.forms)
        return found, [symbol for symbol in symbols if symbol not in found]

    def _completed(
        self,
        found: dict[Symbol, Any],
        unknown: Sequence[Symbol],
        known: Region,
        wanted: Region,
    ) -> dict[Symbol, Any] | None:
        """Give indices that no place determines those of equal extent that are not used yet."""
        extents = dict(wanted.extents)
        used = {s for term in found.values() for s in self.algebra.symbols_of(term)}
        spare = [(symbol, extent) for symbol, extent in known.extents if symbol not in used]
        for symbol in unknown:
            wanted_extent = put(extents[symbol], found)
            fitting = (n for n, p in enumerate(spare) if self.forms.same(p[1], wanted_extent))
            partner = next(fitting, None)
            if partner is None:
                return None
            found[symbol] = spare.pop(partner)[0]
        return found

    def _cut(self, families: list[Family], facts: Facts) -> list[Family]:
        """Drop families over nothing, and cut others along conditions that distinguish them."""
        for _ in range(MOST_CUTS):
            families = [f for f in families if not self._is_empty(f, facts)]
            found = self._first_cut(families, facts)
            if found is None:
                return self._cancelled(families, facts)
            family, condition = found
            families.remove(family)
            for guard in (condition, negation(condition)):
                region = Region(family.region.extents, (*family.region.guards, guard))
                families.append(Family(family.number, family.powers, region))
            families = self._cancelled(families, facts)
        return families

    def _is_empty(self, family: Family, facts: Facts) -> bool:
        if not family.region.guards:
            return False
        return facts.assuming(*family.region.bounds).impossible()

    def _first_cut(self, families: list[Family], facts: Facts) -> tuple[Family, Any] | None:
        for family in families:
            for other in families:
                if other is family or other.signature != family.signature:
                    continue
                condition = self._dividing(family, other, facts)
                if condition is not None:
                    return family, condition
        return None

    def _dividing(self, family: Family, other: Family, facts: Facts) -> Any:
        """Return a guard of `other`, about the indices of `family`, that cuts it in two."""
        one = family.region, Value((Family(1, family.powers),))
        two = self._apart(family.region, other.region, Value((Family(1, other.powers),)))
        for pairs in self._ways(one, two):
            there = self._solution(pairs, family.region, two[0])
            if there is None:
                continue
            within = facts.assuming(*family.region.bounds)
            for guard in two[0].bounds:
                moved = put(guard, there)
                if self.forms.condition(moved) is True or not isinstance(moved, Term):
                    continue
                if not within.entails(moved) and not within.entails(negation(moved)):
                    return moved
        return None

    def _by_solver(self, left: Value, right: Value, facts: Facts) -> bool:
        """Put the equation to the solver, with unknowns for what it does not know."""
        laws = self.normaliser.laws
        unknowns = Unknowns(laws, lambda one, other: self.same_factor(one, other, facts))
        if not laws.is_field and not (laws.is_exact(left) and laws.is_exact(right)):
            return False
        terms = unknowns.term(left), unknowns.term(right)
        if any(isinstance(term, float) for term in terms):
            return False
        within = facts.assuming(*unknowns.known_ranges())
        return unknowns.is_useful and within.entails(equal(*terms))


def _divides(*sides: Summed) -> bool:
    return any(has_quotients(value) for _, value in sides)


def _by_signature(family: Family) -> Any:
    return repr(family.signature), float(family.number)


def _paired(one: Powers, other: Powers) -> Iterator[list[tuple[Factor, Factor]]]:
    """Yield ways to pair off factors of one signature and one exponent."""
    groups: list[list[list[tuple[Factor, Factor]]]] = []
    for kind in dict.fromkeys((factor.signature, power) for factor, power in one):
        lefts, rights = (
            [f for f, power in powers if (f.signature, power) == kind] for powers in (one, other)
        )
        if len(lefts) != len(rights):
            return
        orders = islice(permutations(rights), MOST_PAIRINGS)
        groups.append([list(zip(lefts, order, strict=True)) for order in orders])
    if len(one) != len(other):
        return
    for chosen in product(*groups):
        yield [pair for group in chosen for pair in group]
