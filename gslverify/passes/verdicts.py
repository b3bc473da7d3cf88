"""What a pass did to one graph, and what that says about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gslverify.passes.isolation import Answer, Died, Hung, Raised, failure_of


class Ending(Enum):
    """How a graph fared; the value is what reports call it."""

    UNCHANGED = "left as it was"
    AGREES = "computes the same"
    UNDECIDED = "says nothing"
    DIFFERS = "other values"
    OTHER_TYPES = "other types"
    ILL_FORMED = "no graph any more"
    MUTATES = "changes its argument"
    RANDOM = "another result each time"
    RAISES = "an exception"
    ENDS_PROCESS = "ends the process"
    HANGS = "does not end"


SOUND = frozenset({Ending.UNCHANGED, Ending.AGREES, Ending.UNDECIDED})
"""Endings that are no findings."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one graph fared: `message` says what was found, `script` shows it without gsl.

    Findings of one `kind` are taken for the same; where it is empty the message decides.
    """

    ending: Ending
    message: str = ""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    script: str = ""
    kind: str = ""

    @property
    def is_finding(self) -> bool:
        """Whether something is wrong with the pass."""
        return self.ending not in SOUND


def not_of_the_pass(verdict: Verdict) -> Verdict:
    """Return the verdict about a process that ended, where the pass alone came to its end."""
    return Verdict(Ending.UNDECIDED, f"running the graphs: {verdict.message}", verdict.before)


def verdict_of(answer: Answer) -> Verdict:
    """Return the verdict that a child came to, or what its end says."""
    match answer:
        case Verdict():
            return answer
        case Raised():
            place = f" ({answer.where})" if answer.where else ""
            return Verdict(Ending.UNDECIDED, f"the comparison failed: {answer}{place}")
        case Died():
            return Verdict(Ending.ENDS_PROCESS, failure_of(answer))
        case Hung():
            return Verdict(Ending.HANGS, failure_of(answer))
    raise TypeError(f"{type(answer).__name__} is no verdict")
