"""On which values operators are defined, here and in other systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gsl.types import Type


@dataclass(frozen=True, slots=True)
class Values:
    """Values on which an operand keeps an operator defined; bounds are inclusive."""

    low: float | None = None
    high: float | None = None
    nonzero: bool = False


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
