"""Tuples in the place of inputs: which patterns demand them, which match what may be absent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from gsl.attr.term import Symbol
from gsl.expr import Tuple, Var
from gsl.operators import Operator
from gsl.pat import Call, GetItem, Pattern
from gsl.subst import Subst


@lru_cache(maxsize=16)
def optional_operands(subst: Subst) -> frozenset[Pattern]:
    """Return the source patterns in the place of an operand that may be absent."""
    calls = [p for p in subst.source_patterns if isinstance(p, Call)]
    return frozenset(
        operand
        for call in calls
        if isinstance(call.callee, Operator)
        for operand, its in zip(call.operands, call.callee.operands, strict=True)
        if its.is_optional
    )


@lru_cache(maxsize=16)
def tuple_valued(subst: Subst) -> frozenset[Pattern]:
    """Return the source patterns that only match tuples, as their users demand."""
    return frozenset(_demanded_tuples(subst))


def _demanded_tuples(subst: Subst) -> Iterator[Pattern]:
    for pattern in subst.source_patterns:
        if isinstance(pattern, GetItem):
            yield pattern.operands[0]
        elif isinstance(pattern, Call) and isinstance(pattern.callee, Operator):
            declared = pattern.callee.operands
            for operand, its in zip(pattern.operands, declared, strict=True):
                if its.is_tuple:
                    yield operand


def tuple_of_inputs(name: str, count: int, rank: int, dtype: Any, least: int = 1) -> Tuple:
    """Return a tuple of `count` inputs of one rank and dtype, all sizes symbols from `least` on."""
    shapes = [
        tuple(Symbol(f"{name}[{i}].shape[{axis}]", low=least) for axis in range(rank))
        for i in range(count)
    ]
    return Tuple([Var(f"{name}[{i}]", shape, dtype) for i, shape in enumerate(shapes)])
