"""Which tensors have the same axes in every structure, also in those of more axes than were tried.

That two tensors have had the same axes so far may be an accident: a permutation of which the 11th
power does nothing is the identity, up to rank 10. So it has to follow from the operators between
them and from what the rule states outright. Operators *align* an operand and their result where an
element is read at its own place; all others *rearrange*. No two ways of rearranging may lead from
one tensor to another, or their difference could be any permutation.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from dataclasses import dataclass, field

from gsl.attr.term import ANYTHING, Access, Constant, Term, TupleOf
from gsl.operators.domain_axes import Axis
from gsl.pat import Call, Pattern
from gslverify.ranks.groups import Groups
from gslverify.ranks.joined import Computation, Site
from gslverify.ranks.kinds import UnlikeError
from gslverify.ranks.tensors import Tensor
from gslverify.ranks.terms import operators_of

Label = tuple[Pattern, int]
"""The pattern of what makes a tensor, and which field of it."""

MOST_FIXED_AXES = 2


@dataclass(slots=True)
class Way:
    """An operand and a result of a call, and whether it has aligned them in every structure.

    The operand has a number. The rank is kept if the result has had as many axes as the operand.
    """

    operand: Label
    result: Label
    place: int
    aligns: bool = True
    keeps_rank: bool = True


@dataclass(slots=True)
class Alignment:
    """What is known of the axes of tensors from the structures looked at so far."""

    ways: dict[tuple[Call, Label, Label], Way] = field(default_factory=dict)
    ranks: dict[Label, set[int]] = field(default_factory=dict)
    calls: dict[Call, list[Label]] = field(default_factory=dict)
    stated: set[tuple[Label, Label]] = field(default_factory=set)
    wanted: set[tuple[Label, Label]] = field(default_factory=set)
    outputs: set[tuple[Label, Label]] = field(default_factory=set)
    inputs: set[Label] = field(default_factory=set)

    def note(self, computation: Computation, patterns: Mapping[int, Pattern]) -> None:
        """Note what the calls of a structure do; raise UnlikeError for what no pattern has made."""
        for tensor, rank in computation.ranks.items():
            self.ranks.setdefault(label(tensor, patterns), set()).add(rank)
        self.inputs |= {label(tensor, patterns) for tensor in computation.leaves}
        for number, site in computation.sites.items():
            call = patterns[number]
            assert isinstance(call, Call)
            operands = [label(tensor, patterns) for tensor in site.operands]
            self.calls[call] = [*dict.fromkeys((*self.calls.get(call, ()), *operands))]
            for place, operand in enumerate(operands):
                for result, tensor in enumerate(site.results):
                    self._note(
                        computation, site, call, (place, operand), (result, tensor), patterns
                    )

    def _note(
        self,
        computation: Computation,
        site: Site,
        call: Call,
        operand: tuple[int, Label],
        result: tuple[int, Tensor],
        patterns: Mapping[int, Pattern],
    ) -> None:
        place, name = operand
        number, tensor = result
        made = label(tensor, patterns)
        rank, result_rank = computation.ranks[site.operands[place]], computation.ranks[tensor]
        if not rank:
            return
        way = self.ways.setdefault((call, name, made), Way(name, made, place))
        way.aligns &= rank <= result_rank and all(
            site.reads((place, rank - end), (site.count + number, result_rank - end))
            for end in range(1, rank + 1)
        )
        way.keeps_rank &= rank == result_rank

    def verify(self, equal: Groups, staying: Set[Hashable], certain: Set[Call]) -> list[Label]:
        """Return the inputs of a fixed rank that stay because they are rearranged in several ways.

        Those with the axes of some that are `staying` stay anyway. What `certain` calls do to axes
        is no question. Raises UnlikeError where tensors that terms compare do not have the same
        axes for certain.
        """
        together = Groups()
        for name in self.ranks:
            together.join(name, equal.root(name))
        for (call, _, _), way in self.ways.items():
            if (way.aligns and keeps_axes(call)) or call in certain:
                together.join(way.operand, way.result)
        kept = self._rearranged(together, equal, staying, certain)
        for one, other in self.wanted:
            if one != other and equal.root(one) != equal.root(other):
                raise UnlikeError("terms compare axes of tensors that may not be the same ones")
        return kept

    def axes_out_of_order(self, equal: Groups) -> int:
        """Return how many axes show that outputs of source and target have other ones.

        It takes two, unless both sides have the same axes for certain.
        """
        same = all(equal.root(one) == equal.root(other) for one, other in self.outputs)
        return 0 if same else 2

    def _rearranged(
        self, together: Groups, equal: Groups, staying: Set[Hashable], certain: Set[Call]
    ) -> list[Label]:
        kept, seen, reached = list[Label](), set[Hashable](), Groups()
        for (call, operand, result), way in self.ways.items():
            if (way.aligns and keeps_axes(call)) or call in certain:
                continue
            ends = together.root(operand), together.root(result)
            kind = (*ends, way.place, rearranging(call))
            if kind in seen:
                continue
            seen.add(kind)
            one, other = reached.root(ends[0]), reached.root(ends[1])
            if one != other:
                reached.join(one, other)
                continue
            if equal.root(operand) in staying:
                continue
            ranks = self.ranks[operand]
            if operand not in self.inputs or len(ranks) > 1 or max(ranks) > MOST_FIXED_AXES:
                raise UnlikeError("axes are rearranged in several ways")
            kept.append(operand)
        return kept

    def equal(self) -> Groups:
        """Return the sets of tensors that have one rank in every structure, and the same axes."""
        equal = Groups()
        for one, other in self.stated:
            equal.join(one, other)
        for _ in range(len(self.calls) + 1):
            alike: dict[Hashable, Label] = {}
            for call, operands in self.calls.items():
                ways = [way for (of, _, _), way in self.ways.items() if of is call]
                counted = [one for one in operands if max(self.ranks[one]) > 0]
                self._join_equal(call, ways, counted, equal)
                # The same operator does the same to operands with the same axes.
                kind = self.kind(call, equal)
                for result in dict.fromkeys(way.result for way in ways):
                    equal.join(alike.setdefault((*kind, result[1]), result), result)
        return equal

    def kind(self, call: Call, equal: Groups) -> tuple[Hashable, ...]:
        """Return what calls have in common that do the same to the same axes."""
        return rearranging(call), *map(equal.root, self.calls[call])

    def _join_equal(
        self, call: Call, ways: list[Way], operands: list[Label], equal: Groups
    ) -> None:
        """Join the operands of a call with its results where that keeps their rank for certain."""
        varying = [one for one in operands if len(self.ranks[one]) > 1]
        one_rank = len({equal.root(one) for one in varying}) <= 1 or _demands_one_rank(call)
        for way in ways:
            if way.aligns and way.keeps_rank and one_rank and keeps_axes(call):
                equal.join(way.operand, way.result)


def label(tensor: Tensor, patterns: Mapping[int, Pattern]) -> Label:
    """Return what a tensor is called in all structures; raise UnlikeError if no pattern made it."""
    pattern = patterns.get(tensor[0])
    if pattern is None:
        raise UnlikeError("a part of the computation that no pattern has made")
    return pattern, tensor[1]


def _demands_one_rank(call: Call) -> bool:
    """Tell whether the operands of a call are a tuple of tensors of one rank."""
    return all(len(one.operands) == 1 and one.operands[0].is_tuple for one in operators_of(call))


def keeps_axes(call: Call) -> bool:
    """Tell whether an operator that has kept axes in place does so whatever its attributes are."""
    keeps = call.constraints.get("keepdims")
    if isinstance(keeps, Constant) and keeps.value is True:
        return True
    return all(
        (isinstance(attribute.domain, Axis) and not attribute.domain.extra)
        or is_written(call.constraints.get(name, ANYTHING))
        for operator in operators_of(call)
        for name, attribute in operator.attributes.items()
        if attribute.domain.names_axes
    )


def is_written(term: Term) -> bool:
    """Tell whether an attribute is given as numbers."""
    if isinstance(term, TupleOf):
        return all(isinstance(field, Constant) for field in term.fields)
    return isinstance(term, Constant)


def rearranging(call: Call) -> Hashable:
    """Return what tells how a call rearranges axes, which is the same for copied attributes."""
    names = [name for operator in operators_of(call) for name in operator.attributes]
    return tuple(map(str, operators_of(call))), *(_origin(call, name) for name in names)


def _origin(call: Call, name: str) -> Hashable:
    """Return the call that an attribute is copied from in the end."""
    seen: set[tuple[Pattern, str]] = set()
    while (call, name) not in seen:
        seen.add((call, name))
        term = call.constraints.get(name, ANYTHING)
        if isinstance(term, Constant):
            return type(term.value).__name__, str(term.value)
        if not isinstance(term, Access):
            break
        if not isinstance(term.pattern, Call):
            return term.pattern, term.name
        call, name = term.pattern, term.name
    return call, name
