"""Expressions with other terms for their symbols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from gsl.attr.term import Symbol, Term
from gsl.kernel.affine import settle, simplify
from gsl.kernel.expression import (
    AnyExpression,
    Apply,
    Expression,
    Number,
    Read,
    Reduction,
    Select,
)
from gsl.kernel.terms import Extents, substitute
from gsl.types import Int


def replace(
    expression: Expression, values: Mapping[Symbol, Int], extents: Extents, *, guard: bool = False
) -> Expression:
    """Return an expression with `values` for symbols; indices come out in their simplest form.

    `extents` are those of the symbols afterwards. With `guard` all reads are guarded. Variables of
    reductions become new symbols, so that none is bound twice.
    """
    whole: AnyExpression = expression  # type: ignore[assignment]
    match whole:
        case Number(value=value):
            return Number(value if isinstance(value, float) else substitute(value, values))
        case Read(tensor=tensor, indices=indices, guarded=guarded):
            moved = (simplify(substitute(index, values), extents) for index in indices)
            return Read(tensor, tuple(moved), guarded or guard)
        case Apply(function=function, arguments=arguments):
            inner = (replace(one, values, extents, guard=guard) for one in arguments)
            return Apply(function, tuple(inner))
        case Select(condition=condition, then=then, otherwise=otherwise):
            settled = settle(substitute(condition, values), extents)
            if not isinstance(settled, Term):
                return replace(then if settled else otherwise, values, extents, guard=guard)
            sides = (replace(one, values, extents, guard=guard) for one in (then, otherwise))
            return Select(settled, *sides)
        case Reduction():
            return _reduction(whole, values, extents, guard)
        case _:
            assert_never(whole)


def _reduction(
    whole: Reduction, values: Mapping[Symbol, Int], extents: Extents, guard: bool
) -> Reduction:
    bound = renewed(whole, values)
    inner = {**values, **{old: new for old, (new, _) in bound.items()}}
    body = replace(whole.body, inner, {**extents, **dict(bound.values())}, guard=guard)
    return Reduction(whole.function, tuple(bound.values()), body)


def renewed(
    whole: Reduction, values: Mapping[Symbol, Int] = {}
) -> dict[Symbol, tuple[Symbol, Int]]:
    """Return a new symbol of the same name, and the extent, for each variable of a reduction."""
    return {
        symbol: (Symbol(symbol.name), substitute(extent, values))
        for symbol, extent in whole.variables
    }
