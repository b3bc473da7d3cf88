"""Is the target defined wherever the source is?

Division by zero, the root of a negative number or an index out of range leave an operator without
a value. A call of such an operator in the target is safe if the source has one that meets the same
elements, or if the signs of what it computes from rule the danger out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from gsl.attr.evaluate import conjunction, contains, disjunction, equal, negation
from gsl.attr.term import Symbol
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.kernel.expression import Apply, Expression
from gsl.operators.defined import Values
from gsl.types import ANY_FLOAT, ANY_INTEGER, SATURATING, TensorType
from gslverify.prove.equality import Equality
from gslverify.prove.gathering import Gathering, limits_of, places_of
from gslverify.prove.indices.facts import Facts
from gslverify.prove.inline import Inliner
from gslverify.prove.integer_domains import IntegerDomains
from gslverify.prove.normal import Cases
from gslverify.prove.reads import elements_read
from gslverify.prove.results import Open
from gslverify.prove.values.algebra import single
from gslverify.prove.values.signs import Known, Sign, Signs, consequences
from gslverify.prove.values.values import Family, Region, Value, plus
from gslverify.prove.values.written import WrittenSigns


class Definedness:
    """Proves that what a target computes has a value wherever the source has one."""

    def __init__(self, inliner: Inliner, equality: Equality, facts: Facts) -> None:
        self.inliner = inliner
        self.equality = equality
        self.facts = facts
        self.integers = IntegerDomains(inliner, equality, facts)
        self.gathering: Gathering | None = None
        self._known: list[Known] | None = None

    def open_obligation(self, pairs: Sequence[tuple[Expr, Expr]]) -> Open | None:
        """Return which call of the target may have no value, None for none."""
        source = [c for c in _calls([old for old, _ in pairs]) if _is_partial(c)]
        known = {id(call) for call in source}
        added = [c for c in _calls([new for _, new in pairs]) if _is_partial(c)]
        for call in added:
            if id(call) in known or self._gives_any_integer(call):
                continue
            for operand in _restricted(call):
                if not (
                    self._is_safe(call, operand, source)
                    or self._is_met_where_read(call, source, pairs)
                ):
                    name = call.operator.operands[operand].name
                    return Open(f"`{name}` of {call.operator} in the target may have no value")
        return None

    def _gives_any_integer(self, call: Call) -> bool:
        """Tell whether a call gives some integer where it is not defined, whichever it is.

        What is equal for every function does not depend on numbers that the source does not read,
        as no integer spoils a sum in which it is multiplied by 0.
        """
        converts = call.operator.name == "Cast" and id(call) in self.inliner.functions
        return converts and self.facts.is_one_of(call.tensor_type.dtype, ANY_INTEGER)

    def _is_met_where_read(
        self, call: Call, source: Sequence[Call], pairs: Sequence[tuple[Expr, Expr]]
    ) -> bool:
        """Tell whether the source has all elements of which outputs read what is made of them.

        Where a float has no root, or no integer, there is some other number, which stops nothing.
        """
        is_function = len(call.operands) == 1 and "elementwise" in call.operator.traits
        if not is_function or not (call.operator.name == "Cast" or self._floats(call)):
            return False
        alike = [o for o in source if o.operator is call.operator and self._fits(call, o)]
        wholes = [other.operands[0] for other in alike]
        forms = self.equality.forms
        return bool(alike) and all(
            any(self._is_there(read, other) for other in there)
            or self._cover(wholes, (read[0], self.equality.normaliser.cases(read[1])))
            for there, here in elements_read([call, *alike], pairs, self.inliner, forms)
            for read in here
        )

    def _is_there(self, read: tuple[Region, Expression], other: tuple[Region, Expression]) -> bool:
        """Tell whether an element is another one at the same index, wherever it is read."""
        (here, mine), (there, its) = read, other
        facts = self.facts.assuming(*here.bounds)
        if here.symbols != there.symbols or not facts.entails(*there.guards):
            return False
        cases = self.equality.normaliser.cases
        return all(
            within.impossible() or self.equality.same(one, two, within)
            for guards, one in cases(mine)
            for more, two in cases(its)
            for within in [facts.assuming(*guards, *more)]
        )

    def with_places(self, sources: Sequence[Expr]) -> Gathering:
        """Return what is known of the indices that the source is given, and use it."""
        places = list(places_of(_calls(sources), self._element))
        self.gathering = Gathering(self.equality, places)
        return self.gathering

    def _is_safe(self, call: Call, operand: int, source: Sequence[Call]) -> bool:
        if call.operator.name == "Cast" and self._is_total_cast(call):
            return True
        if call.operator.undefined is not None and not self._floats(call):
            alike = [other for other in source if _have_one_domain(other, call)]
            is_met = any(self._meets_all(call, other) for other in alike)
            return is_met or self.integers.has_quotient(call, alike, self._signs(source))
        alike = [other for other in source if other.operator is call.operator]
        if call.operator.name == "Power":
            return self._is_safe_power(call, source)
        return (
            self._meets(call, alike, operand)
            or self._has_indices(call, operand, source)
            or self._has_sign(call, operand, source)
            or self.integers.is_within(call, operand)
        )

    def _is_total_cast(self, call: Call) -> bool:
        given, wanted = call.operands[0].tensor_type.dtype, call.attributes["dtype"]
        risky = conjunction(contains(given, ANY_FLOAT), contains(wanted, ANY_INTEGER))
        saturates = conjunction(negation(equal(given, wanted)), contains(wanted, SATURATING))
        return self.facts.entails(negation(disjunction(risky, saturates)))

    def _floats(self, call: Call) -> bool:
        return self.facts.is_one_of(call.operands[0].tensor_type.dtype, ANY_FLOAT)

    def _meets_all(self, call: Call, other: Call) -> bool:
        pairs = zip(call.operands, other.operands, strict=True)
        return all(one is two for one, two in pairs)

    def _meets(self, call: Call, alike: Sequence[Call], operand: int) -> bool:
        """Tell whether calls of the source meet all elements that one of the target meets."""
        fitting = [other.operands[operand] for other in alike if self._fits(call, other)]
        own = call.operands[operand]
        return any(own is other for other in fitting) or self._covers(fitting, own)

    def _has_indices(self, call: Call, operand: int, source: Sequence[Call]) -> bool:
        """Tell whether indices are such of calls of the source with the same limits."""
        limits = limits_of(call, call.operator.operands[operand].name)
        if limits is None:
            return False
        fitting = []
        for other in source:
            for number, declared in enumerate(other.operator.operands):
                found = limits_of(other, declared.name)
                if found is not None and self.facts.same(list(zip(limits, found, strict=True))):
                    fitting.append(other.operands[number])
        return self._covers(fitting, call.operands[operand])

    def _fits(self, call: Call, other: Call) -> bool:
        if call.operator.name == "Cast":
            return _same_dtype(call, other)
        own, others = _limits(call), _limits(other)
        return len(own) == len(others) and self.facts.same(list(zip(own, others, strict=True)))

    def _covers(self, wholes: Sequence[Expr], part: Expr) -> bool:
        """Tell whether every element of `part` is one of the others."""
        here = self._element(part)
        return here is not None and self._cover(wholes, here)

    def _cover(self, wholes: Sequence[Expr], here: tuple[Region, Cases]) -> bool:
        there = [found for whole in wholes if (found := self._element(whole)) is not None]
        if len(there) != len(wholes) or not there:
            return False
        same = self.equality
        for guards, whole in here[1]:
            facts = self.facts.assuming(*here[0].bounds, *guards)
            more_bounds, value = self._chosen_from(whole, facts)
            facts = facts.assuming(*more_bounds)
            reached = [
                condition
                for region, cases in there
                for more, other in cases
                for condition in same.reached((region, other), more, (here[0], value), facts)
            ]
            if not facts.entails(disjunction(*reached)):
                return False
        return True

    def _chosen_from(self, value: Value, facts: Facts) -> tuple[tuple[Any, ...], Value]:
        """Return what an element is chosen from, at any place, where it is chosen by an index."""
        if self.gathering is None or len(value.families) != 1 or value.families[0].number != 1:
            return (), value
        (family,) = value.families
        choice = next(self.gathering.choices(family, facts), None)
        if choice is None or len(family.region.extents) != 1:
            return (), value
        powers = tuple(pair for pair in family.powers if pair[0] is not choice.factor)
        return family.region.bounds, Value((Family(1, powers),))

    def _element(self, expr: Expr) -> Any:
        if not isinstance(expr.type, TensorType):
            return None
        index = tuple(Symbol(f"e{axis}", low=0) for axis in range(expr.type.ndim))
        for symbol, size in zip(index, expr.type.shape, strict=True):
            self.equality.forms.bound(symbol, size)
        cases = self.equality.normaliser.cases(self.inliner.element(expr, index))
        return Region(tuple(zip(index, expr.type.shape, strict=True))), cases

    def _has_sign(self, call: Call, operand: int, source: Sequence[Call]) -> bool:
        """Tell whether signs rule out that an operand leaves a call without a value."""
        sign = DOMAINS.get(call.operator.name)
        found = None if sign is None else self._element(call.operands[operand])
        if sign is None or found is None:
            return False
        region, cases = found
        signs = self._signs(source)
        by_value = all(
            signs.within(self.facts.assuming(*region.bounds, *guards)).has(sign, value)
            for guards, value in cases
        )
        return by_value or self._is_written(call.operands[operand], sign, signs)

    def _is_written(self, operand: Expr, sign: Sign, signs: Signs) -> bool:
        """Tell whether a sign shows in how an operand is computed, before it is multiplied out."""
        index = tuple(Symbol(f"e{axis}", low=0) for axis in range(operand.tensor_type.ndim))
        cases = self.equality.normaliser.cases
        written = WrittenSigns(
            self.facts, lambda wanted, part: all(signs.has(wanted, v) for _, v in cases(part))
        )
        wanted = Sign.POSITIVE if sign is Sign.NONZERO else sign
        return written(wanted, self.inliner.element(operand, index))

    def _signs(self, source: Sequence[Call]) -> Signs:
        """Return the signs of values that the source has where it is defined."""
        if self._known is None:
            self._known = [known for call in source for known in self._met(call)]
        return Signs(self.facts, self.inliner.dtypes, self._known, self._matches)

    def _met(self, call: Call) -> Iterator[Known]:
        if call.operator.name == "Power":
            yield from self._met_power(call)
            return
        sign = DOMAINS.get(call.operator.name)
        if sign is None or (sign is not Sign.NONZERO and not self._floats(call)):
            return
        for operand in _restricted(call):
            region, cases = self._element(call.operands[operand])
            for guards, value in cases:
                for known, part in consequences(sign, value):
                    yield Known(known, region, guards, part)

    def _matches(self, known: Known, value: Value, facts: Facts) -> bool:
        """Tell whether a value is one that is known, at some index of its region."""
        if [f.signature for f in known.value.families] != [f.signature for f in value.families]:
            return False
        reached = self.equality.reached(
            (known.region, known.value), known.guards, (Region(), value), facts
        )
        return any(facts.entails(condition) for condition in reached)

    def _met_power(self, call: Call) -> Iterator[Known]:
        """Yield what is known of a base that has a power."""
        for region, guards, base, exponent in self._powers(call):
            number = exponent.constant
            if number is None:
                continue
            if isinstance(number, int):
                signs = [Sign.NONZERO] if number < 0 else []
            else:
                signs = [Sign.POSITIVE if number < 0 else Sign.NATURAL]
            for sign in signs:
                for known, part in consequences(sign, base):
                    yield Known(known, region, guards, part)

    def _powers(self, call: Call) -> Iterator[tuple[Region, Any, Value, Value]]:
        """Yield bases and exponents of the elements of a power, case by case."""
        index = tuple(Symbol(f"e{axis}", low=0) for axis in range(call.tensor_type.ndim))
        for symbol, size in zip(index, call.tensor_type.shape, strict=True):
            self.equality.forms.bound(symbol, size)
        region = Region(tuple(zip(index, call.tensor_type.shape, strict=True)))
        element = self.inliner.element(call, index)
        if isinstance(element, Apply) and element.function == "pow":
            bases, exponents = map(self.equality.normaliser.cases, element.arguments)
            for (guards, base), (more, exponent) in product(bases, exponents):
                yield region, (*guards, *more), base, exponent

    def _is_safe_power(self, call: Call, source: Sequence[Call]) -> bool:
        signs = self._signs(source)
        return all(
            self._has_power(
                base, exponent, signs.within(self.facts.assuming(*region.bounds, *guards)), source
            )
            for region, guards, base, exponent in self._powers(call)
        )

    def _has_power(
        self, base: Value, exponent: Value, signs: Signs, source: Sequence[Call]
    ) -> bool:
        """Tell whether a power has a value: by signs, or as the source has it."""
        number = exponent.constant
        if isinstance(number, int):
            return number >= 0 or signs.has(Sign.NONZERO, base)
        if number is not None:
            return signs.has(Sign.POSITIVE if number < 0 else Sign.NATURAL, base)
        if signs.has(Sign.POSITIVE, base):
            return True
        algebra = self.equality.algebra
        powers = [algebra.factor("pow", base, exponent)]
        inverse = algebra.factor("pow", base, plus(Value(), exponent, -1))
        powers += [inverse] if signs.has(Sign.NONZERO, single(inverse)) else []
        there = [
            Known(Sign.NATURAL, region, guards, single(algebra.factor("pow", one, other)))
            for call in source
            if call.operator.name == "Power"
            for region, guards, one, other in self._powers(call)
        ]
        return any(
            self._matches(known, single(power), signs.facts) for power in powers for known in there
        )


DOMAINS = {
    "Divide": Sign.NONZERO,
    "FloorDivide": Sign.NONZERO,
    "Mod": Sign.NONZERO,
    "TruncDivide": Sign.NONZERO,
    "Remainder": Sign.NONZERO,
    "Log": Sign.POSITIVE,
    "Rsqrt": Sign.POSITIVE,
    "Sqrt": Sign.NATURAL,
    "BatchNorm": Sign.NATURAL,
}
"""Where operators have values, as real functions; what they are tried on may be less."""


def _have_one_domain(one: Call, other: Call) -> bool:
    """Tell whether operators have values for the same operands."""
    operators = one.operator, other.operator
    return operators[0] is operators[1] or (
        operators[0].undefined is operators[1].undefined
        and dict(operators[0].values) == dict(operators[1].values)
    )


def _same_dtype(call: Call, other: Call) -> bool:
    return call.attributes["dtype"] is other.attributes["dtype"]


def _limits(call: Call) -> tuple[Any, ...]:
    """Return the limits of operands that depend on sizes, dtypes or attributes of the call."""
    types = tuple(operand.type for operand in call.operands)
    rules = [rule for rule in call.operator.values.values() if not isinstance(rule, Values)]
    found = [rule(types, call.attributes) for rule in rules]
    return tuple(limit for one in found for limit in (one.low, one.high, *one.lows, *one.highs))


def _calls(outputs: Sequence[Expr]) -> Iterator[Call]:
    for expr in reverse_post_order(outputs):
        if isinstance(expr, Call):
            yield expr


def _is_partial(call: Call) -> bool:
    return bool(call.operator.values) or call.operator.undefined is not None


def _restricted(call: Call) -> list[int]:
    operands = call.operator.operands
    named = [n for n, operand in enumerate(operands) if operand.name in call.operator.values]
    return named or list(range(len(operands)))
