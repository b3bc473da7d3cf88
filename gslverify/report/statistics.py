"""Where the time of a run went: per stage, and the rules that took longest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gsl.errors import counted
from gslverify.codes.corpus import is_rule
from gslverify.events import RunDone
from gslverify.finding import StageResult
from gslverify.report.record import Report
from gslverify.versions import tool_versions

MOST_RULES = 10


def statistics_lines(report: Report) -> Iterator[str]:
    """Yield a line for each stage, in order, and one for each of the ten slowest rules."""
    if report.done.results:
        yield ""
        yield from table_lines(report.done)


def table_lines(done: RunDone) -> Iterator[str]:
    """Yield a line for each stage, in order, and one for each of the ten slowest rules."""
    yield "stage            rules  cached  skipped   seconds"
    for name, stages in stages_of(done).items():
        figures = figures_of(stages)
        yield (
            f"{name:<15}{figures['rules']:>7}{figures['cached']:>8}{figures['skipped']:>9}"
            f"{figures['seconds']:>10.2f}"
        )
    yield "slowest rules"
    for result in sorted(done.results, key=lambda result: -result.seconds)[:MOST_RULES]:
        yield f"{result.seconds:>8.2f}s  {result.rule_id}"


def stages_of(done: RunDone) -> dict[str, list[StageResult]]:
    """Return the results of every stage, in the order in which stages ran."""
    found: dict[str, list[StageResult]] = {}
    for result in done.results:
        for stage in result.stages:
            found.setdefault(stage.stage, []).append(stage)
    return found


def figures_of(stages: list[StageResult]) -> dict[str, Any]:
    """Return how many rules a stage had, how many of them it need not examine, and its time."""
    return {
        "rules": len(stages),
        "cached": sum(stage.cached for stage in stages),
        "skipped": sum(bool(stage.skipped) for stage in stages),
        "seconds": round(sum(stage.seconds for stage in stages), 3),
        "examples": sum(stage.counts.get("examples", 0) for stage in stages),
    }


def benchmark_document(done: RunDone, jobs: int) -> dict[str, Any]:
    """Return the figures of a run as plain values: times, throughput, hits of the cache."""
    stages = {name: figures_of(found) for name, found in stages_of(done).items()}
    rules = sum(is_rule(result) for result in done.results)
    return {
        "tool": tool_versions(),
        "jobs": jobs,
        "rules": rules,
        "seconds": round(done.seconds, 3),
        "rules_per_second": round(rules / done.seconds, 3) if done.seconds else 0.0,
        "stage_results": sum(s["rules"] - s["skipped"] for s in stages.values()),
        "cache_hits": sum(s["cached"] for s in stages.values()),
        "stages": stages,
        "rule_seconds": {result.rule_id: round(result.seconds, 3) for result in done.results},
        "stop_reason": done.stop_reason or "completed",
    }


def benchmark_lines(done: RunDone, jobs: int) -> Iterator[str]:
    """Yield the same for people."""
    found = benchmark_document(done, jobs)
    workers = counted(jobs, "worker") if jobs else "no workers"
    yield (
        f"{counted(found['rules'], 'rule')} in {found['seconds']:.1f}s with {workers}: "
        f"{found['rules_per_second']:.2f} rules a second"
    )
    yield f"{found['cache_hits']} of {found['stage_results']} results of stages from the cache"
    if done.stop_reason:
        yield f"the run is not complete: {done.stop_reason}"
    yield ""
    yield from table_lines(done)
