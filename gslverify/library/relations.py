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
from gslverify.corpus.collect import CollectedRule
from gslverify.finding import Finding
from gslverify.library.exploration import Exploration, explore, text_of
from gslverify.library.samples import Member, Sample
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


def names_elsewhere(rules: Sequence[CollectedRule]) -> Iterator[tuple[str, Finding]]:
    """Yield the id of every rule that is called like one of an earlier file."""
    known: dict[str, CollectedRule] = {}
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
        takers = [_takers(sample, index) for sample in member.samples]
        common = (rule for rule in takers[0] if all(rule in t for t in takers)) if takers else ()
        first = next(iter(common), None)
        if first is not None:
            name = earlier[first].name
            message = f"`{name}` comes before `{member.name}` and matches wherever it does"
            details = (f"on all {len(takers)} graphs tried, such as", *_graph(member.samples[0]))
            cure = "put the more special rule first"
            span = member.item.rule.span
            yield member, Finding(SHADOWED_RULE, message, span, cure, details, subject=name)


def _takers(sample: Sample, index: RuleIndex) -> list[Subst]:
    """Return the rules that match where the rule of a sample does."""
    graph = Graph(sample.source)
    root = graph.outputs[0]
    return [rule for rule in index.rules_at(root) if find(rule, graph, root) is not None]


def _graph(sample: Sample) -> list[str]:
    return listing(sample.source)


class Explored:
    """What all rules together make of the samples of each."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = members
        self.by_rule: Mapping[Subst, Member] = {member.subst: member for member in members}
        rules = list(self.by_rule)
        index = RuleIndex(rules)
        self.explorations: list[list[Exploration]] = [
            [explore(sample.source, rules, index=index) for sample in member.samples]
            for member in members
        ]

    def derivable(self) -> Iterator[Found]:
        """Yield every rule whose result the others reach from all of its samples."""
        for member, explorations in zip(self.members, self.explorations, strict=True):
            ways = [
                exploration.way(exploration.start, text_of(sample.target), member.subst)
                for sample, exploration in zip(member.samples, explorations, strict=True)
            ]
            if ways and all(ways):
                names = [self.by_rule[rule].name for rule in ways[0]]
                message = f"{', then '.join(names)} do what `{member.name}` does"
                if len(names) == 1:
                    message = f"`{names[0]}` does what `{member.name}` does"
                details = (f"on all {len(ways)} graphs tried, such as", *_graph(member.samples[0]))
                span, cure = member.item.rule.span, "keep it if it saves time, else remove it"
                yield member, Finding(DERIVABLE_RULE, message, span, cure, details)
