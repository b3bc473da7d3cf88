"""Arithmetic of float64 as an open function of the exact result, with what always holds of it.

So nothing follows that rounding makes wrong, such as ``a == 0`` from ``a + b == b``; what the
solver cannot tell about a rounded number stays open. An overflow is some number beyond all others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import z3

UNIT = Fraction(1, 2**53)
"""Half the distance of 1 and the next float64: so much a rounded number is off, relative to it."""

LEAST = Fraction(1, 2**1075)
"""Half the least subnormal: so much a number is off that rounds to one of those."""

LARGEST = Fraction(sys.float_info.max)

STEPS, EXACT = 2**20, 2**32
"""Multiples of 1 / STEPS up to EXACT are numbers of float64."""

Learn = Callable[..., None]


def moved(formula: Any, context: Any) -> Any:
    """Return a formula as it is in a context of z3, in which it may be already."""
    return formula if formula.ctx is context else formula.translate(context)


class Rounding:
    """The function that rounds to float64, in one context of z3; `learn` is told what holds."""

    def __init__(self, context: Any, learn: Learn) -> None:
        self._context = context
        self._learn = learn
        self._held: list[Any] = []
        self._function: Any = None
        self._known: set[int] = set()

    def copy(self, context: Any, learn: Learn) -> Rounding:
        """Return the same in another context, where all that was learnt so far is known."""
        made = Rounding(context, learn)
        made._held = [moved(number, context) for number in self._held]
        if self._function is not None:
            made._function = moved(self._function, context)
        return made

    def hold(self, number: Any) -> None:
        """Note that an unknown is a number of float64."""
        if self._function is None:
            self._held.append(number)
        else:
            self._learn(self._function(number) == number)

    def rounded(self, exact: Any) -> Any:
        """Return a real number as float64 has it."""
        if self._function is None:
            sort = z3.RealSort(self._context)
            self._function = z3.Function("float64", sort, sort)
            self._learn(*(self._function(number) == number for number in self._held))
        result = self._function(exact)
        if result.get_id() not in self._known:
            self._known.add(result.get_id())
            self._learn(*self._laws(exact, result))
        return result

    def _laws(self, exact: Any, result: Any) -> list[Any]:
        least, largest = self._number(LEAST), self._number(LARGEST)
        nearer, farther = exact * self._number(1 - UNIT), exact * self._number(1 + UNIT)
        positive = z3.And(result >= 0, nearer - least <= result, result <= farther + least)
        negative = z3.And(result <= 0, farther - least <= result, result <= nearer + least)
        steps = exact * self._number(Fraction(STEPS))
        fits = z3.And(exact >= -EXACT, exact <= EXACT, z3.ToReal(z3.ToInt(steps)) == steps)
        return [
            z3.Implies(z3.And(exact >= 0, exact <= largest), positive),
            z3.Implies(z3.And(exact <= 0, exact >= -largest), negative),
            z3.Implies(exact > largest, result >= largest),
            z3.Implies(exact < -largest, result <= -largest),
            z3.Implies(fits, result == exact),
        ]

    def _number(self, value: Fraction) -> Any:
        return z3.RealVal(str(value), self._context)
