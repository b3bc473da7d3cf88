"""Reverse mode for one expression: the adjoint of a tensor that it reads.

The adjoint of the result goes down to every read of the tensor; there the index map is inverted,
so that the sum over all index values that read an element becomes the value at that element.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from gsl.attr.evaluate import conjunction
from gsl.attr.term import Symbol
from gsl.kernel.derivative import ZERO, is_zero, rule_for
from gsl.kernel.domain import Shapes
from gsl.kernel.expression import (
    AnyExpression,
    Apply,
    Expression,
    Number,
    Read,
    Reduction,
    Select,
    reads_of,
    walk,
)
from gsl.kernel.inverse import Inverse, in_range, invert
from gsl.kernel.replace import renewed, replace
from gsl.kernel.terms import alike
from gsl.types import Int

Extents = Sequence[tuple[Symbol, Int]]

ALWAYS_FINITE = frozenset(
    ("+", "-", "*", "neg", "max", "min", "abs", "sign", "floor", "ceil", "round", "trunc")
) | frozenset(
    ("sin", "cos", "atan", "tanh", "asinh", "sigmoid", "erf", "select", "and", "or", "not")
)
"""Functions that are finite for all finite arguments; a product with 0 then is 0."""


@dataclass(frozen=True, slots=True)
class _Contribution:
    """A read of the tensor, the adjoint there, and the variables of the reductions around it."""

    read: Read
    adjoint: Expression
    bound: tuple[tuple[Symbol, Int], ...]


def adjoint_of(
    value: Expression,
    extents: Extents,
    adjoint: Expression,
    tensor: str,
    place: Extents,
    shapes: Shapes,
) -> Expression:
    """Return the adjoint of a tensor at `place`; ZERO where the value does not depend on it.

    Args:
        value: an element of the result.
        extents: its indices with their extents.
        adjoint: the adjoint of the result at these indices.
        tensor: the tensor that is read.
        place: new symbols for its indices, with its dimensions.
        shapes: the dimensions of all tensors that are read.

    At a joint, such as two equal arguments of `max`, the first argument is preferred, and elements
    that are all the maximum of a reduction share. Raises KernelError for an index that divides by
    zero.
    """
    terms = [_inverted(one, extents, place, shapes) for one in _reach(value, adjoint, tensor, ())]
    return sum_of([term for term in terms if not is_zero(term)])


def sum_of(terms: Sequence[Expression]) -> Expression:
    """Return the sum of terms, 0 if there are none; a negative one is subtracted."""
    total = terms[0] if terms else ZERO
    for term in terms[1:]:
        match term:
            case Apply(function="neg", arguments=(operand,)):
                total = total - operand
            case _:
                total = total + term
    return total


def _reach(
    expression: Expression, adjoint: Expression, tensor: str, bound: tuple[tuple[Symbol, Int], ...]
) -> Iterator[_Contribution]:
    if all(read.tensor != tensor for read in reads_of(expression)):
        return
    whole: AnyExpression = expression  # type: ignore[assignment]
    match whole:
        case Number():
            return
        case Read():
            yield _Contribution(whole, adjoint, bound)
        case Apply(function=function, arguments=arguments):
            for number, argument in enumerate(arguments):
                rule = rule_for(function, number)
                if rule is not None:
                    yield from _reach(argument, rule(adjoint, *arguments), tensor, bound)
        case Select(condition=condition, then=then, otherwise=otherwise):
            yield from _reach(then, Select(condition, adjoint, ZERO), tensor, bound)
            yield from _reach(otherwise, Select(condition, ZERO, adjoint), tensor, bound)
        case Reduction():
            yield from _reach_reduction(whole, adjoint, tensor, bound)
        case _:
            assert_never(whole)


def _reach_reduction(
    whole: Reduction, adjoint: Expression, tensor: str, bound: tuple[tuple[Symbol, Int], ...]
) -> Iterator[_Contribution]:
    new = renewed(whole)
    variables = tuple(new.values())
    body = replace(whole.body, {old: symbol for old, (symbol, _) in new.items()}, {})
    if whole.function == "product":
        adjoint = adjoint * _others(whole, variables)
    elif whole.function != "sum":
        share = adjoint / _count(whole)
        adjoint = Apply("select", (Apply("==", (body, whole)), share, ZERO))
    yield from _reach(body, adjoint, tensor, (*bound, *variables))


def _count(whole: Reduction) -> Expression:
    """Return how often the body is what the reduction is; reads may be of one element."""
    new = renewed(whole)
    body = replace(whole.body, {old: symbol for old, (symbol, _) in new.items()}, {})
    is_extreme = Apply("==", (body, whole))
    return Reduction("sum", tuple(new.values()), Apply("select", (is_extreme, Number(1.0), ZERO)))


def _others(whole: Reduction, variables: tuple[tuple[Symbol, Int], ...]) -> Expression:
    """Return the product without the factor at `variables`."""
    new = renewed(whole)
    body = replace(whole.body, {old: symbol for old, (symbol, _) in new.items()}, {})
    pairs = zip(new.values(), variables, strict=True)
    is_same = conjunction(*(other == this for (other, _), (this, _) in pairs))
    return Reduction("product", tuple(new.values()), Select(is_same, Number(1.0), body))


def _inverted(one: _Contribution, extents: Extents, place: Extents, shapes: Shapes) -> Expression:
    unknowns = (*extents, *one.bound)
    found = invert(one.read.indices, place, unknowns, {})
    known = {**dict(place), **dict(found.free)}
    value = replace(one.adjoint, found.values, known, guard=True)
    condition = conjunction(found.condition, *_needed(one, found, dict(unknowns), shapes))
    if condition is False or is_zero(value):
        return ZERO
    if condition is not True:
        value = Select(condition, value, ZERO)
    return Reduction("sum", found.free, value) if found.free else value


def _needed(
    one: _Contribution, found: Inverse, extents: dict[Symbol, Int], shapes: Shapes
) -> Iterator[Int]:
    """Yield the ranges that do not follow from a factor that reads 0 outside of them."""
    factors = list(_factors(one.adjoint)) if _is_finite(one.adjoint) else []
    for symbol in found.ranges:
        limits = (
            dim
            for factor in factors
            for index, dim in zip(factor.indices, shapes[factor.tensor], strict=True)
            if index is symbol
        )
        if not any(alike(dim, extents[symbol]) for dim in limits):
            yield in_range(found.values[symbol], extents[symbol])


def _factors(expression: Expression) -> Iterator[Read]:
    """Yield reads that make an expression 0 where they are."""
    match expression:
        case Read():
            yield expression
        case Apply(function="*", arguments=arguments):
            for argument in arguments:
                yield from _factors(argument)
        case Apply(function="/" | "neg", arguments=(first, *_)):
            yield from _factors(first)
        case Apply(function="select", arguments=(_, then, otherwise)) if is_zero(otherwise):
            yield from _factors(then)
        case Select(then=then, otherwise=otherwise) if is_zero(otherwise):
            yield from _factors(then)


def _is_finite(expression: Expression) -> bool:
    """Tell whether an expression is finite whatever its reads are."""
    return all(
        part.function in ALWAYS_FINITE or _divides_by_a_number(part)
        for part in walk(expression)
        if isinstance(part, Apply)
    )


def _divides_by_a_number(call: Apply) -> bool:
    if call.function != "/":
        return False
    divisor = call.arguments[1]
    return (
        isinstance(divisor, Number)
        and isinstance(divisor.value, int | float)
        and divisor.value != 0
    )
