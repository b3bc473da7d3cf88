"""The reports of all shards of a run as the report of the whole run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from gslverify.exits import Exit, gravest
from gslverify.gate.report import ReportError

Document = Mapping[str, Any]

OF_A_SHARD = ("shard", "exit_code", "stop_reason")
"""What shards of one run may differ in."""

COMPLETED = "completed"


def merged(reports: Mapping[Path, Document]) -> dict[str, Any]:
    """Return one report for the reports of all shards, by their files, in any order.

    It is that of a run without shards, but for "timing". Raises ReportError for a shard that is
    missing, there twice, of another run, or incomplete in itself.
    """
    shards = _in_order(reports)
    first = shards[0]
    rules = list(_dealt([list(shard["rules"]) for shard in shards]))
    _require_each_once(rules)
    runs = [shard["run"] for shard in shards]
    stops = [run["stop_reason"] for run in runs if run["stop_reason"] != COMPLETED]
    run = {
        **first["run"],
        "shard": "1/1",
        "exit_code": int(_exit_code(shards)),
        "stop_reason": stops[0] if stops else COMPLETED,
    }
    summary: Counter[str] = Counter()
    for shard in shards:
        summary.update(shard["summary"])
    whole = {**first, "run": run, "rules": rules, "summary": dict(summary)}
    return whole | {"timing": _timing([shard["timing"] for shard in shards])}


def _in_order(reports: Mapping[Path, Document]) -> list[Document]:
    files: dict[int, Path] = {}
    counts = set()
    for path, report in reports.items():
        number, count = _place(path, report)
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


def _place(path: Path, report: Document) -> tuple[int, int]:
    try:
        number, count = map(int, report["run"]["shard"].split("/"))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ReportError(f"{path}: the report does not say which shard it is") from error
    if not 1 <= number <= count:
        raise ReportError(f"{path}: there is no shard {number}/{count}")
    return number, count


def _require_same_run(path: Path, one: Document, other_path: Path, other: Document) -> None:
    if one["tool"] != other["tool"]:
        raise ReportError(f"{other_path} was made with other versions of the tools than {path}")
    for key in sorted(one["run"].keys() | other["run"].keys()):
        if key not in OF_A_SHARD and one["run"].get(key) != other["run"].get(key):
            raise ReportError(f"{other_path} is of another run than {path}: `{key}` differs")


def _dealt(parts: Sequence[list[Any]]) -> Iterator[Any]:
    """Yield what was dealt out to the parts in turn, in its old order."""
    nothing = object()
    rounds = zip_longest(*parts, fillvalue=nothing)
    return (item for item in chain.from_iterable(rounds) if item is not nothing)


def _require_each_once(rules: Sequence[Mapping[str, Any]]) -> None:
    counts = Counter(rule["id"] for rule in rules)
    twice = [rule_id for rule_id, count in counts.items() if count > 1]
    if twice:
        raise ReportError(f"more than one shard has the rule `{twice[0]}`")


def _exit_code(shards: Sequence[Document]) -> Exit:
    """Return what the whole run would have ended with."""
    return gravest(Exit(shard["run"]["exit_code"]) for shard in shards if shard["rules"])


def _timing(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for part in parts:
        for key, value in part.items():
            if isinstance(value, dict):
                whole[key] = {**whole.get(key, {}), **value}
            elif isinstance(value, int | float) and key.endswith("_s"):
                whole[key] = round(whole.get(key, 0.0) + value, 3)
            else:
                whole[key] = value
    return whole
