"""Values as terms for the solver."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from gsl.attr.evaluate import choose, equal, maximum, minimum
from gsl.attr.term import Symbol, operation
from gslverify.prove.algebra import MOST_FACTORS
from gslverify.prove.laws import Laws
from gslverify.prove.signs import Sign
from gslverify.prove.values import NUMBER, Factor, Family, Value


class Unknowns:
    """Writes values as terms of real numbers; equal parts get one unknown."""

    def __init__(self, laws: Laws, same: Callable[[Factor, Factor], bool]) -> None:
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
        sort = "int" if factor.is_bit else "real"
        bounds = (0, 1) if factor.is_bit else (0 if is_positive else None, None)
        symbol = Symbol(f"v{len(self.known)}", sort, *bounds)
        self.known.append((factor, symbol))
        return symbol
