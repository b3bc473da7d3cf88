"""Elements as terms for z3: arithmetic and choices as they are, anything else as unknowns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gsl.attr.evaluate import choose, conjunction, disjunction, negation
from gsl.attr.term import Symbol, operation
from gsl.attr.values import BOOL, sort_of
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select, parts
from gsl.operators.ranges import in_range
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.field import key_of
from gslverify.certificates.gathered import Limits
from gslverify.certificates.model import COMPARED, RING, Model

JOINED = {"and": conjunction, "or": disjunction}

SIGNS = {"exp": ">", "sqrt": ">=", "abs": ">=", "cosh": ">"}
"""What is known of the values of functions of real numbers."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The dtypes of inputs, and the limits of those that are indices."""

    dtypes: Mapping[str, Any]
    limits: Mapping[str, Limits] = field(default_factory=dict)


@dataclass(slots=True)
class Elements:
    """Writes elements as terms; `dtypes` are those of inputs, `limits` those of indices in them."""

    model: Model
    dtypes: Mapping[str, Any]
    limits: Mapping[str, Limits] = field(default_factory=dict)
    unknowns: dict[Any, Symbol] = field(default_factory=dict)

    def number(self, expression: Expression, facts: list[Any]) -> Any:
        """Return an element as a term; add what is known of the unknowns in it to facts."""
        match expression:
            case Number(value=value):
                return choose(value, 1, 0) if sort_of(value) == BOOL else value
            case Apply(function=head) if head in COMPARED or head in (*JOINED, "not"):
                return choose(self.truth(expression, facts), 1, 0)
            case Apply(function="max" | "min" as head, arguments=arguments):
                return operation(head, *(self.number(one, facts) for one in arguments))
            case Apply(function="select", arguments=(condition, *sides)):
                return choose(
                    self.truth(condition, facts), *(self.number(one, facts) for one in sides)
                )
            case Select(condition=condition, then=then, otherwise=otherwise):
                return choose(condition, self.number(then, facts), self.number(otherwise, facts))
            case Apply(function=head, arguments=arguments) if self.model.is_field:
                if head in RING:
                    return operation(head, *(self.number(one, facts) for one in arguments))
                if head in ("abs", "sign"):
                    return _size(head, self.number(arguments[0], facts))
        return self._unknown(expression, facts)

    def whole(self, pattern: Expression, bound: Mapping[str, Any]) -> Any:
        """Return what a pattern of integers is as they are, not as they wrap, as a term."""
        match pattern:
            case Read(tensor=name):
                return bound[name]
            case Apply(function=head, arguments=arguments) if head in RING:
                return operation(head, *(self.whole(one, bound) for one in arguments))
            case Number(value=value):
                return value
        raise RefusedError(f"no whole number: {pattern!r}")

    def dtypes_of(self, expression: Expression) -> Iterator[Any]:
        """Yield the dtypes that an element may have, those of what it is computed from."""
        match expression:
            case Read(tensor=name):
                yield self.dtypes[name]
            case Apply(function="cast", arguments=(_, _, Number(value=new))):
                yield new
            case Apply(function=head) if head in COMPARED or head in (*JOINED, "not"):
                yield "bool"
            case Apply(function="select", arguments=(_, *sides)):
                yield from (dtype for side in sides for dtype in self.dtypes_of(side))
            case _:
                yield from (dtype for one in parts(expression) for dtype in self.dtypes_of(one))

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
        key = key_of(self.model.value(expression))
        if key not in self.unknowns:
            self.unknowns[key] = Symbol("v", "real" if self.model.is_field else "int")
        value = self.unknowns[key]
        if isinstance(expression, Read) and expression.tensor in self.limits:
            facts.append(_within(value, expression.indices, self.limits[expression.tensor]))
        match expression:
            case Read(tensor=name) if name in self.model.bits:
                facts.append(disjunction(operation("==", value, 0), operation("==", value, 1)))
            case Read(tensor=name) if name in self.dtypes:
                facts.append(in_range(value, self.dtypes[name]))
            case _ if self.model.is_field:
                facts += _signs(expression, value)
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
