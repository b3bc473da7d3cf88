"""Where the time of a run went: per stage, and the rules that took longest."""

from __future__ import annotations

from collections.abc import Iterator

from gslverify.report.record import Report

MOST_RULES = 10


def statistics_lines(report: Report) -> Iterator[str]:
    """Yield a line for each stage, in order, and one for each of the ten slowest rules."""
    results = report.done.results
    if not results:
        return
    yield ""
    yield "stage            rules  cached  skipped   seconds"
    names = dict.fromkeys(stage.stage for result in results for stage in result.stages)
    for name in names:
        stages = [stage for result in results for stage in result.stages if stage.stage == name]
        cached = sum(stage.cached for stage in stages)
        skipped = sum(bool(stage.skipped) for stage in stages)
        seconds = sum(stage.seconds for stage in stages)
        yield f"{name:<15}{len(stages):>7}{cached:>8}{skipped:>9}{seconds:>10.2f}"
    yield "slowest rules"
    for result in sorted(results, key=lambda result: -result.seconds)[:MOST_RULES]:
        yield f"{result.seconds:>8.2f}s  {result.rule_id}"
