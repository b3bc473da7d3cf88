"""Elements at places that are elements themselves: sums of [e == r] b(r), of which one term counts.

Where the source has a value its indices exist, so exactly one r is e.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, parts, with_parts
from gsl.types import TensorType
from gslverify.certificates.subjects import symbols_in
from gslverify.prove.gathering import limits_of

ZERO = Number(0)
HOLE = Read("hole", ())
"""Stands for the sum in what is around it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """An input that holds indices: its shape, and the least and the greatest index."""

    shape: tuple[Any, ...]
    low: Any
    high: Any


def limits_in(sources: list[Expr]) -> dict[str, Limits]:
    """Return the inputs that calls of a source take indices from, by their names."""
    found = {}
    for call in reverse_post_order(sources):
        if not isinstance(call, Call):
            continue
        for declared, operand in zip(call.operator.operands, call.operands, strict=False):
            limits = limits_of(call, declared.name)
            if limits and not operand.operands and isinstance(operand.type, TensorType):
                found[getattr(operand, "name", "")] = Limits(operand.type.shape, *limits)
    return found


def sum_of(symbol: Any, extent: Any, place: Expression, body: Expression) -> Reduction:
    """Return the sum of what is at an index, where this is a place."""
    chosen = Apply("==", (place, Number(symbol)))
    return Reduction("sum", ((symbol, extent),), Apply("select", (chosen, body, ZERO)))


def around(whole: Expression, inner: Expression) -> Expression:
    """Return an expression with another one in its hole."""
    if isinstance(whole, Read):
        return inner if whole.tensor == HOLE.tensor else whole
    return with_parts(whole, tuple(around(one, inner) for one in parts(whole)))


def binders_in(whole: Expression) -> set[Any]:
    """Return the indices that an expression binds."""
    own = {s for s, _ in whole.variables} if isinstance(whole, Reduction) else set()
    return own.union(*(binders_in(part) for part in parts(whole)))


def is_free(symbol: Any, place: tuple[Any, Any], outside: Expression) -> bool:
    """Tell whether a place with its limit and what is around it share no index."""
    used = set(symbols_in(*place))
    return symbol not in used | set(symbols_in(outside)) and not used & binders_in(outside)
