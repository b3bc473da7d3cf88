"""What attribute expressions become when an axis that they do not name is taken away.

Every term has a kind, which tells how its value changes when an axis of the tensors in question is
taken away. A term without a kind may change in any way, and nothing is said about its rule.
"""

from __future__ import annotations

from dataclasses import dataclass

from gsl.errors import GslError
from gsl.pat import Pattern


class UnlikeError(GslError):
    """A term may say something else of tensors with more axes."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The axes of a tensor: of what a pattern stands for, or of the first operand of a call."""

    pattern: Pattern
    of_operand: bool = False


@dataclass(frozen=True, slots=True)
class Same:
    """A value that stays as it is; `number` where it is a literal.

    Other values that are whole numbers from 0 may be known to be `below` one.
    """

    number: int | None = None
    below: int | None = None

    @property
    def limit(self) -> int | None:
        """A number that the value is below, which is not negative; None if none is known."""
        if self.number is None:
            return self.below
        return self.number + 1 if self.number >= 0 else None


@dataclass(frozen=True, slots=True)
class Rank:
    """The number of axes: one less."""

    frame: Frame


@dataclass(frozen=True, slots=True)
class Place:
    """An axis: renumbered. The axis that goes is another one."""

    frame: Frame


@dataclass(frozen=True, slots=True)
class Chosen:
    """A tuple of some axes: renumbered, without the one that goes if it is among them.

    A `fixed` one has a known number of fields, so that none of them may go.
    """

    frame: Frame
    fixed: bool


@dataclass(frozen=True, slots=True)
class PerAxis:
    """A tuple with `count` entries for each axis of `index`: without those of the one that goes.

    Entries are sizes and the like, or axes of a frame `of`.
    """

    index: Frame
    of: Frame | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Entries:
    """How many entries a tuple has that has `count` for each axis: as many less."""

    frame: Frame
    count: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A place in such a tuple: `count` times an axis, and a number below `sides` in addition."""

    frame: Frame
    count: int
    sides: int


Kind = Same | Rank | Place | Chosen | PerAxis | Entries | Entry
