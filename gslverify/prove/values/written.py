"""What is known about the signs of elements from how their computation is written.

Multiplied out, (x - m) (x - m) no longer looks like a square.
"""

from __future__ import annotations

from collections.abc import Callable

from gsl.kernel.expression import AnyExpression, Apply, Expression, Number, Reduction, Select
from gslverify.prove.indices.facts import Facts
from gslverify.prove.values.signs import Sign

Has = Callable[[Sign, Expression], bool]


class WrittenSigns:
    """Signs of expressions; `has` tells what is known about values that are not taken apart."""

    def __init__(self, facts: Facts, has: Has) -> None:
        self.facts = facts
        self.has = has
        self._known: dict[tuple[int, Sign], tuple[Expression, bool]] = {}

    def __call__(self, sign: Sign, expression: Expression) -> bool:
        """Tell whether an element is known to have a sign."""
        key = id(expression), sign
        if key not in self._known:
            ask = self._natural if sign is Sign.NATURAL else self._positive
            self._known[key] = expression, ask(expression)  # type: ignore[arg-type]
        return self._known[key][1]

    def _natural(self, expression: AnyExpression) -> bool:
        match expression:
            case Number(value=value):
                return self.facts.entails(value >= 0)
            case Select(then=then, otherwise=otherwise):
                return all(self(Sign.NATURAL, side) for side in (then, otherwise))
            case Reduction(function="sum" | "max" | "min" | "product", body=body):
                return self(Sign.NATURAL, body)
            case Apply(function="*", arguments=(left, right)) if left is right:
                return True
            case Apply(function="+" | "*" | "min", arguments=arguments):
                return all(self(Sign.NATURAL, one) for one in arguments)
            case Apply(function="max", arguments=arguments):
                return any(self(Sign.NATURAL, one) for one in arguments)
            case Apply(function="/", arguments=(left, right)):
                return self(Sign.NATURAL, left) and self(Sign.POSITIVE, right)
            case Apply(function="sqrt" | "abs"):
                return True
        return self._positive(expression) or self.has(Sign.NATURAL, expression)

    def _positive(self, expression: AnyExpression) -> bool:
        match expression:
            case Number(value=value):
                return self.facts.entails(value > 0)
            case Reduction(function="sum", variables=variables, body=body):
                filled = self.facts.entails(*(extent >= 1 for _, extent in variables))
                return filled and self(Sign.POSITIVE, body)
            case Select(then=then, otherwise=otherwise):
                return all(self(Sign.POSITIVE, side) for side in (then, otherwise))
            case Apply(function="+", arguments=(left, right)):
                natural = all(self(Sign.NATURAL, one) for one in (left, right))
                return natural and any(self(Sign.POSITIVE, one) for one in (left, right))
            case Apply(function="*" | "/", arguments=arguments):
                return all(self(Sign.POSITIVE, one) for one in arguments)
            case Apply(function="max", arguments=arguments):
                return any(self(Sign.POSITIVE, one) for one in arguments)
            case Apply(function="exp" | "sigmoid"):
                return True
            case Apply(function="sqrt", arguments=(inner,)):
                return self(Sign.POSITIVE, inner)
        return self.has(Sign.POSITIVE, expression)
