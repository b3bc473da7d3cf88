"""Make what led to a failure simpler: first the choices, then sizes and attributes one by one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gsl.attr.term import Symbol
from gslverify.networks.choices import Tape, simplest
from gslverify.structures.symbols import is_constant
from gslverify.trials.trial import Outcome

MOST_STEPS_OF_CHOICES = 300
MOST_STEPS_OF_NUMBERS = 200

Found = tuple[Sequence[int], Outcome]
"""Choices, and the failure that they lead to."""
Retry = Callable[[Tape, Mapping[str, int]], Outcome | None]
"""Tries an example of choices with some numbers fixed; returns its last trial, if it has one."""


@dataclass(slots=True)
class _Replays:
    """Tries examples again, until there were enough or it took too long."""

    retry: Retry
    code: Any
    until: float
    steps: int = 0

    def __call__(self, choices: Sequence[int], fixed: Mapping[str, int]) -> Found | None:
        if self.steps <= 0 or time.monotonic() > self.until:
            return None
        self.steps -= 1
        tape = Tape(choices)
        trial = self.retry(tape, fixed)
        return (tuple(tape.taken), trial) if trial and trial.code is self.code else None


def simplified(found: Found, retry: Retry, seconds: float) -> Outcome:
    """Return a simpler failure with the same code, as simple as was found in some seconds."""
    taken, failed = found
    replays = _Replays(retry, failed.code, time.monotonic() + seconds, MOST_STEPS_OF_CHOICES)

    def attempt(choices: Sequence[int]) -> tuple[Sequence[int], Found] | None:
        replayed = replays(choices, {})
        return None if replayed is None else (replayed[0], replayed)

    taken, failed = simplest(taken, (taken, failed), attempt)
    replays.steps = MOST_STEPS_OF_NUMBERS
    return _with_smaller_numbers(taken, failed, replays)


def _with_smaller_numbers(taken: Sequence[int], failed: Outcome, replays: _Replays) -> Outcome:
    """Make one size or attribute smaller after the other.

    Choices cannot do that where one of them is the size of all axes.
    """
    best, progress = failed, True
    while progress:
        progress = False
        for fixed in _smaller(best):
            replayed = replays(taken, fixed)
            if replayed is not None and _weight(replayed[1]) < _weight(best):
                best, progress = replayed[1], True
                break
    return best


def _smaller(failed: Outcome) -> Iterator[dict[str, int]]:
    """Yield the free numbers of a network with one of them smaller, large ones first."""
    numbers = _free_numbers(failed)
    fixed = {symbol.name: value for symbol, value in numbers.items()}
    for symbol, value in sorted(numbers.items(), key=lambda item: -item[1]):
        for smaller in dict.fromkeys((0, 1, 2, value // 2, value - 1)):
            if (symbol.low or 0) <= smaller < value:
                yield {**fixed, symbol.name: smaller}


def _free_numbers(failed: Outcome) -> dict[Symbol, int]:
    sampler, model = failed.network.sampler, failed.network.model
    free = [] if sampler is None else [one for one in sampler.free if not is_constant(one)]
    values = {symbol: model.get(symbol.name) for symbol in free}
    return {symbol: value for symbol, value in values.items() if type(value) is int and value > 0}


def _weight(failed: Outcome) -> tuple[int, int]:
    """Return how large the inputs are, and the attributes."""
    numbers = (abs(value) for value in failed.network.model.values() if type(value) is int)
    return sum(int(array.size) for array in failed.inputs.values()), sum(numbers)
