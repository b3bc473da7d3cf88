"""What the proof of one structure may cost: counted in steps, never in seconds.

So the same proof ends in the same place on every machine. A step is a monomial or a product that is
made and kept, so steps bound the memory, too; what costs more counts as more of them.
"""

from __future__ import annotations

from collections.abc import Callable

from gslverify.prove.failure import UnprovableError
from gslverify.settings import Settings

USUAL_STEPS = Settings().proof_steps
"""Enough for nine tenths of the proofs that there are to find."""

QUESTION = 800
"""Steps that a question to the solver stands for."""

PAIRING = 160
"""Steps that a bijection between two regions stands for."""

COMPARISON = 40
"""Steps that a comparison of two products without indices stands for."""

PRODUCT = 500
"""Steps for each product that two sums, multiplied out, may have."""

CASE = 780
"""Steps for each case of an element."""


EASY = 10_000
"""Steps that take about as long as the few graphs on which a rule may be seen to be wrong."""

PATIENCE = 8
"""So many times the steps are taken until it is looked again."""


class LimitReachedError(UnprovableError):
    """A proof is given up because it would cost more than is allowed."""


class RefutedError(Exception):
    """A proof is given up because there is none."""


class Doubt:
    """Asks whether the rule `is_wrong` when the proofs of its structures have become long."""

    def __init__(self, is_wrong: Callable[[], bool]) -> None:
        self.is_wrong = is_wrong
        self._taken, self._next = 0, EASY

    def after(self, steps: int) -> None:
        """Note steps that were taken; raise RefutedError if they are known to be in vain."""
        self._taken += steps
        if self._taken > self._next:
            self._next *= PATIENCE
            if self.is_wrong():
                raise RefutedError("source and target differ on a graph that was drawn")


def no_doubt() -> bool:
    """Look at no graph."""
    return False


class Effort:
    """Counts what a proof costs; raises LimitReachedError where that is more than `most` steps.

    Each kind of work may take all steps, so that one knob raises all limits. What it costs is told
    to a `doubt`.
    """

    def __init__(self, most: int = USUAL_STEPS, doubt: Doubt | None = None) -> None:
        self.most = most
        self._doubt = doubt or Doubt(no_doubt)
        self._taken: dict[str, int] = {}

    def start_anew(self) -> None:
        """Allow as much as at the beginning."""
        self._taken.clear()

    def terms(self, count: int) -> None:
        """Count monomials or products that are made."""
        self._take("terms", count, 1)

    def questions(self, count: int) -> None:
        """Count questions to the solver."""
        self._take("questions to the solver", count, QUESTION)

    def pairing(self) -> None:
        """Count a bijection that is tried."""
        self._take("ways to pair off indices", 1, PAIRING)

    def comparison(self) -> None:
        """Count a comparison of two products without indices."""
        self._take("comparisons of products", 1, COMPARISON)

    def products(self, count: int) -> None:
        """Bound how many products a sum has when it is multiplied out."""
        self._bound("products in a sum", count, PRODUCT)
        self._take("products", count, 1)

    def cases(self, count: int) -> None:
        """Bound in how many cases an element falls."""
        self._bound("cases of an element", count, CASE)

    def _take(self, what: str, count: int, cost: int) -> None:
        taken = self._taken.get(what, 0) + count
        self._taken[what] = taken
        self._bound(what, taken, cost)
        self._doubt.after(count * cost)

    def _bound(self, what: str, count: int, cost: int) -> None:
        if count * cost > self.most:
            raise LimitReachedError(
                f"the proof needs more than {self.most // cost:,} {what}; "
                f"--proof-steps above {self.most} allows more"
            )
