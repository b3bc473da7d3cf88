"""The examination of a library: everything that its rules do to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gslverify.corpus.declaration import LoadedRule
from gslverify.finding import Finding
from gslverify.library.loops import loops
from gslverify.library.relations import Explored, duplicates, names_elsewhere, not_watched, shadows
from gslverify.library.samples import members_of
from gslverify.library.termination import Measure, measure_of


@dataclass(frozen=True, slots=True)
class LibraryResult:
    """What was found about a library: each finding with the id of the rule that it is about."""

    rules: int
    findings: tuple[tuple[str, Finding], ...]
    measure: Measure


def examine_library(rules: Sequence[LoadedRule]) -> LibraryResult:
    """Watch rules together on small graphs; those wrong on purpose are only asked for names."""
    members = members_of([item for item in rules if not item.rule.expect])
    explored = Explored(members)
    measure = measure_of(members)
    found = [
        *loops(explored, measure.left),
        *duplicates(members),
        *shadows(members),
        *explored.derivable(),
        *not_watched(members),
    ]
    findings = [*names_elsewhere(rules)]
    findings += [(member.item.rule_id, finding) for member, finding in found]
    unordered = measure.finding()
    if unordered is not None:
        first = (measure.clashing or measure.left)[0]
        findings.append((first.item.rule_id, unordered))
    return LibraryResult(len(members), tuple(findings), measure)
