"""Where operators on integers have values: divisors that are not 0, indices and shifts in range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from gsl.attr.evaluate import conjunction, disjunction, equal, negation
from gsl.attr.term import Symbol
from gsl.expr import Call, Expr
from gsl.kernel.meaning import stretched
from gsl.operators.defined import Values
from gsl.operators.ranges import in_range
from gslverify.prove.equality import Equality
from gslverify.prove.indices.facts import Facts
from gslverify.prove.inline import Inliner
from gslverify.prove.values.signs import Sign, Signs
from gslverify.prove.values.values import Value


class IntegerDomains:
    """Shows by what integers can be that calls have values."""

    def __init__(self, inliner: Inliner, equality: Equality, facts: Facts) -> None:
        self.inliner = inliner
        self.equality = equality
        self.facts = facts
        self._symbols: dict[Any, Symbol] = {}

    def has_quotient(self, call: Call, source: Sequence[Call], signs: Signs) -> bool:
        """Tell whether no divisor is 0, and none is -1 where the dividend has no opposite.

        That is known of calls of the source with elements at the same places.
        """
        dtype = call.operands[0].tensor_type.dtype
        met = [found for one in source for found in self._elements(one)]
        rows = self.equality.normaliser.laws.rows
        for facts, _, (left, right) in self._elements(call):
            is_nonzero = signs.within(facts).is_met(Sign.NONZERO, right)
            pairs: list[tuple[Any, tuple[Value, ...]]] = [((), (left, right))]
            pairs += [(more, found) for _, more, found in met]
            exact = [(more, self._exact(found, dtype)) for more, found in pairs]

            def conditions(term: Any, exact: Any = exact, known: bool = is_nonzero) -> list[Any]:
                (_, own), *others = exact
                given = [
                    _where(more, conjunction(*_quotients(term, values, dtype)))
                    for more, values in others
                ]
                nonzero, has_opposite = _quotients(term, own, dtype)
                wanted = has_opposite if known else conjunction(nonzero, has_opposite)
                return [disjunction(negation(conjunction(*given)), wanted)]

            if not rows.follow(dtype, conditions, facts):
                return False
        return True

    def is_within(self, call: Call, operand: int) -> bool:
        """Tell whether the elements of an operand are within limits that do not depend on any."""
        name = call.operator.operands[operand].name
        rule = call.operator.values.get(name)
        if rule is None or isinstance(rule, Values) or call.operator.name == "Cast":
            return False
        limits = rule(tuple(one.type for one in call.operands), call.attributes)
        if limits.low is None or limits.high is None:
            return False
        whole = call.operands[operand]
        dtype = whole.tensor_type.dtype
        rows = self.equality.normaliser.laws.rows

        for facts, _, (value,) in self._of_operands([whole], whole):
            (exact,) = self._exact([value], dtype)

            def conditions(term: Any, exact: Value = exact) -> list[Any]:
                return [term(exact) >= limits.low, term(exact) <= limits.high]

            if not rows.follow(dtype, conditions, facts):
                return False
        return True

    def _exact(self, values: Sequence[Value], dtype: Any) -> list[Value]:
        return [self.equality.normaliser.laws.exact(value, dtype) for value in values]

    def _elements(self, call: Call) -> Iterator[tuple[Facts, tuple[Any, ...], tuple[Value, ...]]]:
        return self._of_operands(list(call.operands), call)

    def _of_operands(
        self, operands: list[Expr], whole: Expr
    ) -> Iterator[tuple[Facts, tuple[Any, ...], tuple[Value, ...]]]:
        """Yield what operands are for one element of a tensor that they are broadcast to."""
        shape = whole.tensor_type.shape
        index = tuple(self._symbol(axis, size) for axis, size in enumerate(shape))
        bounds = [symbol < size for symbol, size in zip(index, shape, strict=True)]
        cases = []
        for operand in operands:
            place = stretched(index, operand.tensor_type.shape, [shape])
            cases.append(self.equality.normaliser.cases(self.inliner.element(operand, place)))
        for chosen in product(*cases):
            guards = tuple(guard for own, _ in chosen for guard in own)
            facts = self.facts.assuming(*bounds, *guards)
            yield facts, guards, tuple(value for _, value in chosen)

    def _symbol(self, axis: int, size: Any) -> Symbol:
        """Return the index of an axis, the same one for all axes of one number and size."""
        key = axis, self.equality.forms.poly(size)
        if key not in self._symbols:
            self._symbols[key] = Symbol(f"e{axis}", low=0)
            self.equality.forms.bound(self._symbols[key], size)
        return self._symbols[key]


def _quotients(term: Any, values: Sequence[Value], dtype: Any) -> list[Any]:
    """Return the conditions that a quotient has a value: divisor not 0, result in the dtype."""
    dividend, divisor = map(term, values)
    has_opposite = disjunction(negation(equal(divisor, -1)), in_range(-dividend, dtype))
    return [negation(equal(divisor, 0)), has_opposite]


def _where(guards: Sequence[Any], condition: Any) -> Any:
    return disjunction(negation(conjunction(*guards)), condition) if guards else condition
