"""Elements as terms for z3: arithmetic and choices as they are, anything else as unknowns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gsl.attr.evaluate import choose, conjunction, disjunction, negation
from gsl.attr.term import Symbol, operation
from gsl.attr.values import BOOL, sort_of
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select
from gsl.operators.ranges import in_range
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.field import key_of
from gslverify.certificates.gathered import Limits
from gslverify.certificates.inputs import COMPARED, EXTREMA, WHOLE
from gslverify.certificates.model import RING, Model

JOINED = {"and": conjunction, "or": disjunction}

SIGNS = {"exp": ">", "sqrt": ">=", "abs": ">=", "cosh": ">"}
"""What is known of the values of functions of real numbers."""


class Elements:
    """Writes elements as terms: integers as what their dtype holds of them."""

    def __init__(self, model: Model, always: Sequence[Any]) -> None:
        self.model = model
        self.always = always
        self.inputs = model.inputs
        self.unknowns: dict[Any, Symbol] = {}

    def number(self, expression: Expression, facts: list[Any]) -> Any:
        """Return an element as a term; add what is known of the unknowns in it to facts."""
        match expression:
            case Apply(function="held", arguments=(inner,)):
                return self.number(inner, facts)
            case Number(value=value):
                return choose(value, 1, 0) if sort_of(value) == BOOL else value
            case Apply(function=head) if head in COMPARED or head in (*JOINED, "not"):
                return choose(self.truth(expression, facts), 1, 0)
            case Apply(function="select", arguments=(condition, *sides)):
                return choose(
                    self.truth(condition, facts), *(self.number(one, facts) for one in sides)
                )
            case Select(condition=condition, then=then, otherwise=otherwise):
                return choose(condition, self.number(then, facts), self.number(otherwise, facts))
            case Apply(function="abs" | "sign" as head, arguments=(inner,)) if self.model.is_field:
                return _size(head, self.number(inner, facts))
            case Apply(function=head, arguments=arguments) if head in EXTREMA or (
                head in RING if self.model.is_field else self._is_quotient(expression)
            ):
                return operation(head, *(self.number(one, facts) for one in arguments))
        return self._unknown(expression, facts)

    def whole(self, expression: Expression, facts: list[Any]) -> Any:
        """Return an integer as it is computed, not as it wraps, as a term."""
        match expression:
            case Apply(function=head, arguments=arguments) if head in WHOLE:
                return operation(head, *(self.whole(one, facts) for one in arguments))
        if not self.model.fits(expression):
            raise RefusedError("an integer is made of what may have wrapped")
        return self.number(expression, facts)

    def _is_quotient(self, expression: Apply) -> bool:
        return expression.function in ("//", "%") and self.are_integers(expression)

    def are_integers(self, *expressions: Expression) -> bool:
        """Tell whether elements are integers of a dtype, where not all is real."""
        are = self.inputs.are_integers
        return not self.model.is_field and all(are(one, self.always) for one in expressions)

    def truth(self, expression: Expression, facts: list[Any]) -> Any:
        """Return the condition that an element is true."""
        match expression:
            case Apply(function=head, arguments=arguments) if head in COMPARED:
                return operation(head, *(self.number(one, facts) for one in arguments))
            case Apply(function="not", arguments=(inner,)):
                return negation(self.truth(inner, facts))
            case Apply(function=head, arguments=arguments) if head in JOINED:
                return JOINED[head](*(self.truth(one, facts) for one in arguments))
        return operation("!=", self.number(expression, facts), 0)

    def _unknown(self, expression: Expression, facts: list[Any]) -> Symbol:
        key = key_of(self.model.stored(expression))
        if key not in self.unknowns:
            self.unknowns[key] = Symbol("v", "int" if self.are_integers(expression) else "real")
        value = self.unknowns[key]
        match expression:
            case Read(tensor=name) if name in self.model.bits:
                facts.append(disjunction(operation("==", value, 0), operation("==", value, 1)))
            case Read(tensor=name, indices=indices):
                facts.append(in_range(value, self.inputs.dtype_of(expression)))
                if name in self.inputs.limits:
                    facts.append(_within(value, indices, self.inputs.limits[name]))
            case _ if self.model.is_field:
                facts += _signs(expression, value)
            case _:
                dtype = self.model.elements.get(key)
                facts.append(True if dtype is None else in_range(value, dtype))
        return value


def _within(value: Any, indices: Sequence[Any], limits: Limits) -> Any:
    """Return that an index that exists lies within its limits."""
    sides = ((i >= 0, i < size) for i, size in zip(indices, limits.shape, strict=True))
    exists = conjunction(*(side for pair in sides for side in pair))
    between = conjunction(operation(">=", value, limits.low), operation("<=", value, limits.high))
    return disjunction(negation(exists), between)


def _signs(expression: Expression, value: Any) -> Iterator[Any]:
    """Yield how a value compares with 0; sums of what is positive are 0 where they are empty."""
    match expression:
        case Apply(function=head) if head in SIGNS:
            yield operation(SIGNS[head], value, 0)
        case Reduction(function="sum", variables=variables, body=Apply(function=head)) if (
            head in SIGNS
        ):
            yield operation(">=", value, 0)
            if SIGNS[head] == ">":
                empty = (operation("<", extent, 1) for _, extent in variables)
                yield disjunction(operation(">", value, 0), *empty)


def _size(head: str, value: Any) -> Any:
    """Return the absolute value or the sign of a number."""
    is_less = operation("<", value, 0)
    if head == "abs":
        return choose(is_less, operation("neg", value), value)
    return choose(is_less, -1, choose(operation("==", value, 0), 0, 1))
