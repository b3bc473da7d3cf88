"""How large the numbers of models are: no larger than what is demanded makes them."""

from __future__ import annotations

from dataclasses import dataclass

from gsl.attr.term import Constant, Term, subterms

LARGEST_SAMPLES = (24, 320, 4096)
"""Bounds of the integers in a model; a larger one is tried when no model keeps the one before."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How large numbers have to be for demands to be met: up to `bound`, if the solver can tell.

    None otherwise; then they are `impossible` where it is certain that no numbers meet them.
    """

    bound: int | None
    impossible: bool = False


def is_far(demand: Term) -> bool:
    """Tell whether a demand mentions a number that no size is as large as."""
    numbers = (part.value for part in subterms(demand) if isinstance(part, Constant))
    return any(type(n) is int and abs(n) > LARGEST_SAMPLES[-1] for n in numbers)
