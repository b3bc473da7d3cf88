"""Changes in words: a line for each rule that differs, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from gslverify.gate.entry import Entry
from gslverify.gate.judge import FATAL, STALE, Change, Kind

SILENT = frozenset({Kind.UNCHANGED, Kind.KNOWN, Kind.NEW, Kind.BETTER})
"""Changes that are only counted."""


def change_line(change: Change) -> str:
    """Return one change as a line: what happened to which rule, and how one sees it."""
    step = f"{verdict_text(change.before)} -> {verdict_text(change.now)}"
    detail = f"  {change.detail}" if change.detail else ""
    code = f"  ({change.code})" if change.code else ""
    return f"  {change.kind:<11}  {change.rule_id}  {step}{detail}{code}"


def verdict_text(entry: Entry | None) -> str:
    """Return the verdict of an entry, "absent" where there is none."""
    return "absent" if entry is None else entry.verdict


def counts_text(changes: Iterable[Change]) -> str:
    """Return how many rules changed in which way: "1 REGRESSION, 2 fixed, 39 unchanged"."""
    counts = Counter(change.kind for change in changes)
    return ", ".join(f"{counts[kind]} {kind}" for kind in Kind if counts[kind]) or "no rules"


def gate_lines(changes: Sequence[Change], name: str, *, strict: bool) -> Iterator[str]:
    """Yield the counts and a line for each rule that differs from what was known."""
    yield f"{name}: {counts_text(changes)}"
    for change in changes:
        if change.kind not in SILENT or "changed" in change.detail:
            yield change_line(change)
    stale = sum(change.kind in STALE for change in changes)
    if stale:
        ending = "which fails a strict gate" if strict else "which fails strict gates only"
        yield f"  {stale} out of date: run `gslverify baseline update`; {ending}"
    if any(change.kind in FATAL for change in changes):
        yield "  accept one failure: gslverify baseline accept RULE --reason TEXT"
