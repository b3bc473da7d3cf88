"""Values as terms for the solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Protocol

from gsl.attr.evaluate import choose, disjunction, equal, maximum, minimum
from gsl.attr.term import Symbol, operation
from gsl.operators.ranges import in_range
from gsl.types import ANY_INTEGER
from gslverify.prove.values.algebra import MOST_FACTORS, Algebra
from gslverify.prove.values.signs import Sign, Signs
from gslverify.prove.values.values import NUMBER, READ, Factor, Family, Value


class Arithmetic(Protocol):
    """What is known of the numbers that values stand for."""

    algebra: Algebra
    signs: Signs
    is_field: bool
    dtypes: Mapping[str, Any]

    def is_exact(self, value: Value) -> bool:
        """Tell whether a value is what its dtype holds of it, and not a sum that may wrap."""


WHOLE = ("//", "held", ">>")
"""Functions whose values are integers of a dtype, where not all is floating."""


class Unknowns:
    """Writes values as terms of numbers; equal parts get one unknown."""

    def __init__(self, laws: Arithmetic, same: Callable[[Factor, Factor], bool]) -> None:
        self.laws = laws
        self.same = same
        self.known: list[tuple[Factor, Symbol]] = []
        self.is_useful = False

    def term(self, value: Value) -> Any:
        """Return a value as a term."""
        total: Any = 0
        for family in value.families:
            part: Any = family.number
            if isinstance(part, Fraction):
                part = operation("/", part.numerator, part.denominator)
            if not family.region.is_point:
                rest = Value((Family(1, family.powers, family.region),))
                part = part * self._unknown(self.laws.algebra.factor("sum", rest))
            else:
                for factor, power in family.powers:
                    part = part * self._power(factor, power)
            total = total + part
        return total

    def _power(self, factor: Factor, power: int) -> Any:
        if not 0 < power <= MOST_FACTORS:
            whole = Value((Family(1, ((factor, power),)),))
            unknown = self.laws.algebra.factor("power", whole)
            return self._unknown(unknown, self._is_positive(factor))
        one = self._factor(factor)
        result = one
        for _ in range(power - 1):
            result = result * one
        return result

    def _is_positive(self, factor: Factor) -> bool:
        return self.laws.signs.is_factor(Sign.POSITIVE, factor)

    def _factor(self, factor: Factor) -> Any:
        is_field = self.laws.is_field
        if factor.head == NUMBER and not isinstance(factor.places[0], float):
            return factor.places[0]
        if factor.head in ("max", "min") and all(i.region.is_point for i in factor.items):
            self.is_useful = True
            combine = maximum if factor.head == "max" else minimum
            first, *others = (self.term(item.value) for item in factor.items)
            for other in others:
                first = combine(first, other)
            return first
        if factor.head == "abs" and is_field:
            self.is_useful = True
            return operation("abs", self.term(factor.arguments[0]))
        if factor.head in ("<", "=="):
            return self._bit(factor)
        if factor.head == "//" and not is_field and self._is_of_integers(factor):
            self.is_useful = True
            return operation("//", *map(self.term, factor.arguments))
        return self._unknown(factor, self._is_positive(factor))

    def _bit(self, factor: Factor) -> Any:
        sides = [self.term(argument) for argument in factor.arguments]
        exact = self.laws.is_exact
        if not self.laws.is_field and not all(map(exact, factor.arguments)):
            return self._unknown(factor)
        self.is_useful = True
        left, right = sides if len(sides) == 2 else (sides[0], 0)
        condition = equal(left, right) if factor.head == "==" else operation("<", left, right)
        return choose(condition, 1, 0)

    def _unknown(self, factor: Factor, is_positive: bool = False) -> Symbol:
        for other, symbol in self.known:
            if other.signature == factor.signature and self.same(factor, other):
                return symbol
        sort = "int" if factor.is_bit or self._is_whole(factor) else "real"
        bounds = (0, 1) if factor.is_bit else (0 if is_positive else None, None)
        symbol = Symbol(f"v{len(self.known)}", sort, *bounds)
        self.known.append((factor, symbol))
        return symbol

    def _is_whole(self, factor: Factor) -> bool:
        """Tell whether a factor is an integer of a dtype."""
        if self.laws.is_field:
            return False
        if factor.head == READ:
            return self.laws.signs.facts.is_one_of(self.laws.dtypes.get(factor.name), ANY_INTEGER)
        return factor.head in WHOLE and self._is_of_integers(factor)

    def _is_of_integers(self, factor: Factor) -> bool:
        """Tell whether a function is one of integers that are exact."""
        return all(map(self._is_made_of_integers, factor.arguments))

    def _is_made_of_integers(self, value: Value) -> bool:
        pairs = [pair for family in value.families for pair in family.powers]
        is_point = all(f.region.is_point and isinstance(f.number, int) for f in value.families)
        return is_point and all(
            power > 0
            and (
                factor.is_bit
                or self._is_whole(factor)
                or (
                    factor.head == NUMBER
                    and self.laws.signs.facts.forms.is_integer(factor.places[0])
                )
            )
            for factor, power in pairs
        )

    def known_ranges(self) -> list[Any]:
        """Return what elements of integer dtypes can be."""
        found = []
        for factor, symbol in list(self.known):
            found += self._about_exponential(factor, symbol)
            dtype = self.laws.dtypes.get(factor.name) if factor.head == READ else None
            if symbol.sort == "int" and dtype is not None:
                found.append(in_range(symbol, dtype))
        return found

    def _about_exponential(self, factor: Factor, symbol: Symbol) -> list[Any]:
        """Return that exp(a) is at most 1 for a <= 0, and at least 1 for a >= 0."""
        match factor:
            case Factor(head="exp", arguments=(inner,)):
                power = 1
            case Factor(head="power", arguments=(Value(families=(Family() as only,)),)):
                if len(only.powers) != 1 or only.powers[0][0].head != "exp":
                    return []
                ((one, power),) = only.powers
                (inner,) = one.arguments
            case _:
                return []
        exponent = self.term(inner) * (1 if power > 0 else -1)
        return [disjunction(exponent > 0, symbol <= 1), disjunction(exponent < 0, symbol >= 1)]
