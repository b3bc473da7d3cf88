"""Ways through conditional targets: every combination of the conditions that stay open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsl.attr.term import Term, operation
from gsl.rewrite.builder import known

MOST_PATHS = 64


class Decisions:
    """Takes one path through the conditional targets and remembers what it assumes."""

    def __init__(self, prefix: Sequence[bool]) -> None:
        self.prefix = prefix
        self.taken: list[bool] = []
        self.path: list[Term] = []

    def __call__(self, condition: Any) -> bool:
        """Decide a condition: as it is known, or as the path says."""
        if not isinstance(condition, Term):
            return known(condition)
        position = len(self.taken)
        chosen = self.prefix[position] if position < len(self.prefix) else True
        self.taken.append(chosen)
        self.path.append(condition if chosen else operation("not", condition))
        return chosen

    def following(self) -> list[bool] | None:
        """Return the beginning of the next path, or None after the last."""
        taken = list(self.taken)
        while taken and not taken[-1]:
            taken.pop()
        return [*taken[:-1], False] if taken else None
