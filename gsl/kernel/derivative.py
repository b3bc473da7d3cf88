"""Derivatives of the functions: what of an adjoint goes on to each argument."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from gsl.kernel.expression import Apply, Expression, Number
from gsl.types import ANY_FLOAT

Rule = Callable[..., Expression]
"""Takes the adjoint of the result and the arguments; returns the adjoint of one argument."""

ZERO = Number(0.0)


def is_zero(value: Expression) -> bool:
    """Tell whether an expression is the number 0."""
    return isinstance(value, Number) and isinstance(value.value, int | float) and value.value == 0


def _square(value: Expression) -> Expression:
    return value * value


def _root(value: Expression) -> Expression:
    return Apply("sqrt", (value,))


def _choice(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    return Apply("select", (condition, then, otherwise))


def _at_least(left: Expression, right: Expression) -> Expression:
    return Apply(">=", (left, right))


def _tanh(adjoint: Expression, x: Expression) -> Expression:
    return adjoint * (1.0 - _square(Apply("tanh", (x,))))


def _sigmoid(adjoint: Expression, x: Expression) -> Expression:
    return adjoint * (Apply("sigmoid", (x,)) * (1.0 - Apply("sigmoid", (x,))))


def _erf(adjoint: Expression, x: Expression) -> Expression:
    return adjoint * (2 / math.sqrt(math.pi) * Apply("exp", (-_square(x),)))


def _base(adjoint: Expression, x: Expression, exponent: Expression) -> Expression:
    return adjoint * (exponent * Apply("pow", (x, exponent - 1.0)))


def _exponent(adjoint: Expression, x: Expression, exponent: Expression) -> Expression:
    return adjoint * (Apply("pow", (x, exponent)) * Apply("log", (x,)))


DERIVATIVES: Mapping[str, tuple[Rule | None, ...]] = {
    "+": (lambda d, x, y: d, lambda d, x, y: d),
    "-": (lambda d, x, y: d, lambda d, x, y: -d),
    "*": (lambda d, x, y: d * y, lambda d, x, y: x * d),
    "/": (lambda d, x, y: d / y, lambda d, x, y: -(d * x / _square(y))),
    "%": (lambda d, x, y: d, lambda d, x, y: -(d * Apply("floor", (x / y,)))),
    "neg": (lambda d, x: -d,),
    "pow": (_base, _exponent),
    "max": (
        lambda d, x, y: _choice(_at_least(x, y), d, ZERO),
        lambda d, x, y: _choice(_at_least(x, y), ZERO, d),
    ),
    "min": (
        lambda d, x, y: _choice(_at_least(y, x), d, ZERO),
        lambda d, x, y: _choice(_at_least(y, x), ZERO, d),
    ),
    "abs": (lambda d, x: d * Apply("sign", (x,)),),
    "exp": (lambda d, x: d * Apply("exp", (x,)),),
    "log": (lambda d, x: d / x,),
    "sqrt": (lambda d, x: d / (2.0 * Apply("sqrt", (x,))),),
    "sin": (lambda d, x: d * Apply("cos", (x,)),),
    "cos": (lambda d, x: -(d * Apply("sin", (x,))),),
    "tan": (lambda d, x: d * (1.0 + _square(Apply("tan", (x,)))),),
    "asin": (lambda d, x: d / _root(1.0 - _square(x)),),
    "acos": (lambda d, x: -(d / _root(1.0 - _square(x))),),
    "atan": (lambda d, x: d / (1.0 + _square(x)),),
    "sinh": (lambda d, x: d * Apply("cosh", (x,)),),
    "cosh": (lambda d, x: d * Apply("sinh", (x,)),),
    "tanh": (_tanh,),
    "asinh": (lambda d, x: d / _root(_square(x) + 1.0),),
    "acosh": (lambda d, x: d / _root(_square(x) - 1.0),),
    "atanh": (lambda d, x: d / (1.0 - _square(x)),),
    "sigmoid": (_sigmoid,),
    "erf": (_erf,),
    "cast": (lambda d, x, source, target: d if target.value in ANY_FLOAT else ZERO, None, None),
    "select": (
        None,
        lambda d, condition, x, y: _choice(condition, d, ZERO),
        lambda d, condition, x, y: _choice(condition, ZERO, d),
    ),
}
"""Rules by function and argument. All other functions are constant wherever they are smooth."""


def rule_for(function: str, argument: int) -> Rule | None:
    """Return how an adjoint goes on to an argument; None if the derivative is 0."""
    rules = DERIVATIVES.get(function)
    return None if rules is None else rules[argument]
