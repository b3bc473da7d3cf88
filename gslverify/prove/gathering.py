"""Elements at places that are computed: sums of which one term counts, [s == e] v(s) over all s.

Where the source has a value, its indices lie within the axes that they choose from. Then exactly
one term counts: a sum of what does not depend on s is that alone, s may be replaced by e, and a
function of the sum is the sum of the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gsl.attr.evaluate import equal, negation
from gsl.attr.term import Symbol
from gsl.expr import Call, Expr
from gsl.operators.defined import Values
from gsl.types import ANY_INTEGER, TensorType
from gslverify.prove.equality import Equality
from gslverify.prove.indices.facts import Facts
from gslverify.prove.normal import Cases
from gslverify.prove.values.algebra import single
from gslverify.prove.values.values import (
    NUMBER,
    Factor,
    Family,
    Region,
    Value,
    constant,
    plus,
    symbols_in,
    value_of,
)

OPAQUE = frozenset({"read", NUMBER, "cast", "held", "group"})
"""Factors that are no functions of values."""


@dataclass(slots=True)
class Place:
    """Indices of the source: at each index of a region, where guards hold, within limits."""

    region: Region
    guards: tuple[Any, ...]
    value: Value
    low: Any
    high: Any


Element = Callable[[Expr], tuple[Region, Cases] | None]
"""Returns an element of a tensor with the region of its index."""


def places_of(calls: Iterable[Call], element: Element) -> Iterator[Place]:
    """Yield what is known of the indices that calls are given."""
    for call in calls:
        for number, operand in enumerate(call.operator.operands):
            limits = limits_of(call, operand.name)
            if limits is None or not _holds_integers(call.operands[number]):
                continue
            found = element(call.operands[number])
            for guards, value in found[1] if found else ():
                assert found is not None
                yield Place(found[0], guards, value, *limits)


def limits_of(call: Call, name: str) -> tuple[Any, Any] | None:
    """Return the least and the greatest index that an operand may have everywhere, None if none."""
    rule = call.operator.values.get(name)
    if rule is None or isinstance(rule, Values) or call.operator.name == "Cast":
        return None
    found = rule(tuple(one.type for one in call.operands), call.attributes)
    unknown = found.low is None or found.high is None or found.highs
    return None if unknown else (found.low, found.high)


def _holds_integers(operand: Expr) -> bool:
    declared = operand.type
    if not isinstance(declared, TensorType):
        return False
    return not isinstance(declared.dtype, str) or declared.dtype in ANY_INTEGER


@dataclass(frozen=True, slots=True)
class Choice:
    """A factor [s == e] of a family, where e does not depend on the index s of its region."""

    factor: Factor
    symbol: Symbol
    extent: Any
    place: Value


class Gathering:
    """Simplifies what is gathered, by what is known of indices."""

    def __init__(self, equality: Equality, places: Sequence[Place]) -> None:
        self.equality = equality
        self.algebra = equality.algebra
        self.laws = equality.normaliser.laws
        self.places = places

    def gathered(self, value: Value, facts: Facts) -> Value:
        """Return the same value with fewer sums, and functions inside of them."""
        parts = [self._of_family(family, facts) for family in value.families]
        return value_of(family for part in parts for family in part.families)

    def choices(self, family: Family, facts: Facts) -> Iterator[Choice]:
        """Yield the choices of a family among places that all exist."""
        for symbol, extent in family.region.extents:
            for factor, _ in family.powers:
                place = self._place(factor, symbol)
                if place is not None and self.is_place(place, extent, facts):
                    yield Choice(factor, symbol, extent, place)

    def _place(self, factor: Factor, symbol: Symbol) -> Value | None:
        """Return e where a factor says that an index is e."""
        if factor.head != "==" or len(factor.arguments) != 1:
            return None
        own: list[Family] = []
        others: list[Family] = []
        for family in factor.arguments[0].families:
            (own if self._is_symbol(family, symbol) else others).append(family)
        if len(own) != 1 or own[0].number not in (1, -1):
            return None
        rest = value_of(others)
        used = {s for f in others for one, _ in f.powers for s in self.algebra.free(one)}
        used |= {s for f in others for s in f.region.symbols}
        return None if symbol in used else plus(Value(), rest, -own[0].number)

    @staticmethod
    def _is_symbol(family: Family, symbol: Symbol) -> bool:
        match family.powers:
            case ((Factor(head="number", places=(place,)), 1),):
                return place is symbol and family.region.is_point
        return False

    def is_place(self, value: Value, extent: Any, facts: Facts) -> bool:
        """Tell whether a value is an index of the source that is less than an extent."""
        return any(
            facts.entails(known.low >= 0, known.high <= extent - 1)
            for known in self._known(value, facts)
        )

    def _known(self, value: Value, facts: Facts) -> Iterator[Place]:
        for known in self.places:
            reached = self.equality.reached(
                (known.region, known.value), known.guards, (Region(), value), facts
            )
            if any(facts.entails(condition) for condition in reached):
                yield known

    def _of_family(self, family: Family, facts: Facts) -> Value:
        within = facts.assuming(*family.region.bounds)
        whole: Value = Value((Family(1),))
        for factor, power in family.powers:
            found = self._of_factor(factor, within) if power == 1 else None
            whole = self.algebra.times(whole, found or Value((Family(1, ((factor, power),)),)))
        parts = [self._over(family, one) for one in whole.families]
        chosen = [self._chosen(one, facts) for one in parts]
        return value_of(one for part in chosen for one in part.families)

    @staticmethod
    def _over(outer: Family, inner: Family) -> Family:
        region = Region(
            outer.region.extents + inner.region.extents, outer.region.guards + inner.region.guards
        )
        return Family(outer.number * inner.number, inner.powers, region)

    def _of_factor(self, factor: Factor, facts: Facts) -> Value | None:
        """Return what a function is where its arguments are gathered; None for no change."""
        if factor.head in OPAQUE or factor.items or not factor.arguments:
            return None
        arguments = [self.gathered(argument, facts) for argument in factor.arguments]
        for number, argument in enumerate(arguments):
            moved = self._moved_out(factor, arguments, number, argument, facts)
            if moved is not None:
                return moved
        if [a.key for a in arguments] != [a.key for a in factor.arguments]:
            return self._function(factor, arguments)
        return self._decided(factor, facts)

    def _moved_out(
        self, factor: Factor, arguments: list[Value], number: int, argument: Value, facts: Facts
    ) -> Value | None:
        """Return a function of a sum of which one term counts as the sum of the function."""
        for family in argument.families:
            choice = next(self.choices(family, facts), None)
            if choice is None:
                continue
            names = symbols_in(Value((family,)))
            rest = value_of(one for one in argument.families if one is not family)
            if names & symbols_in(rest):
                continue
            powers = tuple(pair for pair in family.powers if pair[0] is not choice.factor)
            extents = tuple(pair for pair in family.region.extents if pair[0] is not choice.symbol)
            if extents or family.region.guards:
                continue  # more than one term counts
            term = plus(rest, Value((Family(family.number, powers),)))
            given = [*arguments[:number], term, *arguments[number + 1 :]]
            region = Region(((choice.symbol, choice.extent),))
            function = self.algebra.times(single(choice.factor), self._function(factor, given))
            return value_of(self._over(Family(1, (), region), one) for one in function.families)
        return None

    def _function(self, factor: Factor, arguments: Sequence[Value]) -> Value:
        """Return a function that is a factor of other arguments."""
        if factor.head == "==" and len(arguments) == 1:
            return self.laws.is_zero(arguments[0])
        if not factor.is_bit:
            cases = self.laws.function(factor.head, arguments)
            if len(cases) == 1 and not cases[0][0]:
                return cases[0][1]
        return single(self.algebra.factor(factor.head, *arguments, is_bit=factor.is_bit))

    def _chosen(self, family: Family, facts: Facts) -> Value:
        """Return a family without the index that a choice determines, where nothing reads it."""
        for choice in self.choices(family, facts.assuming(*family.region.bounds)):
            rest = [pair for pair in family.powers if pair[0] is not choice.factor]
            extents = tuple(pair for pair in family.region.extents if pair[0] is not choice.symbol)
            region = Region(extents, family.region.guards)
            whole: Value = Value((Family(family.number),))
            for factor, power in rest:
                whole = self.algebra.times(whole, self._put(factor, power, choice))
            found = value_of(self._over(Family(1, (), region), one) for one in whole.families)
            used = {
                s for f in found.families for one, _ in f.powers for s in self.algebra.free(one)
            }
            terms = [*family.region.guards, *(extent for _, extent in extents)]
            used |= {s for term in terms for s in self.algebra.symbols_of(term)}
            if choice.symbol not in used:
                return self.gathered(found, facts)
        return Value((family,))

    def _put(self, factor: Factor, power: int, choice: Choice) -> Value:
        """Return a power with e for numbers s, as far as these are values and no indices."""
        is_free = choice.symbol not in self.algebra.free(factor)
        if is_free or power != 1 or factor.items or factor.head in OPAQUE:
            return Value((Family(1, ((factor, power),)),))
        arguments = [self._put_in(argument, choice) for argument in factor.arguments]
        return self._function(factor, arguments)

    def _put_in(self, value: Value, choice: Choice) -> Value:
        parts: list[Family] = []
        for family in value.families:
            if self._is_symbol(family, choice.symbol):
                parts += plus(Value(), choice.place, family.number).families
            else:
                parts.append(family)
        return value_of(parts)

    def _decided(self, factor: Factor, facts: Facts) -> Value | None:
        """Return whether an index is a number, where its limits tell."""
        if factor.head != "==" or len(factor.arguments) != 1:
            return None
        for family in factor.arguments[0].families:
            rest = value_of(one for one in factor.arguments[0].families if one is not family)
            number = self.laws.constant_term(rest)
            if number is None or family.number not in (1, -1):
                continue
            index = Value((Family(1, family.powers, family.region),))
            place = Symbol("place")
            for known in self._known(index, facts):
                within = facts.assuming(place >= known.low, place <= known.high)
                is_zero = equal(place, number * -family.number)
                if within.entails(is_zero):
                    return constant(1)
                if within.entails(negation(is_zero)):
                    return Value()
        return None
