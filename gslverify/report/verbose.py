"""What `-v` adds to the line of a rule: tables of its stages, their notes, and what was covered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from gslverify.finding import RuleResult, StageResult

NARROWEST = 20
"""Columns that are left for the last cell of a row, however wide the others are."""


def verbose_lines(result: RuleResult, room: int) -> Iterator[str]:
    """Yield the tables, at most `room` columns wide if names are not longer than that."""
    stages = [
        (one.stage, one.status, f"{one.seconds:.2f}s", one.skipped or one.open or _counts(one))
        for one in result.stages
    ]
    yield from _table(stages, room)
    yield from _table(list(_notes(result)), room)
    for stage in result.stages:
        yield from coverage_lines(stage, room)


def _counts(stage: StageResult) -> str:
    return ", ".join(f"{number} {name}" for name, number in stage.counts.items())


def _notes(result: RuleResult) -> Iterator[tuple[str, str]]:
    """Yield notes with the name of their stage, which stands beside the first one."""
    for stage in result.stages:
        beside = [_counts(stage)] if stage.skipped or stage.open else []
        for number, note in enumerate(filter(None, [*beside, *stage.notes])):
            yield ("" if number else stage.stage), note


def coverage_lines(stage: StageResult, room: int) -> Iterator[str]:
    """Yield how much of what examples can have was seen, and tables of the rest by reason."""
    if not stage.coverage:
        return
    missing: dict[str, dict[str, list[str]]] = {}
    for one in stage.coverage["missing"]:
        facets = missing.setdefault(one["reason"], {})
        facets.setdefault(one["facet"], []).append(one["value"])
    seen = sum(map(len, stage.coverage["seen"].values()))
    yield f"covered {seen} of {seen + len(stage.coverage['missing'])} aspects"
    columns = max((len(facet) for facets in missing.values() for facet in facets), default=0)
    for reason, facets in sorted(missing.items()):
        yield from wrap(reason, room, initial_indent="  ", subsequent_indent="  ")
        rows = [(f"{'':4}{facet:<{columns}}", ", ".join(facets[facet])) for facet in facets]
        yield from _table(rows, room)


def _table(rows: Sequence[Sequence[str]], room: int) -> Iterator[str]:
    """Yield rows of cells; what does not fit goes on below, in the last column."""
    if not rows:
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    indent = sum(widths) + 2 * len(widths)
    for *cells, last in rows:
        first = "".join(f"{cell:<{width}}  " for cell, width in zip(cells, widths, strict=True))
        parts = wrap(last, max(room - indent, NARROWEST), break_on_hyphens=False) or [""]
        yield f"{first}{parts[0]}".rstrip()
        yield from (f"{'':<{indent}}{part}" for part in parts[1:])
