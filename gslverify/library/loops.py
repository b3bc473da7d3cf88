"""Sets of rules that lead from a graph back to it, or on and on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from gsl.engine.fixpoint import apply
from gsl.engine.index import RuleIndex
from gsl.engine.record import Record
from gsl.errors import RewriteError
from gsl.subst import Subst
from gsl.text.listing import listing
from gsl.workload import Workload
from gslverify.codes.library import RULES_LOOP
from gslverify.finding import Finding
from gslverify.library.exploration import Exploration, Outputs, explore
from gslverify.library.overlaps import overlaps
from gslverify.library.relations import Explored, Found
from gslverify.library.samples import Member

MOST_REWRITES = 200
REPEATED = 10
"""A rule that was applied so often to a graph of a few nodes takes part in a loop."""


@dataclass(frozen=True, slots=True)
class _Way:
    """Rules that lead from a graph, by themselves, back to it or `on` and on."""

    graph: Outputs
    rules: tuple[Subst, ...]
    on: bool = False


def loops(explored: Explored, unordered: Sequence[Member]) -> Iterator[Found]:
    """Yield every set of rules that lead back to where they began, or on and on.

    Only the `unordered` rules, those that no weights lower, can take part in a loop, so only
    their overlaps are looked at.
    """
    known: dict[frozenset[Subst], _Way] = {}
    for way in chain(_among_samples(explored), _among_overlaps(unordered)):
        known.setdefault(frozenset(way.rules), way)
    for rules, way in known.items():
        # What was applied on and on may be more than what it takes.
        if not (way.on and any(other < rules for other in known)):
            yield explored.by_rule[way.rules[0]], _finding(way, explored.by_rule)


def _among_samples(explored: Explored) -> Iterator[_Way]:
    rules = list(explored.by_rule)
    for exploration in chain.from_iterable(explored.explorations):
        yield from _ways(exploration, rules)


def _among_overlaps(unordered: Sequence[Member]) -> Iterator[_Way]:
    rules = [member.subst for member in unordered]
    index = RuleIndex(rules)
    for sample in overlaps(unordered):
        yield from _ways(explore(sample.source, rules, index=index), rules)


def _ways(exploration: Exploration, rules: Sequence[Subst]) -> Iterator[_Way]:
    circles = exploration.loops()
    yield from (_Way(graph, circle) for graph, circle in circles)
    start = exploration.graphs[exploration.start]
    repeated = () if circles else _endless(start, rules)
    if repeated:
        # Rules that were applied only in the beginning may have led to where these go on.
        alone = (graph for graph in exploration.graphs.values() if _endless(graph, repeated))
        yield _Way(next(alone, start), repeated, on=True)


def _endless(graph: Outputs, rules: Sequence[Subst]) -> tuple[Subst, ...]:
    """Return the rules that are applied again and again, the first match at a time."""
    record = Record()
    try:
        apply(Workload(graph), rules, max_rewrites=MOST_REWRITES, record=record)
    except RewriteError:
        return tuple(rule for rule, count in record.counts.items() if count >= REPEATED)
    return ()


def _finding(way: _Way, by_rule: Mapping[Subst, Member]) -> Finding:
    names = [by_rule[rule].name for rule in way.rules]
    feed = "the rule feeds itself" if len(names) == 1 else "the rules feed each other"
    message = f"{feed}: {' -> '.join([*names, names[0]])}"
    span = by_rule[way.rules[0]].item.rule.span
    cure = "apply them in separate passes, or give one a condition"
    details = ("a graph that is rewritten without end:", *listing(way.graph))
    return Finding(RULES_LOOP, message, span, cure, details, subject="->".join(sorted(names)))
