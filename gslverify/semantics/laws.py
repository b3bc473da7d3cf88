"""What the solver knows about functions that are left open: laws, and values at some points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import z3

from gsl.dtypes import DTYPES


class Law:
    """What is known about an open function: of each application, and how two of them compare."""

    def __init__(self, each: Callable[..., list[Any]], monotone: bool = False, strict: bool = True):
        self.each = each
        self.monotone = monotone
        self.strict = strict

    def compare(self, low: Any, high: Any) -> Any:
        """Return how results compare where one operand is less than the other."""
        return low < high if self.strict else low <= high


def law_of_rounding(name: str) -> Law:
    """Return the law of `rounded to DTYPE`: it keeps small whole numbers, signs and the order."""
    exact = 2 ** DTYPES[name.removeprefix("rounded to ")].digits

    def each(a: Any, y: Any) -> list[Any]:
        is_small = z3.And(z3.IsInt(a), a <= exact, a >= -exact)
        signs = z3.Implies(a >= 0, y >= 0), z3.Implies(a <= 0, y <= 0)
        return [z3.Implies(is_small, y == a), *signs]

    return Law(each, monotone=True, strict=False)


def _signs(a: Any, y: Any) -> list[Any]:
    return [(a > 0) == (y > 0), (a < 0) == (y < 0)]


LAWS: Mapping[str, Law] = {
    "sqrt": Law(lambda a, y: [z3.Implies(a >= 0, z3.And(y >= 0, y * y == a))]),
    "exp": Law(lambda a, y: [y > 0, (a > 0) == (y > 1), (a == 0) == (y == 1)], monotone=True),
    "log": Law(lambda a, y: [(a > 1) == (y > 0), (a == 1) == (y == 0)], monotone=True),
    "sigmoid": Law(
        lambda a, y: [y > 0, y < 1, (a > 0) == (2 * y > 1), (a == 0) == (2 * y == 1)],
        monotone=True,
    ),
    "tanh": Law(lambda a, y: [y > -1, y < 1, *_signs(a, y)], monotone=True),
    "erf": Law(lambda a, y: [y > -1, y < 1, *_signs(a, y)], monotone=True),
    **dict.fromkeys(("sinh", "asinh", "atan", "asin", "atanh"), Law(_signs, monotone=True)),
    "acos": Law(lambda a, y: [y >= 0]),
    "cosh": Law(lambda a, y: [y >= 1, (a == 0) == (y == 1)]),
    "acosh": Law(lambda a, y: [y >= 0], monotone=True),
    "tan": Law(lambda a, y: [z3.Implies(a == 0, y == 0)]),
    "sin": Law(lambda a, y: [y >= -1, y <= 1, z3.Implies(a == 0, y == 0)]),
    "cos": Law(lambda a, y: [y >= -1, y <= 1, z3.Implies(a == 0, y == 1)]),
    "pow": Law(lambda a, b, y: [z3.Implies(b == 0, y == 1), z3.Implies(a > 0, y > 0)]),
}
OPEN = frozenset(LAWS)


def _at(place: int, value: Any) -> Callable[[Any, Any], list[Any]]:
    return lambda a, y: [z3.And(a == place, y == value)]


def _powers(a: Any, b: Any, y: Any) -> list[Any]:
    root = z3.And(2 * b == 1, y >= 0, y * y == a)
    known = [(-1, a * y == 1), (0, y == 1), (1, y == a), (2, y == a * a)]
    return [root, *(z3.And(b == exponent, value) for exponent, value in known)]


POINTS: Mapping[str, Callable[..., list[Any]]] = {
    "pow": _powers,
    **dict.fromkeys(("exp", "cos", "cosh"), _at(0, 1)),
    **dict.fromkeys(("log", "acos", "acosh"), _at(1, 0)),
    **dict.fromkeys(("tanh", "erf", "sinh", "asinh", "atan", "asin", "atanh"), _at(0, 0)),
    **dict.fromkeys(("sin", "tan"), _at(0, 0)),
    "sigmoid": lambda a, y: [z3.And(a == 0, 2 * y == 1)],
}
"""Where open functions have a known value, and which."""
