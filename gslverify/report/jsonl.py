"""The report for dashboards: one JSON event a line, written while the run goes on.

Events: `run_started`, `rule_started`, `stage_done`, `finding`, `rule_done` and `run_done`. They
come in the order of the source whatever the number of workers; times are in fields of their own,
`seconds`, and all other fields of equal runs are equal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from gslverify.documents import written
from gslverify.events import Event, RuleDone, RulesJoined, RunDone, RunStarted, StageDone
from gslverify.finding import RuleResult
from gslverify.report.documents import COMPLETED
from gslverify.report.json import finding_document, stage_document, summary
from gslverify.report.record import Report
from gslverify.settings import Settings


class JsonLines:
    """Writes a line for each event of a run."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self.write = write
        self.settings = Settings()

    def consume(self, event: Event) -> None:
        """Take one event of a run."""
        if isinstance(event, RunStarted):
            self.settings = event.settings
        for record in self._records(event):
            self.write(json.dumps(record, sort_keys=True, allow_nan=False))

    def _records(self, event: Event) -> Iterator[dict[str, Any]]:
        match event:
            case RunStarted(rule_ids=rule_ids, stages=stages):
                yield {"event": "run_started", "rules": list(rule_ids), "stages": list(stages)}
            case RulesJoined(rule_ids=rule_ids):
                yield {"event": "rules_joined", "rules": list(rule_ids)}
            case RuleDone(result=result):
                yield from self._of_rule(result)
            case RunDone(seconds=seconds, results=results):
                yield {
                    "event": "run_done",
                    "stop_reason": event.stop_reason or COMPLETED,
                    "summary": summary(results),
                    "seconds": round(seconds, 3),
                }
            case StageDone():
                pass

    def _of_rule(self, result: RuleResult) -> Iterator[dict[str, Any]]:
        rule = result.rule_id
        yield {"event": "rule_started", "rule": rule}
        for stage in result.stages:
            record = written(stage_document(stage, self.settings))
            seconds = round(stage.seconds, 3)
            yield {"event": "stage_done", "rule": rule, **record, "seconds": seconds}
        for finding in result.findings:
            found = written(finding_document(finding, result, self.settings))
            yield {"event": "finding", "rule": rule, **found}
        seconds = round(result.seconds, 3)
        verdict = result.verdict.lower()
        yield {"event": "rule_done", "rule": rule, "verdict": verdict, "seconds": seconds}


def jsonl(report: Report) -> str:
    """Return the events of a finished run, a line each."""
    lines: list[str] = []
    writer = JsonLines(lines.append)
    for event in report.events():
        writer.consume(event)
    return "".join(f"{line}\n" for line in lines)
