"""Operators that both sides have are functions of which nothing needs to be known.

What is proved for any function of one element holds for each operator that computes one, and no
law about it is asked for: moving data commutes with all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gsl.attr.term import Term
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gslverify.prove.indices.forms import Forms


def functions_of(sources: Sequence[Expr], targets: Sequence[Expr], forms: Forms) -> dict[int, str]:
    """Return names of functions by the ids of the calls that compute them.

    One name is given to calls of one operator with equal attributes and dtypes, and only where
    source and target both have such calls.
    """
    groups: list[list[tuple[bool, Call]]] = []
    for is_target, outputs in enumerate((sources, targets)):
        for call in _elementwise(outputs):
            group = next((g for g in groups if _are_alike(call, g[0][1], forms)), None)
            if group is None:
                groups.append([(bool(is_target), call)])
            else:
                group.append((bool(is_target), call))
    shared = [group for group in groups if len({side for side, _ in group}) == 2]
    return {
        id(call): f"{call.operator} {number}"
        for number, group in enumerate(shared)
        for _, call in group
    }


def _elementwise(outputs: Sequence[Expr]) -> Iterator[Call]:
    for expr in reverse_post_order(outputs):
        if isinstance(expr, Call) and "unary" in expr.operator.traits:
            yield expr


def _are_alike(one: Call, other: Call, forms: Forms) -> bool:
    if one.operator is not other.operator:
        return False
    pairs = [(one.attributes[name], other.attributes[name]) for name in one.attributes]
    dtypes = [(one, other), (one.operands[0], other.operands[0])]
    pairs += [(a.tensor_type.dtype, b.tensor_type.dtype) for a, b in dtypes]
    return all(_is_same(a, b, forms) for a, b in pairs)


def _is_same(one: Any, other: Any, forms: Forms) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(
            _is_same(a, b, forms) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, Term) or isinstance(other, Term):
        return forms.same(one, other)
    return type(one) is type(other) and bool(one == other)
