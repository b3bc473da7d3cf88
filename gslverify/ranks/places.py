"""Axes that stay for several reasons and are the same ones for certain, so that they count once.

That two axes have belonged together in every structure so far may be an accident, such as a
permutation that leaves an axis where it is. It is none where only calls are between them that name
no axes but by written numbers, and that leave axes at their places: in each structure, all axes
that two tensors share are the same ones counted from the front, or all are counted from the end.
Where they never share more than one, it may have a place of its own in either, as the columns of
one matrix and the rows of another have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations

from gsl.attr.term import ANYTHING, Constant, Term, TupleOf
from gsl.pat import Call
from gslverify.ranks.alignment import Label
from gslverify.ranks.groups import Groups
from gslverify.ranks.terms import operators_of

Axis = tuple[Label, int]
"""An axis of a tensor, from the front."""

Place = tuple[int, int]
"""An axis counted from the front, and from the end."""

Pair = tuple[Place, Place]


@dataclass(frozen=True, slots=True)
class Sketch:
    """The axes of one structure.

    Attributes:
        ranks: how many axes tensors have.
        links: sets of axes that belong together by a call, of calls that name none.
        alike: tensors that have the same axes because the rule says so.
        outputs: outputs of source and target.
        staying: axes that stay because the rule speaks of them.
        special: axes that calls treat in a way of their own.
    """

    ranks: Mapping[Label, int]
    links: Mapping[Call, Sequence[Sequence[Axis]]]
    alike: Set[tuple[Label, Label]]
    outputs: Set[tuple[Label, Label]]
    staying: Set[Axis]
    special: Mapping[Call, Set[Axis]]

    def groups(self, certain: Set[Call]) -> Groups:
        """Return the sets of axes that are the same ones for certain, of each side for itself."""
        groups = Groups()
        for link in (link for call in certain for link in self.links.get(call, ())):
            for axis in link[1:]:
                groups.join(link[0], axis)
        self.join(groups, self.alike)
        return groups

    def join(self, groups: Groups, pairs: Iterable[tuple[Label, Label]]) -> None:
        """Join all axes of tensors that have the same."""
        for one, other in pairs:
            for axis in range(self.ranks[one]):
                groups.join((one, axis), (other, axis))

    def are_in_order(self, groups: Groups) -> bool:
        """Tell whether the outputs of both sides have the same axes."""
        return all(
            groups.root((one, axis)) == groups.root((other, axis))
            for one, other in self.outputs
            for axis in range(self.ranks[one])
        )

    def pairs(
        self, links: Iterable[Sequence[Axis]], numbers: Mapping[Label, int]
    ) -> dict[tuple[Label, Label], list[Pair]]:
        """Return the axes of each two tensors that belong together, from the front and the end.

        Of a pair the tensor with the lower of the `numbers` comes first, in all structures.
        """
        found: dict[tuple[Label, Label], list[Pair]] = defaultdict(list)
        ordered = (sorted(link, key=lambda axis: (numbers[axis[0]], axis[1])) for link in links)
        for one, other in (pair for link in ordered for pair in combinations(link, 2)):
            places = self._place(one), self._place(other)
            found[one[0], other[0]].append(places)
        return found

    def _place(self, axis: Axis) -> Place:
        return axis[1], axis[1] - self.ranks[axis[0]]


@dataclass(slots=True)
class Sketches:
    """The axes of all structures so far."""

    every: list[Sketch] = field(default_factory=list)

    def certain(self) -> frozenset[Call]:
        """Return the calls that leave axes at their places, as they do in all structures."""
        fixed = self._fixed()
        known: set[Call] = set()
        names = dict.fromkeys(name for sketch in self.every for name in sketch.ranks)
        numbers = {name: number for number, name in enumerate(names)}
        found: dict[tuple[Call, Label, Label], list[list[Pair]]] = defaultdict(list)
        for sketch in self.every:
            for call, links in sketch.links.items():
                known.add(call)
                for (one, other), pairs in sketch.pairs(links, numbers).items():
                    if one not in fixed or other not in fixed:
                        found[call, one, other].append(pairs)
        return frozenset(known - {call for (call, _, _), seen in found.items() if _differ(seen)})

    def _fixed(self) -> set[Label]:
        """Return the tensors of one rank."""
        ranks: dict[Label, set[int]] = defaultdict(set)
        for sketch in self.every:
            for name, rank in sketch.ranks.items():
                ranks[name].add(rank)
        return {name for name, seen in ranks.items() if len(seen) == 1}

    def are_in_order(self, certain: Set[Call]) -> bool:
        """Tell whether outputs of both sides have the same axes for certain."""
        return all(sketch.are_in_order(sketch.groups(certain)) for sketch in self.every)

    def staying(self, certain: Set[Call], others: Iterable[Label], in_order: bool) -> int:
        """Return how many axes stay, the most of any structure; all of some `others` do as well."""
        others = list(others)
        return max((self._staying(one, certain, others, in_order) for one in self.every), default=0)

    def _staying(
        self, sketch: Sketch, certain: Set[Call], others: Iterable[Label], in_order: bool
    ) -> int:
        groups = sketch.groups(certain)
        if in_order:
            sketch.join(groups, sketch.outputs)
        axes: list[Hashable] = [*sketch.staying]
        axes += [(name, axis) for name in others for axis in range(sketch.ranks.get(name, 0))]
        axes += [axis for call in certain for axis in sketch.special.get(call, ())]
        return len(set(map(groups.root, axes)))


def _differ(structures: Sequence[Sequence[Pair]]) -> bool:
    """Tell whether axes of two tensors have other places, seen from either end.

    If it is never more than one axis, it may have its own place in each tensor.
    """
    if all(len(pairs) <= 1 for pairs in structures):
        places = zip(*(pair for pairs in structures for pair in pairs), strict=True)
        return not all(map(_is_one, places))
    ends = ([[a[end] == b[end] for a, b in pairs] for pairs in structures] for end in (0, 1))
    return not all(all(front) or all(back) for front, back in zip(*ends, strict=True))


def _is_one(places: Sequence[Place]) -> bool:
    """Tell whether places are one, from the front or from the end, where there are several."""
    several = [(front, end) for front, end in places if (front, end) != (0, -1)]
    return any(len(set(ends)) <= 1 for ends in zip(*several, strict=True)) or not several


def names_no_axes(call: Call) -> bool:
    """Tell whether a call names no axes, or by numbers that are written down."""
    return all(
        _is_number(call.constraints.get(name, ANYTHING))
        for operator in operators_of(call)
        for name, attribute in operator.attributes.items()
        if attribute.domain.names_axes
    )


def _is_number(term: Term) -> bool:
    if isinstance(term, TupleOf):
        return all(map(_is_number, term.fields))
    if not isinstance(term, Constant):
        return False
    numbers = term.value if isinstance(term.value, tuple) else (term.value,)
    return all(type(number) is int for number in numbers)
