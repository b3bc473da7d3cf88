"""Structures drawn at random, for tests."""

from __future__ import annotations

import random

from gslverify.structures.choices import Replay


class Sample(Replay):
    """Chooses at random, and notes what it chose."""

    def __init__(self, generator: random.Random) -> None:
        super().__init__(())
        self.generator = generator
        self._drawn: list[int] = []

    def chosen(self, position: int, count: int) -> int:
        """Return any option."""
        if position == len(self._drawn):
            self._drawn.append(self.generator.randrange(count))
        return self._drawn[position]
