"""On which values operators are defined, here and in other systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gsl.types import Type


@dataclass(frozen=True, slots=True)
class Values:
    """Values on which an operand keeps an operator defined; bounds are inclusive.

    Where places along the last axis of the operand have bounds of their own these are `lows` and
    `highs`, and all of them contain what lies between `low` and `high`.
    """

    low: Any = None
    high: Any = None
    nonzero: bool = False
    lows: tuple[Any, ...] = ()
    highs: tuple[Any, ...] = ()

    def everywhere(self) -> Values:
        """Return what keeps the operator defined at every place."""
        return Values(self.low, self.high, self.nonzero)

    def at(self, place: int) -> tuple[Any, Any]:
        """Return the bounds of an element, counted in row-major order."""
        if not self.highs:
            return self.low, self.high
        return self.lows[place % len(self.lows)], self.highs[place % len(self.highs)]


Attributes = Mapping[str, Any]
ValueRule = Values | Callable[[tuple[Type, ...], Attributes], Values]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What a system makes of values on which an operator is not defined here.

    `text` says it. `values` are, by operand, those on which the system defines the operator and the
    NumPy reference computes what it does; None where there are none, and operands left out may have
    any values. Rules select a system by `@rule(semantics=...)`.
    """

    text: str
    values: Mapping[str, ValueRule] | None = None
