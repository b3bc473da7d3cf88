"""Bounded choices, of which everything that is generated is made.

Hypothesis can make them one at a time, each for about as long as a network takes to run. So the
stages read them from tapes: random numbers that are remembered and can be replayed, changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Protocol, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st

T = TypeVar("T")

ENTROPY = 32
"""Bytes that hypothesis draws for all tapes of one rule."""


class NothingDrawnError(Exception):
    """Choices led to nothing that can be used; the message says why."""


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
    """Choices that are remembered: those `given`, then random ones, or the simplest ones."""

    def __init__(self, given: Sequence[int] = (), random: Random | None = None) -> None:
        self.taken: list[int] = []
        self._given = given
        self._random = random

    def number(self, most: int) -> int:
        """Return a number from 0 to `most`."""
        place = len(self.taken)
        if place < len(self._given):
            chosen = min(self._given[place], most)
        else:
            chosen = 0 if self._random is None else self._random.randrange(most + 1)
        self.taken.append(chosen)
        return chosen


def one_of(choices: Choices, options: Sequence[T]) -> T:
    """Choose one of the options, the simplest of which comes first."""
    return options[choices.number(len(options) - 1)]


def entropy(start: int) -> bytes:
    """Let hypothesis draw the bytes that all choices for one rule follow from."""
    drawn: list[bytes] = []

    @seed(start)
    @settings(
        max_examples=2,  # the first is the simplest, which has no entropy
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(st.binary(min_size=ENTROPY, max_size=ENTROPY))
    def collect(data: bytes) -> None:
        drawn.append(data)

    collect()
    return drawn[-1]


Attempt = Callable[[Sequence[int]], tuple[Sequence[int], T] | None]
"""Replays choices; returns those that were taken and what came of them if that is what it was."""


def simplest(taken: Sequence[int], result: T, attempt: Attempt[T]) -> T:
    """Make choices shorter and smaller as long as attempts succeed; return the last result."""
    best = tuple(taken)
    progress = True
    while progress:
        progress = False
        place = -1
        while place < len(best):
            for simpler in _simpler(best, place):
                replayed = attempt(simpler)
                if replayed is not None and _size(replayed[0]) < _size(best):
                    best, result, progress = tuple(replayed[0]), replayed[1], True
                    break
            else:
                place += 1
    return result


def _size(taken: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    return len(taken), tuple(taken)


def _simpler(best: tuple[int, ...], place: int) -> Iterator[tuple[int, ...]]:
    """Yield choices with a smaller number at a place; before all places, with nothing but 0."""
    if place < 0:
        yield from (best[:end] for end in (0, len(best) // 2) if any(best[end:]))
        return
    now = best[place]
    for smaller in dict.fromkeys((0, now // 2, now - 1)):
        if 0 <= smaller < now:
            yield (*best[:place], smaller, *best[place + 1 :])
