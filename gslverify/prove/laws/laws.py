"""The algebraic laws that proofs use, one method for each function.

Everything not mentioned here is a function of which nothing is known but that equal arguments have
equal results. Laws that integers of a fixed width break - order and arithmetic together, division -
are used only where all that is computed are floats, which count as real numbers (`is_field`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

from gsl.attr.evaluate import disjunction, equal
from gsl.attr.term import operation
from gsl.types import ANY_FLOAT, ANY_INTEGER
from gslverify.prove.indices.facts import Facts
from gslverify.prove.laws.extrema import STRICTLY, Extrema
from gslverify.prove.laws.law import is_negative, only_factor
from gslverify.prove.laws.powers import Powers
from gslverify.prove.laws.rows import Rows
from gslverify.prove.values.algebra import MOST_FACTORS, Algebra, single
from gslverify.prove.values.exactness import WIDER, WIDER_FLOATS, Exactness
from gslverify.prove.values.selecting import moved_inside
from gslverify.prove.values.signs import Sign, Signs
from gslverify.prove.values.unknowns import WHOLE
from gslverify.prove.values.values import (
    NUMBER,
    Factor,
    Family,
    Item,
    Region,
    Value,
    constant,
    plus,
    value_of,
)

LARGEST_HELD = 127
"""Numbers from 0 to this are values of all dtypes but that of truth values."""

TO_WHOLE = ("floor", "ceil", "round", "trunc")
"""Functions whose values are whole numbers, which they leave as they are."""

OF_RINGS = frozenset({"+", "-", "*", "neg", "select"})
"""Functions that integers modulo a power of two have as well."""

Cases = list[tuple[tuple[Any, ...], Value]]


class Laws:
    """Functions of values, simplified as far as laws go."""

    def __init__(
        self,
        facts: Facts,
        algebra: Algebra,
        is_field: bool,
        dtypes: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.dtypes = dtypes
        self.facts = facts
        self.algebra = algebra
        self.is_field = is_field
        self.signs = Signs(facts, dtypes)
        self.powers = powers = Powers(algebra, self.signs)
        self.extrema = Extrema(algebra, self.signs, powers, is_field)
        self.extremum = extrema = self.extrema.extremum
        self.exactness = Exactness(facts, algebra, is_field, dtypes)
        self.is_exact = self.exactness.is_exact
        self.rows = Rows(self)
        self._held: dict[tuple[Any, Any, bool], bool] = {}
        self._table: Mapping[str, Callable[..., Value]] = {
            "+": plus,
            "-": lambda a, b: plus(a, b, -1),
            "neg": lambda a: plus(Value(), a, -1),
            "*": algebra.times,
            "/": lambda a, b: algebra.times(a, algebra.inverse(b)),
            "//": lambda a, b: self.whole_quotient(a, b, None),
            "%": lambda a, b: self.remainder(a, b, None),
            "pow": powers.power,
            "sqrt": powers.root,
            "exp": powers.exponential,
            "log": powers.logarithm,
            **{name: partial(self._rounded_to_whole, name) for name in TO_WHOLE},
            "abs": powers.absolute,
            "sigmoid": self._sigmoid,
            "max": lambda a, b: extrema("max", [Item(Region(), a), Item(Region(), b)]),
            "min": lambda a, b: extrema("min", [Item(Region(), a), Item(Region(), b)]),
            "and": algebra.times,
            "or": lambda a, b: plus(plus(a, b), algebra.times(a, b), -1),
            "not": self._not,
            "select": self._select,
        }

    def value(self, factor: Factor) -> Cases:
        """Return a factor as the only case."""
        return [((), single(factor))]

    def function(self, name: str, arguments: Sequence[Value], dtype: Any = None) -> Cases:
        """Return a function of values; a comparison of constants is one of terms.

        `dtype` is that of the arguments, None where it is not known.
        """
        if name in _COMPARED:
            return self._comparison(name, arguments, dtype)
        if name == "sign" and self.is_field:
            return [((), self.powers.sign(*arguments))]
        return [((), self.made(name, arguments, dtype))]

    def made(self, name: str, arguments: Sequence[Value], dtype: Any) -> Value:
        """Return a function of values, which has one case; of integers as rows say."""
        match name:
            case "//":
                return self.whole_quotient(arguments[0], arguments[1], dtype)
            case "%":
                return self.remainder(arguments[0], arguments[1], dtype)
            case "<":
                return self._below(arguments[0], arguments[1], dtype)
            case ">>" if not self.is_field:
                exact = [self.exact(argument, dtype) for argument in arguments]
                are_integers = self.exactness.are_integers(exact, dtype)
                found = self.rows.applied(name, exact, dtype) if are_integers else None
                return single(self.algebra.factor(name, *exact)) if found is None else found
            case "abs" if not self.is_field:
                return self.powers.absolute_of_integers(arguments[0], dtype)
        if name in self._table:
            return self._table[name](*arguments)
        found = self.rows.applied(name, arguments, dtype)
        return single(self.algebra.factor(name, *arguments)) if found is None else found

    def held(self, value: Value, dtype: Any = None) -> Value:
        """Return a computed integer as what its dtype can hold of it, of which nothing is known.

        Only what is made of constants is known to be any number; small ones every dtype can hold.
        """
        number = value.constant
        is_small = isinstance(number, int) and 0 <= number <= LARGEST_HELD
        if self.is_field or is_small or not _is_constant(value) or self._fits(value, dtype):
            return value
        return single(self.algebra.held(value, dtype))

    def exact(self, value: Value, dtype: Any) -> Value:
        """Return an integer that is computed as what its dtype holds of it."""
        factor = only_factor(value)
        is_held = factor is not None and factor.head in WHOLE
        if is_held or self.is_exact(value) or self._fits(value, dtype):
            return value
        return single(self.algebra.held(value, dtype))

    def _fits(self, value: Value, dtype: Any) -> bool:
        is_known = dtype is not None and self.exactness.are_integers([value], dtype)
        return is_known and self.rows.fits([value], dtype)

    def cast(self, value: Value, source: Any, target: Any, computed: bool = False) -> Cases:
        """Convert: nothing happens to what the target can hold, else it is only a function.

        Where integers may wrap, an element is what it is in a wider dtype, a sum need not be.
        """
        if value.constant in (0, 1):
            return [((), value)]
        source = self._read_as(value, source)
        held = self.held(value, source) if computed else value
        exact = self.is_field or self.is_exact(held)
        if self._holds(source, target, WIDER if exact else WIDER_FLOATS):
            return [((), value)]
        value = held
        if self._is_in_range(value, source, target):
            return [((), value)]
        if self.facts.forms.names.is_named(target, "bool"):
            return [((), self._not(self.is_zero(self._compared(value, source))))]
        inside = moved_inside(value, lambda one: self._only_cast(one, source, target), self.algebra)
        if inside is not None:
            return [((), inside)]
        return self.value(self.algebra.cast(value, source, target))

    def _is_in_range(self, value: Value, source: Any, target: Any) -> bool:
        """Tell whether an integer that is computed from limits is one of another dtype, too."""
        factor = only_factor(value)
        if self.is_field or factor is None or factor.head not in ("max", "min"):
            return False
        both = all(self.facts.is_one_of(dtype, ANY_INTEGER) for dtype in (source, target))
        return both and self.is_exact(value) and self.rows.fits([value], target, source)

    def _read_as(self, value: Value, source: Any) -> Any:
        """Return the dtype that a value has been read in, which is all that it can be."""
        only = value.families[0] if len(value.families) == 1 else None
        match only:
            case Family(number=1, powers=((Factor(head="read", name=name), 1),)):
                return self.dtypes.get(name, source) if only.region.is_point else source
        return source

    def rounded(self, value: Value, source: Any, target: Any) -> Cases:
        """Convert a number of which its dtype holds another one, which is all that is known."""
        return self.value(self.algebra.cast(value, source, target))

    def _only_cast(self, value: Value, source: Any, target: Any) -> Value | None:
        cases = self.cast(value, source, target)
        return cases[0][1] if len(cases) == 1 and not cases[0][0] else None

    def _holds(self, source: Any, target: Any, wider: Mapping[str, tuple[str, ...]]) -> bool:
        text = self.facts.forms.names.text
        one, other = text(source), text(target)
        if one is other:
            return True
        if isinstance(one, str) and isinstance(other, str):
            return one == other or other in wider.get(one, ())
        key = one, other, wider is WIDER
        if key not in self._held:
            self._held[key] = self._is_wider(one, other, wider)
        return self._held[key]

    def _is_wider(self, one: Any, other: Any, wider: Mapping[str, tuple[str, ...]]) -> bool:
        if isinstance(other, str):
            names = tuple(name for name, found in wider.items() if other in found)
            return self.facts.is_one_of(one, (other, *names))
        if isinstance(one, str):
            return self.facts.is_one_of(other, (one, *wider.get(one, ())))
        pairs = [(a, b) for a, found in wider.items() for b in found]
        kept = [equal(one, other), *(equal((one, other), pair) for pair in pairs)]
        return self.facts.entails(disjunction(*kept))

    def _not(self, value: Value) -> Value:
        return plus(constant(1), value, -1)

    def _select(self, condition: Value, then: Value, otherwise: Value) -> Value:
        times = self.algebra.times
        return plus(times(condition, then), times(self._not(condition), otherwise))

    def whole_quotient(self, left: Value, right: Value, dtype: Any) -> Value:
        """Return floor(a / b), of integers as rows say.

        A remainder is in the range of its dtype, whatever has wrapped on the way to it.
        """
        if self._is_remainder(left, right):
            return Value()
        if self.is_field:
            quotient = self.algebra.times(left, self.algebra.inverse(right))
            return (
                constant(1) if left.key == right.key else self._rounded_to_whole("floor", quotient)
            )
        if not self.exactness.are_integers([left, right], dtype):
            return single(self.algebra.factor("//", left, right))
        left, right = self.exact(left, dtype), self.exact(right, dtype)
        found = self.rows.applied("//", [left, right], dtype)
        return single(self.algebra.factor("//", left, right)) if found is None else found

    def _is_remainder(self, value: Value, divisor: Value) -> bool:
        """Tell whether a value is written as a - b (a // b) for the divisor b."""
        for family in value.families:
            for factor, power in family.powers:
                if factor.head == "//" and power == 1 and factor.arguments[1].key == divisor.key:
                    whole = self.algebra.times(divisor, single(factor))
                    if plus(value, whole).key == factor.arguments[0].key:
                        return True
        return False

    def remainder(self, left: Value, right: Value, dtype: Any) -> Value:
        """Return a - b floor(a / b)."""
        quotient = self.whole_quotient(left, right, dtype)
        return plus(left, self.algebra.times(right, quotient), -1)

    def _rounded_to_whole(self, name: str, value: Value) -> Value:
        """floor(a) = a for whole numbers, and floor(a + n) = floor(a) + n for whole n."""
        whole = [f for f in value.families if is_whole(f)] if self.is_field else []
        rest = value_of(f for f in value.families if f not in whole)
        if not rest.families:
            return value
        if name in ("round", "trunc"):
            return single(self.algebra.factor(name, value))
        return plus(single(self.algebra.factor(name, rest)), value_of(whole))

    def _sigmoid(self, value: Value) -> Value:
        powers = self.powers.exponential(plus(Value(), value, -1))
        return self.algebra.inverse(plus(constant(1), powers))

    def _comparison(self, name: str, arguments: Sequence[Value], dtype: Any) -> Cases:
        left, right = arguments
        negative = name in ("<=", ">=", "!=")
        if name in ("==", "!="):
            return self._decided(self._difference(left, right, dtype), negative, equal)
        if name in (">", "<="):
            left, right = right, left  # so that a <= b is not (b < a)
        if left.key == right.key or (_is_constant(left) and _is_constant(right)):
            return self._decided(plus(left, right, -1), negative, _less)
        left, right = self._compared(left, dtype), self._compared(right, dtype)
        value = self._below_by_signs(left, right) or self._below(left, right, dtype)
        return [((), self._not(value) if negative else value)]

    def _difference(self, left: Value, right: Value, dtype: Any) -> Value:
        """Return what is 0 where numbers are equal; of integers what their dtype holds."""
        left, right = self._without_functions(left, right)
        rest = plus(left, right, -1)
        number = rest.constant
        is_small = isinstance(number, int) and abs(number) <= LARGEST_HELD  # x + 256 may be x
        are_known = _is_constant(left) and _is_constant(right)
        sides = (left, right)
        if is_small or are_known or all(self._compared(one, dtype) is one for one in sides):
            return rest
        if is_negative(rest):
            rest = plus(Value(), rest, -1)
        return single(self.algebra.held(rest, dtype))

    def _without_functions(self, left: Value, right: Value) -> tuple[Value, Value]:
        """Return numbers in the same order, of which both are values of an increasing function."""
        function = self.extrema.outermost(left) if self.is_field else None
        while function in STRICTLY and self.extrema.outermost(right) == function:
            left, right = (self.extrema.inside(function, side) for side in (left, right))
            function = self.extrema.outermost(left)
        return left, right

    def _compared(self, value: Value, dtype: Any) -> Value:
        """Return a number that is compared: what is computed may have wrapped, unless it fits."""
        if self.is_field or (dtype is not None and self.facts.is_one_of(dtype, ANY_FLOAT)):
            return value
        return self.exact(value, dtype)

    def _below_by_signs(self, left: Value, right: Value) -> Value | None:
        """Return whether left < right where signs tell, None where they do not."""
        if not self.is_field and not (self.is_exact(left) and self.is_exact(right)):
            return None
        if self.signs.has(Sign.NATURAL, plus(left, right, -1)):
            return constant(0)
        return constant(1) if self.signs.has(Sign.POSITIVE, plus(right, left, -1)) else None

    def _below(self, left: Value, right: Value, dtype: Any) -> Value:
        """Return whether left < right; of real numbers that is whether left - right < 0."""
        if self.is_field:
            left, right = self._without_functions(left, right)
            return single(self.algebra.factor("<", plus(left, right, -1), is_bit=True))
        found = None
        if self.exactness.are_integers([left, right], dtype):
            found = self.rows.applied("<", (left, right), dtype)
        if found is None:
            return single(self.algebra.factor("<", left, right, is_bit=True))
        return found

    def _decided(self, difference: Value, negative: bool, compare: Any) -> Cases:
        term = self.constant_term(difference)
        if term is None:
            value = self.is_zero(difference)
            return [((), self._not(value) if negative else value)]
        condition = compare(term, 0)
        yes, no = constant(0 if negative else 1), constant(1 if negative else 0)
        form = self.facts.forms.condition(condition)
        if isinstance(form, bool):
            return [((), yes if form else no)]
        return [((condition,), yes), ((operation("not", condition),), no)]

    def is_zero(self, value: Value) -> Value:
        """Return whether a value is 0; whether its negative is means the same."""
        ordered = sorted(value.families, key=lambda family: repr(family.signature))
        if ordered and ordered[0].number < 0:
            value = plus(Value(), value, -1)
        return single(self.algebra.factor("==", value, is_bit=True))

    def constant_term(self, value: Value) -> Any:
        """Return a value that is made of constants alone as a term, else None."""
        powers = (power for family in value.families for _, power in family.powers)
        if not _is_constant(value) or any(power > MOST_FACTORS for power in powers):
            return None
        total: Any = 0
        for family in value.families:
            part: Any = family.number
            if isinstance(part, Fraction):
                part = operation("/", part.numerator, part.denominator)
            for factor, power in family.powers:
                for _ in range(power):
                    part = part * factor.places[0]
            total = total + part
        return total


def is_whole(family: Family) -> bool:
    """Tell whether a product is made of whole numbers alone."""
    return isinstance(family.number, int) and all(
        power > 0 and (factor.is_bit or factor.head in TO_WHOLE or factor.head == "sign")
        for factor, power in family.powers
    )


def _less(term: Any, bound: Any) -> Any:
    return term < bound


def _is_constant(value: Value) -> bool:
    return all(
        family.region.is_point
        and all(
            factor.head == NUMBER and power > 0 and not isinstance(factor.places[0], float)
            for factor, power in family.powers
        )
        for family in value.families
    )


_COMPARED = frozenset({"==", "!=", "<", "<=", ">", ">="})
