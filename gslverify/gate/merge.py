"""The reports of all shards of a run as the report of the whole run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import TypeVar

from gslverify.events import INTERRUPTED
from gslverify.exits import Exit, ending, gravest
from gslverify.finding import Verdict
from gslverify.gate.report import ReportError
from gslverify.report.documents import (
    COMPLETED,
    ReportDocument,
    RuleDocument,
    RunDocument,
    TimingDocument,
)

Value = TypeVar("Value")

OF_A_SHARD = ("shard", "exit_code", "stop_reason")
"""What shards of one run may differ in."""


def merged(reports: Mapping[Path, ReportDocument]) -> ReportDocument:
    """Return one report for the reports of all shards, by their files, in any order.

    It is that of a run without shards, but for "timing". Raises ReportError for a shard that is
    missing, there twice, of another run, or incomplete in itself.
    """
    shards = _in_order(reports)
    rules = tuple(_dealt([shard.rules for shard in shards]))
    _require_each_once(rules)
    stops = (shard.run.stop_reason for shard in shards)
    run = replace(
        shards[0].run,
        shard="1/1",
        exit_code=int(gravest(Exit(shard.run.exit_code) for shard in shards if shard.rules)),
        stop_reason=next((stop for stop in stops if stop != COMPLETED), COMPLETED),
    )
    summary: Counter[str] = Counter()
    for shard in shards:
        summary.update(shard.summary)
    timing = _timing([shard.timing for shard in shards])
    return replace(shards[0], run=run, rules=rules, summary=dict(summary), timing=timing)


def exit_code_of(report: ReportDocument, fail_on: tuple[str, ...]) -> Exit:
    """Return the exit code of the run that a report is of, had it had other `fail_on`."""
    if report.run.stop_reason == INTERRUPTED:
        return Exit.INTERRUPTED
    return gravest(ending(rule.verdict, _errors(rule), fail_on) for rule in report.rules)


def _errors(rule: RuleDocument) -> list[str]:
    return [finding.code for finding in rule.findings if finding.verdict is Verdict.ERROR]


def _in_order(reports: Mapping[Path, ReportDocument]) -> list[ReportDocument]:
    files: dict[int, Path] = {}
    counts = set()
    for path, report in reports.items():
        number, count = _place(path, report.run)
        counts.add(count)
        if number in files:
            raise ReportError(f"{path}: shard {number} is in {files[number]} already")
        files[number] = path
    if len(counts) != 1:
        raise ReportError("the reports are shards of runs that were split in different ways")
    (count,) = counts
    missing = [f"{number}/{count}" for number in range(1, count + 1) if number not in files]
    if missing:
        raise ReportError(f"shards are missing: {', '.join(missing)}")
    ordered = [files[number] for number in range(1, count + 1)]
    for path in ordered[1:]:
        _require_same_run(ordered[0], reports[ordered[0]], path, reports[path])
    return [reports[path] for path in ordered]


def _place(path: Path, run: RunDocument) -> tuple[int, int]:
    number, count = map(int, run.shard.split("/"))
    if not 1 <= number <= count:
        raise ReportError(f"{path}: there is no shard {run.shard}")
    return number, count


def _require_same_run(
    path: Path, one: ReportDocument, other_path: Path, other: ReportDocument
) -> None:
    if one.tool != other.tool:
        raise ReportError(f"{other_path} was made with other versions of the tools than {path}")
    for name in sorted(field.name for field in fields(RunDocument)):
        if name not in OF_A_SHARD and getattr(one.run, name) != getattr(other.run, name):
            raise ReportError(f"{other_path} is of another run than {path}: `{name}` differs")


def _dealt(parts: Sequence[Sequence[Value]]) -> Iterator[Value]:
    """Yield what was dealt out to the parts in turn, in its old order."""
    rounds = zip_longest(*parts)
    return (item for item in chain.from_iterable(rounds) if item is not None)


def _require_each_once(rules: Sequence[RuleDocument]) -> None:
    counts = Counter(rule.id for rule in rules)
    twice = [rule_id for rule_id, count in counts.items() if count > 1]
    if twice:
        raise ReportError(f"more than one shard has the rule `{twice[0]}`")


def _timing(parts: Sequence[TimingDocument]) -> TimingDocument:
    return TimingDocument(
        total_s=round(sum(part.total_s for part in parts), 3),
        jobs=parts[-1].jobs,
        rules=_together(part.rules for part in parts),
        stages=_together(part.stages for part in parts),
        hints=_together(part.hints for part in parts),
        cached=_together(part.cached for part in parts),
    )


def _together(parts: Iterable[Mapping[str, Value]]) -> dict[str, Value]:
    return dict(chain.from_iterable(part.items() for part in parts))
