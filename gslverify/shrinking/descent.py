"""From one failure to the simplest one that a budget allows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Generic, TypeVar

from gslverify.networks.network import Network
from gslverify.shrinking.order import Failing, order_of
from gslverify.shrinking.passes import PASSES, Attempted
from gslverify.structures.models.sampling import Sampler

MOST_ATTEMPTS = 400

F = TypeVar("F", bound=Failing)
Attempt = Callable[[Network, Mapping[str, Any]], F | None]
"""Tries a network on inputs; returns what failed there if it is what failed before."""


@dataclass(slots=True)
class Budget:
    """How often something is tried, for making one failure simpler, and until when at most."""

    attempts: int = MOST_ATTEMPTS
    until: float = inf

    @classmethod
    def lasting(cls, seconds: float, attempts: int = MOST_ATTEMPTS) -> Budget:
        """Return a budget that ends after so many seconds, too."""
        return cls(attempts, time.monotonic() + seconds)

    def spend(self) -> bool:
        """Take one attempt; False if there is none left."""
        self.attempts -= 1
        return self.attempts >= 0 and time.monotonic() <= self.until


def unheard(failure: Failing) -> None:
    """Tell nobody of a failure."""


def simplest(
    failing: F,
    attempt: Attempt[F],
    budget: Budget,
    samplers: Sequence[Sampler] = (),
    found: Callable[[F], None] = unheard,
) -> F:
    """Return the simplest failure that the passes of the table lead to.

    They are gone through again and again until none makes progress. Of what a pass proposes only
    what is simpler is tried; `samplers` are those of the structures that may be proposed. Every
    simpler failure is told to `found` at once: who waits for the simplest may not live to see it.
    """
    descent, progress = _Descent(attempt, budget), True
    best = failing
    while progress:
        progress = False
        for propose in PASSES.values():
            better = descent.better(best, propose(best, samplers))
            while better is not None:
                best, progress = better, True
                found(best)
                better = descent.better(best, propose(best, samplers))
    return best


@dataclass(slots=True)
class _Descent(Generic[F]):
    """Tries what is proposed, the same inputs of a network only once."""

    attempt: Attempt[F]
    budget: Budget
    tried: set[tuple[int, bytes]] = field(default_factory=set)

    def better(self, best: F, proposed: Attempted) -> F | None:
        """Return the first failure among what is proposed that is simpler than the best so far."""
        limit = order_of(best.network, best.inputs)
        for network, inputs in proposed:
            if order_of(network, inputs) >= limit or self._is_known(best, network, inputs):
                continue
            if not self.budget.spend():
                return None
            found = self.attempt(network, inputs)
            if found is not None and order_of(found.network, found.inputs) < limit:
                return found
        return None

    def _is_known(self, best: F, network: Network, inputs: Mapping[str, Any]) -> bool:
        if network is not best.network:
            return False
        key = (id(network), b"".join(array.tobytes() for array in inputs.values()))
        is_known = key in self.tried
        self.tried.add(key)
        return is_known
