"""From expressions to values in normal form, case by case.

Conditions about indices are lifted out of functions, so that each case is free of them; conditions
about summed indices restrict the region of their sum. The laws used are those of commutative
rings, which hold for reals and for integers that wrap; those that need more say so in `laws`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from types import MappingProxyType
from typing import Any, assert_never

import numpy as np

from gsl.attr.term import Constant, Operation, Term, operation
from gsl.kernel.expression import (
    AnyExpression,
    Apply,
    Expression,
    Number,
    Read,
    Reduction,
    Select,
)
from gsl.types import ANY_FLOAT
from gslverify.prove.failure import UnprovableError
from gslverify.prove.indices.conditions import opposite
from gslverify.prove.indices.facts import Facts
from gslverify.prove.laws.extrema import is_infinite
from gslverify.prove.laws.infinities import compared_with_infinity
from gslverify.prove.laws.laws import OF_RINGS, Laws
from gslverify.prove.values.algebra import Algebra
from gslverify.prove.values.regions import Regions
from gslverify.prove.values.values import EXTREMA, Family, Item, Region, Value, constant, value_of
from gslverify.prove.values.wrapping import Computed

Guards = tuple[Any, ...]

Cases = list[tuple[Guards, Value]]
"""Values with the conditions under which they are the value; exactly one case holds."""


class Normaliser:
    """Brings expressions of one scenario into normal form.

    `bits` are the inputs whose elements are truth values, `dtypes` those of all that are known,
    `results` by their ids the expressions whose dtype is known.
    """

    def __init__(
        self,
        facts: Facts,
        algebra: Algebra,
        is_field: bool,
        bits: frozenset[str],
        dtypes: Mapping[str, Any] = MappingProxyType({}),
        results: Mapping[int, tuple[Expression, Any]] = MappingProxyType({}),
    ) -> None:
        self.forms = facts.forms
        self.results = results
        self.algebra = algebra
        self.regions = Regions(self.forms)
        self.bits = bits
        self.laws = Laws(facts, algebra, is_field, dtypes)
        self._computed = Computed()
        self._known: dict[int, tuple[Expression, Cases]] = {}

    def cases(self, expression: Expression) -> Cases:
        """Return the cases of an expression; raise UnprovableError."""
        key = id(expression)
        if key not in self._known:
            found = self._cases(expression)  # type: ignore[arg-type]
            self._known[key] = expression, found
        return self._known[key][1]

    def _cases(self, expression: AnyExpression) -> Cases:
        match expression:
            case Number(value=value):
                return self._number(value)
            case Read(tensor=tensor, indices=indices):
                return self.laws.value(self.algebra.read(tensor, indices, tensor in self.bits))
            case Select(condition=condition, then=then, otherwise=otherwise):
                return self._chosen(condition, self.cases(then), self.cases(otherwise))
            case Apply(function="cast", arguments=(value, Number() as source, Number() as target)):
                dtypes = source.value, target.value
                if _is_rounded(value, source.value):
                    return self._each([value], lambda v: self.laws.rounded(v, *dtypes))
                cast, computed = self.laws.cast, self._computed(value)
                return self._each([value], lambda v: cast(v, *dtypes, computed))
            case Apply(function=function, arguments=arguments):
                return self._each(arguments, lambda *v: self._applied(function, arguments, v))
            case Reduction(function="sum"):
                return [((), self._sum(expression))]
            case Reduction():
                return self._extremum(expression)
            case _:
                assert_never(expression)

    def _applied(
        self, function: str, arguments: Sequence[Expression], values: Sequence[Value]
    ) -> Cases:
        if function not in EXTREMA and any(map(is_infinite, values)):
            known = compared_with_infinity(function, values, self.laws.signs)
            if known is None:
                raise UnprovableError("it computes with an infinite constant")
            return [((), constant(int(known)))]
        if function in OF_RINGS:
            return self.laws.function(function, values)
        pairs = zip(arguments, values, strict=True)
        values = [self._held(argument, value) for argument, value in pairs]
        return self.laws.function(function, values, self._dtype(arguments))

    def _held(self, expression: Expression, value: Value) -> Value:
        """Return the value of an expression as what its dtype can hold of it."""
        if not self._computed(expression):
            return value
        return self.laws.held(value, self._dtype([expression]))

    def _dtype(self, expressions: Iterable[Expression]) -> Any:
        """Return the dtype that expressions have in common, None where it is not known."""
        known = (self.results.get(id(expression)) for expression in expressions)
        return next((dtype for _, dtype in filter(None, known)), None)

    def _number(self, value: Any) -> Cases:
        """Return a constant; what it computes with reals is computed with values."""
        if not isinstance(value, Operation) or value.head not in _TAKEN_APART:
            constant = value.value if isinstance(value, Constant) else value
            return [((), self.algebra.number(constant))]
        if value.head == "cond" and self.forms.is_integer(value):
            value = self.forms.term(self.forms.poly(value))
            if not isinstance(value, Operation) or value.head != "cond":
                return self._number(value)
        if value.head == "cond":
            condition, then, otherwise = value.operands
            return self._chosen(condition, self._number(then), self._number(otherwise))
        operands = [self._number(operand) for operand in value.operands]
        return self._combined(operands, lambda *v: self.laws.function(value.head, v))

    def _chosen(self, condition: Any, then: Cases, otherwise: Cases) -> Cases:
        form = self.forms.condition(condition)
        if isinstance(form, bool):
            return then if form else otherwise
        contrary = operation("not", condition)
        found = [((condition, *guards), value) for guards, value in then]
        found += [((contrary, *guards), value) for guards, value in otherwise]
        possible = [case for case in found if self.is_possible(case[0])]
        self.forms.effort.cases(len(possible))
        return possible

    def is_possible(self, guards: Iterable[Any]) -> bool:
        """Tell whether guards do not obviously contradict each other."""
        forms = {self.forms.condition(part) for part in _parts(guards)}
        return False not in forms and not any(opposite(form) in forms for form in forms)

    def _each(self, arguments: Sequence[Expression], compute: Any) -> Cases:
        return self._combined([self.cases(argument) for argument in arguments], compute)

    def _combined(self, arguments: Sequence[Cases], compute: Any) -> Cases:
        found: Cases = []
        for combination in product(*arguments):
            guards = tuple(guard for own, _ in combination for guard in own)
            if len(arguments) > 1 and not self.is_possible(guards):
                continue
            for more, value in compute(*(value for _, value in combination)):
                found.append(((*guards, *more), value))
            self.forms.effort.cases(len(found))
        return found

    def families(self, whole: Reduction) -> Iterator[tuple[Guards, Family]]:
        """Yield the families that a sum is one of, and the conditions under which they count."""
        for symbol, extent in whole.variables:
            self.forms.bound(symbol, extent)
        yield from self._rejoined(self.cases(whole.body))

    def _sum(self, whole: Reduction) -> Value:
        families: list[Family] = []
        for guards, family in self.families(whole):
            families += self._summed(whole.variables, guards, family).families
        return value_of(families)

    def _rejoined(self, cases: Cases) -> Iterator[tuple[Guards, Family]]:
        """Yield the families of cases; those that do not depend on a condition lose it."""
        found: dict[Any, dict[frozenset[Any], tuple[Guards, Family]]] = {}
        for guards, value in cases:
            for family in value.families:
                same = found.setdefault((family.key, family.number), {})
                self._add(guards, family, same)
        for same in found.values():
            yield from same.values()

    def _add(
        self, guards: Guards, family: Family, same: dict[frozenset[Any], tuple[Guards, Family]]
    ) -> None:
        """Add a family under some conditions to those that are equal under other conditions."""
        forms = {self.forms.condition(guard): guard for guard in guards}
        forms.pop(True, None)
        for form in forms:
            others = frozenset(forms) - {form}
            if same.pop(others | {opposite(form)}, None) is not None:
                rest = tuple(guard for one, guard in forms.items() if one != form)
                self._add(rest, family, same)
                return
        same[frozenset(forms)] = tuple(forms.values()), family

    def _summed(self, variables: Any, guards: Guards, family: Family) -> Value:
        region = Region((*variables, *family.region.extents), (*guards, *family.region.guards))
        simple = self.regions.simplified(region)
        if simple is None:
            return Value()
        inner = self.algebra.replaced(Value((Family(family.number, family.powers),)), simple[1])
        return value_of(
            one for part in inner.families for one in self.counted(part, simple[0]).families
        )

    def counted(self, family: Family, region: Region) -> Value:
        """Turn a sum over an index that nothing depends on into a multiple."""
        used = {s for factor, _ in family.powers for s in self.algebra.free(factor)}
        terms = [*region.guards, *(extent for _, extent in region.extents)]
        used |= {s for term in terms for s in self.algebra.symbols_of(term)}
        unused = [extent for symbol, extent in region.extents if symbol not in used]
        kept = tuple(pair for pair in region.extents if pair[0] in used)
        value = Value((Family(family.number, family.powers, Region(kept, region.guards)),))
        counts = [self.algebra.number(extent) for extent in unused]
        return reduce(self.algebra.times, counts, value)

    def _extremum(self, whole: Reduction) -> Cases:
        for symbol, extent in whole.variables:
            self.forms.bound(symbol, extent)
        items: list[Item] = []
        for guards, computed in self.cases(whole.body):
            value = self._held(whole.body, computed)
            simple = self.regions.simplified(Region(whole.variables, guards))
            if simple is not None:
                items.append(Item(simple[0], self.algebra.replaced(value, simple[1])))
        assert whole.function in EXTREMA
        return [((), self.laws.extremum(whole.function, items))]


def _parts(guards: Iterable[Any]) -> Iterable[Any]:
    for guard in guards:
        yield guard
        if isinstance(guard, Operation) and guard.head == "and":
            yield from _parts(guard.operands)


_TAKEN_APART = frozenset({"+", "-", "*", "/", "neg", "min", "max", "cond"})
"""Operations on constants that have a meaning for values, too."""


def _is_rounded(value: Expression, dtype: Any) -> bool:
    """Tell whether a number that a rule gives may be another one as its dtype holds it."""
    if not isinstance(value, Number):
        return False
    number, name = (x.value if isinstance(x, Constant) else x for x in (value.value, dtype))
    if isinstance(number, Term):
        return isinstance(name, Term) or name in ANY_FLOAT
    with np.errstate(over="ignore"):
        smallest = np.dtype(name if name in ANY_FLOAT else "float16").type(number)
    return (isinstance(name, Term) or name in ANY_FLOAT) and float(smallest) != number
