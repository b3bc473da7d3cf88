"""Two computations of the same unknowns, of which somebody asks whether they differ."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from gslverify.semantics.scalars import UNKNOWN, Kind, Scalar, operands_first

Pair = tuple[Scalar, Scalar]


@dataclass(slots=True)
class Sides:
    """Two computations of the same unknowns.

    Attributes:
        pairs: the elements of the outputs, those of source and target together.
        assumed: what holds whenever the source matches.
        of_source: what must hold for the source to be defined, beside its outputs.
        of_target: the same of the target.
        made: elements that must have a value whether outputs depend on them or not, of both sides.
        limits: the largest numbers that float unknowns may be.
        nowrap: whether differences are wanted that show without integers of the source wrapping.
    """

    pairs: list[Pair] = field(default_factory=list)
    assumed: list[Scalar] = field(default_factory=list)
    of_source: list[Scalar] = field(default_factory=list)
    of_target: list[Scalar] = field(default_factory=list)
    made: tuple[list[Scalar], list[Scalar]] = field(default_factory=lambda: ([], []))
    limits: Mapping[Scalar, int] = field(default_factory=dict)
    nowrap: bool = False

    @property
    def are_one(self) -> bool:
        """Whether nobody need be asked, because both sides compute the same scalars."""
        same = all(left is right for left, right in self.pairs)
        return same and not self.of_target and not self.made[1]

    @property
    def kinds(self) -> set[Kind]:
        """The kinds of the unknowns."""
        parts = operands_first(one for pair in self.pairs for one in pair)
        return {one.kind for one in parts if one.head == UNKNOWN}

    @property
    def are_about_integers(self) -> bool:
        """Whether some unknowns are integers: of these formulas have many bits."""
        return any(kind.wraps for kind in self.kinds)

    @property
    def length(self) -> int:
        """How many values are computed."""
        return len(operands_first(one for pair in self.pairs for one in pair))

    def of(self, pair: Pair) -> Sides:
        """Return the question about a single element."""
        return Sides([pair], self.assumed, limits=self.limits, nowrap=self.nowrap)

    @property
    def source(self) -> list[Scalar]:
        """What the source computes."""
        return [*(left for left, _ in self.pairs), *self.made[0]]

    def beyond(self) -> Sides | None:
        """Return the question what the target demands beside the source; None if nothing."""
        demanded = {one.serial for one in self.of_source}
        of_target = [one for one in self.of_target if one.serial not in demanded]
        of_target = [one for one in of_target if one.number is not True]
        known = {one.serial for one in (*self.made[0], *(right for _, right in self.pairs))}
        made = [one for one in self.made[1] if one.serial not in known]
        if not of_target and not made:
            return None
        sources = [(left, left) for left, _ in self.pairs]
        return replace(self, pairs=sources, of_target=of_target, made=(self.made[0], made))


def likeness(sides: Sides) -> Hashable:
    """Return a key that questions share which differ in the names of elements only."""
    names: dict[Scalar, int] = {}
    places: dict[int, int] = {}
    parts: list[Hashable] = []
    groups = (*sides.pairs, sides.assumed, sides.of_source, sides.of_target, *sides.made)
    for part in operands_first(one for group in groups for one in group):
        places[part.serial] = len(places)
        value = part.value
        if part.head == UNKNOWN and isinstance(value, tuple):
            value = "element", names.setdefault(part, len(names))
        operands = tuple([places[one.serial] for one in part.operands])
        parts.append((part.kind, part.head, operands, type(value), value))
    return tuple(parts), tuple([tuple([places[one.serial] for one in g]) for g in groups])
