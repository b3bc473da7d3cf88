"""Bounded choices, of which everything that is generated is made."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class NothingDrawnError(Exception):
    """Choices led to nothing that can be used; the message says why."""


class UnmetError(NothingDrawnError):
    """No sizes and attributes were found that meet a `condition`."""

    def __init__(self, condition: str) -> None:
        super().__init__(f"no sizes and attributes were found that meet: {condition}")
        self.condition = condition


class Choices(Protocol):
    """Where choices come from."""

    def number(self, most: int) -> int:
        """Return a number from 0 to `most`; small ones stand for what is simple."""


class Drawn:
    """Choices of hypothesis, inside of a composite strategy."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def number(self, most: int) -> int:
        """Return a number from 0 to `most`."""
        return self._draw(_up_to(most)) if most else 0


@lru_cache(maxsize=256)
def _up_to(most: int) -> st.SearchStrategy[int]:
    """A strategy that is made anew is examined anew, which takes longer than to draw from it."""
    return st.integers(0, most)


class Tape:
    """Choices that are remembered: those `given`, else random ones, or the simplest ones.

    A given None is a choice that is made anew.
    """

    def __init__(self, given: Sequence[int | None] = (), random: Random | None = None) -> None:
        self.taken: list[int] = []
        self._given = given
        self._random = random

    def number(self, most: int) -> int:
        """Return a number from 0 to `most`."""
        place = len(self.taken)
        given = self._given[place] if place < len(self._given) else None
        if given is not None:
            chosen = min(given, most)
        else:
            chosen = 0 if self._random is None else self._random.randrange(most + 1)
        self.taken.append(chosen)
        return chosen


def one_of(choices: Choices, options: Sequence[T]) -> T:
    """Choose one of the options, the simplest of which comes first."""
    return options[choices.number(len(options) - 1)]
