"""Duplicates, shadows and derivable rules among the rules of a library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gsl.engine.index import RuleIndex
from gsl.graph import Graph
from gsl.match.find import find
from gsl.subst import Subst
from gsl.text.listing import listing
from gslverify.codes.library import (
    DERIVABLE_RULE,
    DUPLICATE_RULE,
    NAME_ELSEWHERE,
    NOT_WATCHED,
    SHADOWED_RULE,
)
from gslverify.corpus.declaration import LoadedRule
from gslverify.finding import Finding
from gslverify.library.exploration import Exploration, explore, text_of
from gslverify.library.samples import Member, Sample, witnesses_of
from gslverify.mutation.normal import Form, normal_form

Found = tuple[Member, Finding]


def duplicates(members: Sequence[Member]) -> Iterator[Found]:
    """Yield every rule that says what an earlier one says."""
    known: dict[Form, Member] = {}
    for member in members:
        first = known.setdefault(normal_form(member.subst), member)
        if first is not member:
            message = f"`{member.name}` says the same as `{first.name}`"
            cure = f"remove one; the other is {first.item.rule_id}"
            yield member, Finding(DUPLICATE_RULE, message, member.item.rule.span, cure)


def names_elsewhere(rules: Sequence[LoadedRule]) -> Iterator[tuple[str, Finding]]:
    """Yield the id of every rule that is called like one of an earlier file."""
    known: dict[str, LoadedRule] = {}
    for item in rules:
        first = known.setdefault(item.rule.name, item)
        if first is not item:
            message = f"`{item.rule.name}` is the name of {first.rule_id}, too"
            cure = "give one of them another name"
            yield item.rule_id, Finding(NAME_ELSEWHERE, message, item.rule.span, cure)


def not_watched(members: Sequence[Member]) -> Iterator[Found]:
    """Yield every rule of which nothing is known, for want of a graph."""
    for member in members:
        if not member.samples:
            message = f"no small graph was found that `{member.name}` matches"
            cure = "state conditions about the very sizes that the rule uses"
            yield member, Finding(NOT_WATCHED, message, member.item.rule.span, cure)


def shadows(members: Sequence[Member]) -> Iterator[Found]:
    """Yield every rule before which an earlier rule takes each of its matches."""
    for number, member in enumerate(members):
        earlier = {other.subst: other for other in members[:number]}
        index = RuleIndex(list(earlier))
        common = _common_takers(member.samples, index)
        witnesses = member.subst.derived(witnesses_of) if common else []
        first = next((r for r in common if r in _common_takers(witnesses, index, common)), None)
        if first is not None:
            number_of_graphs = len(member.samples) + len(witnesses)
            name = earlier[first].name
            message = f"`{name}` comes before `{member.name}` and matches wherever it does"
            details = _tried(member, number_of_graphs)
            cure = "put the more special rule first"
            span = member.item.rule.span
            yield member, Finding(SHADOWED_RULE, message, span, cure, details, subject=name)


def _common_takers(
    samples: Sequence[Sample], index: RuleIndex, without_samples: Sequence[Subst] = ()
) -> list[Subst]:
    """Return the rules that match wherever the rule of all these samples does."""
    takers = [_takers(sample, index) for sample in samples]
    if not takers:
        return list(without_samples)
    return [rule for rule in takers[0] if all(rule in others for others in takers)]


def _takers(sample: Sample, index: RuleIndex) -> list[Subst]:
    """Return the rules that match where the rule of a sample does."""
    graph = Graph(sample.source)
    root = graph.outputs[0]
    return [rule for rule in index.rules_at(root) if find(rule, graph, root) is not None]


def _tried(member: Member, graphs: int) -> tuple[str, ...]:
    return (f"on all {graphs} graphs tried, such as", *listing(member.samples[0].source))


class Explored:
    """What all rules together make of the samples of each."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = members
        self.by_rule: Mapping[Subst, Member] = {member.subst: member for member in members}
        self._rules = list(self.by_rule)
        self._index = RuleIndex(self._rules)
        self.explorations: list[list[Exploration]] = [
            [self._explored(sample) for sample in member.samples] for member in members
        ]

    def _explored(self, sample: Sample) -> Exploration:
        return explore(sample.source, self._rules, index=self._index)

    def derivable(self) -> Iterator[Found]:
        """Yield every rule whose result the others reach from all of its samples."""
        for member, explorations in zip(self.members, self.explorations, strict=True):
            ways = [
                _way_without(member, sample, exploration)
                for sample, exploration in zip(member.samples, explorations, strict=True)
            ]
            if not ways or not all(ways):
                continue
            ways += [
                _way_without(member, sample, self._explored(sample))
                for sample in member.subst.derived(witnesses_of)
            ]
            if all(ways):
                message = self._leading(ways, member.name)
                span, cure = member.item.rule.span, "keep it if it saves time, else remove it"
                yield (
                    member,
                    Finding(DERIVABLE_RULE, message, span, cure, _tried(member, len(ways))),
                )

    def _leading(self, ways: Sequence[tuple[Subst, ...]], name: str) -> str:
        """Return that rules on ways do what the rule of a name does."""
        names = [self.by_rule[rule].name for rule in ways[0]]
        if len(set(ways)) > 1:
            all_names = dict.fromkeys(self.by_rule[rule].name for way in ways for rule in way)
            return f"on different ways, {', '.join(all_names)} do what `{name}` does"
        if len(names) == 1:
            return f"`{names[0]}` does what `{name}` does"
        return f"{', then '.join(names)} do what `{name}` does"


def _way_without(member: Member, sample: Sample, exploration: Exploration) -> tuple[Subst, ...]:
    """Return rules other than this one that lead to what it makes of a sample."""
    return exploration.way(exploration.start, text_of(sample.target), member.subst)
