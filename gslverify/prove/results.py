"""What comes of a proof: it is complete, or something is left open."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Proved:
    """Nothing is left to show."""


@dataclass(frozen=True, slots=True)
class Open:
    """What could not be shown, which says nothing about whether it is true.

    Attributes:
        reason: what is not known, or which limit was reached.
        place: where in the rule, such as "output 0, field 2"; empty for nowhere in particular.
        is_limit: whether more steps may close it.
    """

    reason: str
    place: str = ""
    is_limit: bool = False

    def at(self, place: str) -> Open:
        """Return the same at a place."""
        return replace(self, place=place)

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" if self.place else self.reason


Result = Proved | Open

PROVED = Proved()
