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
    """A value that stays as it is; `number` where it is a literal."""

    number: int | None = None


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
    """A tuple with an entry for each axis of `index`: without that of the one that goes.

    Entries are sizes and the like, or axes of a frame `of`.
    """

    index: Frame
    of: Frame | None = None


Kind = Same | Rank | Place | Chosen | PerAxis
