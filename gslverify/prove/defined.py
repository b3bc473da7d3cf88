"""Is the target defined wherever the source is?

Division by zero, the root of a negative number or an index out of range leave an operator without
a value. A call of such an operator in the target is safe if the source has one that meets the same
elements, or if the signs of what it computes from rule the danger out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gsl.attr.evaluate import conjunction, contains, disjunction, negation
from gsl.attr.term import Symbol
from gsl.expr import Call, Expr, Var
from gsl.graph import reverse_post_order
from gsl.kernel.expression import (
    AnyExpression,
    Apply,
    Expression,
    Number,
    Read,
    Reduction,
    Select,
)
from gsl.operators.declaration import Values
from gsl.types import FLOATING, INTEGER, TensorType
from gslverify.prove.equality import Equality
from gslverify.prove.facts import Facts
from gslverify.prove.inline import Inliner
from gslverify.prove.results import Open
from gslverify.prove.values import Region


class Signs:
    """What is known about the signs of elements, from how they are computed."""

    def __init__(self, facts: Facts, natural: frozenset[str]) -> None:
        self.facts = facts
        self.natural = natural

    def is_natural(self, expression: AnyExpression | Expression) -> bool:
        """Tell whether a value is known not to be negative."""
        match expression:
            case Number(value=value):
                return self.facts.entails(value >= 0)
            case Read(tensor=tensor):
                return tensor in self.natural
            case Select(then=then, otherwise=otherwise):
                return self.is_natural(then) and self.is_natural(otherwise)
            case Reduction(function="sum" | "max" | "min" | "product", body=body):
                return self.is_natural(body)
            case Apply(function="*", arguments=(left, right)) if left is right:
                return True
            case Apply(function="+" | "*" | "min", arguments=arguments):
                return all(map(self.is_natural, arguments))
            case Apply(function="max", arguments=arguments):
                return any(map(self.is_natural, arguments))
            case Apply(function="/", arguments=(left, right)):
                return self.is_natural(left) and self.is_positive(right)
            case Apply(function="sqrt" | "abs"):
                return True
            case _:
                return self.is_positive(expression)

    def is_positive(self, expression: AnyExpression | Expression) -> bool:
        """Tell whether a value is known to be greater than 0."""
        match expression:
            case Number(value=value):
                return self.facts.entails(value > 0)
            case Reduction(function="sum", variables=variables, body=body):
                filled = self.facts.entails(*(extent >= 1 for _, extent in variables))
                return filled and self.is_positive(body)
            case Select(then=then, otherwise=otherwise):
                return self.is_positive(then) and self.is_positive(otherwise)
            case Apply(function="+", arguments=(left, right)):
                signs = (self.is_positive(left), self.is_positive(right))
                return any(signs) and self.is_natural(left) and self.is_natural(right)
            case Apply(function="*" | "/", arguments=arguments):
                return all(map(self.is_positive, arguments))
            case Apply(function="max", arguments=arguments):
                return any(map(self.is_positive, arguments))
            case Apply(function="exp" | "sigmoid"):
                return True
            case Apply(function="sqrt", arguments=(inner,)):
                return self.is_positive(inner)
            case _:
                return False


class Definedness:
    """Proves that what a target computes has a value wherever the source has one."""

    def __init__(self, inliner: Inliner, equality: Equality, facts: Facts) -> None:
        self.inliner = inliner
        self.equality = equality
        self.facts = facts

    def open_obligation(self, pairs: Sequence[tuple[Expr, Expr]]) -> Open | None:
        """Return which call of the target may have no value, None for none."""
        source = [c for c in _calls([old for old, _ in pairs]) if _is_partial(c)]
        known = {id(call) for call in source}
        signs = Signs(self.facts, frozenset(_natural_inputs(source)))
        for call in _calls([new for _, new in pairs]):
            if id(call) in known or not _is_partial(call):
                continue
            for operand in _restricted(call):
                if not self._is_safe(call, operand, source, signs):
                    name = call.operator.operands[operand].name
                    return Open(f"`{name}` of {call.operator} in the target may have no value")
        return None

    def _is_safe(self, call: Call, operand: int, source: Sequence[Call], signs: Signs) -> bool:
        if call.operator.name == "Cast" and self._is_total_cast(call):
            return True
        alike = [other for other in source if other.operator is call.operator]
        if call.operator.undefined is not None and not self._floats(call):
            return any(self._meets_all(call, other) for other in alike)
        return self._meets(call, alike, operand) or self._has_sign(call, operand, signs)

    def _is_total_cast(self, call: Call) -> bool:
        given = call.operands[0].tensor_type.dtype
        risky = conjunction(contains(given, FLOATING), contains(call.attributes["dtype"], INTEGER))
        return self.facts.entails(negation(risky))

    def _floats(self, call: Call) -> bool:
        return self.facts.is_one_of(call.operands[0].tensor_type.dtype, FLOATING)

    def _meets_all(self, call: Call, other: Call) -> bool:
        pairs = zip(call.operands, other.operands, strict=True)
        return all(one is two for one, two in pairs)

    def _meets(self, call: Call, alike: Sequence[Call], operand: int) -> bool:
        """Tell whether calls of the source meet all elements that one of the target meets."""
        fitting = [other.operands[operand] for other in alike if self._fits(call, other)]
        own = call.operands[operand]
        return any(own is other for other in fitting) or self._covers(fitting, own)

    def _fits(self, call: Call, other: Call) -> bool:
        if call.operator.name == "Cast":
            return _same_dtype(call, other)
        return self.facts.same(list(zip(_limits(call), _limits(other), strict=True)))

    def _covers(self, wholes: Sequence[Expr], part: Expr) -> bool:
        """Tell whether every element of `part` is one of the others."""
        here = self._element(part)
        there = [found for whole in wholes if (found := self._element(whole)) is not None]
        if here is None or len(there) != len(wholes) or not there:
            return False
        same = self.equality
        for guards, value in here[1]:
            facts = self.facts.assuming(*here[0].bounds, *guards)
            reached = [
                condition
                for region, cases in there
                for more, other in cases
                for condition in same.reached((region, other), more, (here[0], value), facts)
            ]
            if not facts.entails(disjunction(*reached)):
                return False
        return True

    def _element(self, expr: Expr) -> Any:
        if not isinstance(expr.type, TensorType):
            return None
        index = tuple(Symbol(f"e{axis}", low=0) for axis in range(expr.type.ndim))
        for symbol, size in zip(index, expr.type.shape, strict=True):
            self.equality.forms.bound(symbol, size)
        cases = self.equality.normaliser.cases(self.inliner.element(expr, index))
        return Region(tuple(zip(index, expr.type.shape, strict=True))), cases

    def _has_sign(self, call: Call, operand: int, signs: Signs) -> bool:
        if call.operator.name not in _SIGNS:
            return False
        expr = call.operands[operand]
        index = tuple(Symbol(f"e{axis}", low=0) for axis in range(expr.tensor_type.ndim))
        value = self.inliner.element(expr, index)
        wanted = _SIGNS[call.operator.name]
        return signs.is_positive(value) if wanted == "positive" else signs.is_natural(value)


_SIGNS = {
    "Divide": "positive",
    "Log": "positive",
    "Rsqrt": "positive",
    "Sqrt": "natural",
    "BatchNorm": "natural",
}


def _same_dtype(call: Call, other: Call) -> bool:
    return call.attributes["dtype"] is other.attributes["dtype"]


def _limits(call: Call) -> tuple[Any, ...]:
    """Return the limits of operands that depend on sizes, dtypes or attributes of the call."""
    types = tuple(operand.type for operand in call.operands)
    rules = [rule for rule in call.operator.values.values() if not isinstance(rule, Values)]
    found = [rule(types, call.attributes) for rule in rules]
    return tuple(limit for one in found for limit in (one.low, one.high))


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


def _natural_inputs(source: Sequence[Call]) -> Iterator[str]:
    for call in source:
        if call.operator.name == "Power":
            continue  # its range is a sane one, but negative bases have powers, too
        for number, declared in enumerate(call.operator.operands):
            rule = call.operator.values.get(declared.name)
            operand = call.operands[number]
            is_natural = isinstance(rule, Values) and rule.low is not None and rule.low >= 0
            if is_natural and isinstance(operand, Var):
                yield operand.name
