"""Laws of powers, roots, absolute values, exponentials and logarithms.

They hold wherever the left side has a value, as real functions; those of absolute values and signs
hold for integers that wrap, too. `gslverify.prove.laws.laws` says which are used where.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Any

from gsl.types import NUMERIC, UNSIGNED
from gslverify.prove.laws.law import is_negative
from gslverify.prove.values.algebra import MOST_FACTORS, Algebra, single
from gslverify.prove.values.signs import Sign, Signs
from gslverify.prove.values.values import POINT, Factor, Family, Value, constant, plus

SIGNED = tuple(name for name in NUMERIC if name not in UNSIGNED)
"""Dtypes with negative numbers."""


class Powers:
    """Functions of products, taken apart as far as signs allow."""

    def __init__(self, algebra: Algebra, signs: Signs) -> None:
        self.algebra = algebra
        self.signs = signs

    def power(self, base: Value, exponent: Value) -> Value:
        """Return base ** exponent; whole and half exponents are products and roots."""
        number = exponent.constant
        if isinstance(number, int) and abs(number) <= MOST_FACTORS:
            return self._times_itself(base, number)
        if isinstance(number, Fraction) and number.denominator == 2:
            twice = number.numerator
            if abs(twice) <= MOST_FACTORS:
                return self._times_itself(self.root(base), twice)
        if is_negative(exponent):
            whole = self.algebra.factor("pow", base, plus(Value(), exponent, -1))
            return self.algebra.family(1, [(whole, -1)], POINT)
        return single(self.algebra.factor("pow", base, exponent))

    def _times_itself(self, base: Value, count: int) -> Value:
        result, factor = constant(1), base if count >= 0 else self.algebra.inverse(base)
        for _ in range(abs(count)):
            result = self.algebra.times(result, factor)
        return result

    def root(self, value: Value) -> Value:
        """Return the root: sqrt(a b) = sqrt(a) sqrt(b) for a > 0, sqrt(a a) = abs(a)."""
        only = _product(value)
        if only is None or only.number <= 0:
            apart, whole = self.algebra.without(value, self._is_positive)
            roots = self.root(self.algebra.family(1, apart, POINT)) if apart else constant(1)
            return self.algebra.times(roots, single(self.algebra.factor("sqrt", whole)))
        scale = _root_of_number(only.number)
        taken = [] if scale is None else [constant(scale)]
        inside: list[tuple[Factor, int]] = []
        for factor, power in only.powers:
            half, odd = divmod(abs(power), 2)
            side = 1 if power > 0 else -1
            if half:
                size = self.absolute(single(factor))
                whole = self._times_itself(size, min(half, MOST_FACTORS) * side)
                taken.append(whole)
                odd += 2 * max(0, half - MOST_FACTORS)
            if odd and self.signs.is_factor(Sign.POSITIVE, factor):
                root = self.algebra.factor("sqrt", single(factor))
                taken.append(self.algebra.family(1, [(root, side * odd)], POINT))
            elif odd:
                inside.append((factor, side * odd))
        rest = self.algebra.family(only.number if scale is None else 1, inside, POINT)
        if rest.constant != 1:
            taken.append(single(self.algebra.factor("sqrt", rest)))
        return self._product_of(taken)

    def _product_of(self, values: list[Value]) -> Value:
        result = constant(1)
        for value in values:
            result = self.algebra.times(result, value)
        return result

    def absolute(self, value: Value) -> Value:
        """Return the absolute value: abs(a b) = abs(a) abs(b), abs(a) = a for what is natural."""
        if self.signs.has(Sign.NATURAL, value):
            return value
        only = _product(value)
        if only is None:
            if is_negative(value):
                value = plus(Value(), value, -1)
            return single(self.algebra.factor("abs", value))
        kept: list[tuple[Factor, int]] = []
        for factor, power in only.powers:
            if power % 2 == 0 or self.signs.is_factor(Sign.NATURAL, factor):
                kept.append((factor, power))
            else:
                kept.append((self.algebra.factor("abs", single(factor)), power))
        return self.algebra.family(abs(only.number), kept, POINT)

    def absolute_of_integers(self, value: Value, dtype: Any) -> Value:
        """Return the absolute value of an integer that may be the least of its dtype.

        Opposite numbers have one only where the dtype has signs: 0 - 1 is 255 in a byte.
        """
        only = _product(value)
        kinds = [] if only is None else [(f.head, power) for f, power in only.powers]
        if only is not None and abs(only.number) == 1 and kinds == [("abs", 1)]:
            return single(only.powers[0][0])
        has_signs = dtype is not None and self.signs.facts.is_one_of(dtype, SIGNED)
        if has_signs and is_negative(value):
            value = plus(Value(), value, -1)
        return single(self.algebra.factor("abs", value))

    def sign(self, value: Value) -> Value:
        """Return the sign: that of a product is the product of the signs."""
        if self.signs.has(Sign.POSITIVE, value):
            return constant(1)
        if not value.families:
            return value
        only = _product(value)
        if only is None:
            number = -1 if is_negative(value) else 1
            size = plus(Value(), value, number)
            return plus(Value(), single(self.algebra.factor("sign", size)), number)
        kept = [
            (self._sign_of_factor(factor), 2 - power % 2 if power > 0 else power)
            for factor, power in only.powers
            if not self.signs.is_factor(Sign.POSITIVE, factor)
        ]
        return self.algebra.family(1 if only.number > 0 else -1, kept, POINT)

    def _sign_of_factor(self, factor: Factor) -> Factor:
        return factor if factor.head == "sign" else self.algebra.factor("sign", single(factor))

    def exponential(self, value: Value) -> Value:
        """Return exp: exp(a + b) = exp(a) exp(b), exp(n a) = exp(a) ** n for an integer n."""
        powers = []
        for family in value.families:
            count = family.number if isinstance(family.number, int) else 1
            rest = family.number if count == 1 else 1
            inner = self._logarithm_in(family) if family.region.is_point else None
            if inner is not None and count != 0:
                powers.append((inner, count))
                continue
            one = Value((Family(rest, family.powers, family.region),))
            powers.append((self.algebra.factor("exp", one), count))
        return self.algebra.family(1, powers, POINT)

    @staticmethod
    def _logarithm_in(family: Family) -> Factor | None:
        """Return the factor that a family is the logarithm of: exp(log(a)) = a."""
        match family.powers:
            case ((Factor(head="log", arguments=(Value() as inner,)), 1),):
                only = _product(inner)
                if only is not None and only.number == 1 and len(only.powers) == 1:
                    factor, power = only.powers[0]
                    return factor if power == 1 and isinstance(family.number, int) else None
        return None

    def logarithm(self, value: Value) -> Value:
        """Return log: log(a b) = log(a) + log(b) where one of them is positive, log(exp(a)) = a."""
        only = _product(value)
        if only is None or only.number <= 0:
            taken, rest = self.algebra.without(value, self._is_positive)
            total = single(self.algebra.factor("log", rest))
            for factor, power in taken:
                total = plus(total, self._log_of_factor(factor, power))
            return total
        positive = self.signs.is_factor
        unknown = [pair for pair in only.powers if not positive(Sign.POSITIVE, pair[0])]
        whole = len(only.powers) == 1 and only.number == 1
        if len(unknown) > 1 or (whole and unknown and unknown[0][1] == 1 and _is_plain(unknown[0])):
            return single(self.algebra.factor("log", value))
        total = Value()
        if only.number != 1:
            total = single(self.algebra.factor("log", constant(only.number)))
        for factor, power in only.powers:
            total = plus(total, self._log_of_factor(factor, power))
        return total

    def _is_positive(self, factor: Factor) -> bool:
        return self.signs.is_factor(Sign.POSITIVE, factor)

    def _log_of_factor(self, factor: Factor, power: int | Fraction) -> Value:
        match factor.head:
            case "exp":
                logarithm = factor.arguments[0]
            case "sqrt":
                logarithm, power = self.logarithm(factor.arguments[0]), Fraction(power, 2)
            case "pow" if self.signs.has(Sign.POSITIVE, factor.arguments[0]):
                base, exponent = factor.arguments
                logarithm = self.algebra.times(exponent, self.logarithm(base))
            case "group":
                logarithm = single(self.algebra.factor("log", factor.arguments[0]))
            case _:
                inner = single(factor)
                if power % 2 == 0:
                    inner = self.absolute(inner)
                logarithm = single(self.algebra.factor("log", inner))
        return plus(Value(), logarithm, power)


def _is_plain(pair: tuple[Factor, int]) -> bool:
    return pair[0].head not in ("sqrt", "group")


def _product(value: Value) -> Family | None:
    """Return the only product that a value is, None if it is a sum, or depends on an index."""
    if len(value.families) != 1 or not value.families[0].region.is_point:
        return None
    return value.families[0]


def _root_of_number(number: Any) -> Fraction | int | None:
    exact = Fraction(number)
    roots = isqrt(exact.numerator), isqrt(exact.denominator)
    if roots[0] ** 2 != exact.numerator or roots[1] ** 2 != exact.denominator:
        return None
    return roots[0] if roots[1] == 1 else Fraction(*roots)
