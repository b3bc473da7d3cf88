"""The simplest choices that lead to what some others have led to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

Attempt = Callable[[Sequence[int]], tuple[Sequence[int], T] | None]
"""Follows choices; returns those that were made and what came of them if that is what it was."""


def simplest(taken: Sequence[int], result: T, attempt: Attempt[T]) -> T:
    """Make choices fewer and smaller as long as attempts succeed; return the last result."""
    best = tuple(taken)
    progress = True
    while progress:
        progress = False
        place = -1
        while place < len(best):
            for simpler in _simpler(best, place):
                made = attempt(simpler)
                if made is not None and _size(made[0]) < _size(best):
                    best, result, progress = tuple(made[0]), made[1], True
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
