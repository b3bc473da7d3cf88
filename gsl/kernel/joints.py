"""Joints: where functions have no derivative, and how far values are from them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import assert_never

from gsl.kernel.expression import (
    AnyExpression,
    Apply,
    Expression,
    Number,
    Read,
    Reduction,
    Select,
)
from gsl.kernel.functions import COMPARISONS
from gsl.types import ANY_FLOAT

FAR = Number(math.inf)


def clearances(expression: Expression) -> Iterator[Expression]:
    """Yield the distance to the next joint for every function in an expression that has one.

    A distance of 0 counts as none: it is that of an argument which does not vary there, or of two
    which vary alike, as long as inputs have values that nothing else has.
    """
    whole: AnyExpression = expression  # type: ignore[assignment]
    match whole:
        case Number() | Read():
            return
        case Apply(arguments=arguments):
            yield from map(_unless_zero, _distances(whole))
            for argument in arguments:
                yield from clearances(argument)
        case Select(condition=condition, then=then, otherwise=otherwise):
            for found in clearances(then):
                yield Select(condition, found, FAR)
            for found in clearances(otherwise):
                yield Select(condition, FAR, found)
        case Reduction(function=function, variables=variables, body=body):
            for found in clearances(body):
                yield Reduction("min", variables, found)
            if function in ("max", "min"):
                yield Reduction("min", variables, _unless_zero(Apply("abs", (body - whole,))))
        case _:
            assert_never(whole)


def _unless_zero(distance: Expression) -> Expression:
    return Apply("select", (Apply("==", (distance, Number(0))), FAR, distance))


def _distances(call: Apply) -> Iterator[Expression]:
    match call.function, call.arguments:
        case (("max" | "min"), (left, right)):
            yield Apply("abs", (left - right,))
        case (("abs" | "sign"), (value,)):
            yield Apply("abs", (value,))
        case (("floor" | "ceil" | "trunc"), (value,)):
            yield _to_integer(value)
        case "round", (value,):
            yield _to_integer(value - 0.5)
        case (("//" | "%"), (left, right)):
            yield _to_integer(left / right)
        case "cast", (value, _, Number(value=target)) if target not in ANY_FLOAT:
            yield Apply("abs", (value,)) if target == "bool" else _to_integer(value)
        case function, (left, right) if function in COMPARISONS:
            yield Apply("abs", (left - right,))


def _to_integer(value: Expression) -> Expression:
    return Apply("abs", (value - Apply("round", (value,)),))
