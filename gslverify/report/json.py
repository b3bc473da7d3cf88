"""The report for programs: one JSON document; equal runs differ only below "timing".

Schema version 1: fields are added, never changed or removed. Every rule is listed, also those
that pass.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from gsl.span import Span
from gslverify.codes.corpus import is_rule
from gslverify.documents import read, written
from gslverify.finding import Finding, RuleResult, StageResult
from gslverify.project import in_project, selector_in_project
from gslverify.report.details import command_for, hint_of, source_line_of
from gslverify.report.documents import (
    COMPLETED,
    SCHEMA_VERSION,
    CoverageDocument,
    ExamplesDocument,
    FindingDocument,
    FlagsDocument,
    ReportDocument,
    RuleDocument,
    RunDocument,
    StageDocument,
    TimingDocument,
)
from gslverify.report.drawings import drawn_for, sides_of
from gslverify.report.record import QUIET, Report
from gslverify.report.strength import strength_of
from gslverify.settings import Settings
from gslverify.versions import tool_versions

LEFT_OUT = ("-j", "--jobs", "--shard", "--executor", "-o", "--report")
"""Options about who verifies which rules, and where the report goes, with a value each."""
LEFT_OUT_SHORT = ("-j", "-o")
"""Those whose value may follow at once."""


def json_text(report: Report) -> str:
    """Return the report as a JSON document."""
    return dumps(document(report))


def document(report: Report) -> dict[str, Any]:
    """Return the report of a run as plain values."""
    return written(report_document(report))


def report_document(report: Report) -> ReportDocument:
    """Return what a run has to report."""
    results = report.done.results
    return ReportDocument(
        schema_version=SCHEMA_VERSION,
        tool=tool_versions(),
        run=_run(report),
        rules=tuple(_rule(result, report) for result in results),
        summary=summary(results),
        timing=_timing(report),
    )


def _timing(report: Report) -> TimingDocument:
    results = report.done.results
    cached = {one.rule_id: tuple(s.stage for s in one.stages if s.cached) for one in results}
    return TimingDocument(
        total_s=round(report.done.seconds, 3),
        jobs=report.settings.jobs,
        rules={one.rule_id: round(one.seconds, 3) for one in results},
        stages={one.rule_id: {s.stage: round(s.seconds, 3) for s in one.stages} for one in results},
        hints={one.rule_id: round(one.hint_seconds, 3) for one in results if one.hint_seconds},
        cached={rule_id: names for rule_id, names in cached.items() if names},
    )


def _run(report: Report) -> RunDocument:
    settings = report.settings
    names = [field.name for field in fields(RunDocument) if hasattr(settings, field.name)]
    values = {name: getattr(settings, name) for name in names} | {
        "argv": tuple(_without_jobs(report.argv)),
        "paths": tuple(selector_in_project(text) for text in report.selectors),
        "expression": report.expression or None,
        "changed_since": settings.changed_since or None,
        "budget_s": settings.budget or None,
        "rule_budget_s": settings.rule_budget or None,
        "shard": "/".join(map(str, settings.shard)),
        "exit_code": int(report.exit_code),
        "stop_reason": report.done.stop_reason or COMPLETED,
    }
    return RunDocument(**values)


def summary(results: Iterable[RuleResult]) -> dict[str, int]:
    """Return how many rules have which verdict."""
    return dict(Counter(map(_summary_word, results)))


def dumps(report: dict[str, Any]) -> str:
    """Return the text of a report, with sorted keys."""
    return json.dumps(report, indent=2, sort_keys=True, allow_nan=False) + "\n"


def _without_jobs(argv: tuple[str, ...]) -> Iterator[str]:
    """Yield the arguments but for those that no result depends on."""
    arguments = iter(argv)
    for argument in arguments:
        if argument in LEFT_OUT:
            next(arguments, None)
        elif not argument.startswith(LEFT_OUT_SHORT) and argument.partition("=")[0] not in LEFT_OUT:
            yield argument


def _summary_word(result: RuleResult) -> str:
    return result.verdict.lower() if is_rule(result) else "without_rule"


def _rule(result: RuleResult, report: Report) -> RuleDocument:
    settings = report.settings
    flags = next((stage.flags for stage in result.stages if stage.flags), None)
    drawings = None if result.verdict in QUIET else drawn_for(report.collected, result)
    known = report.known_failures
    return RuleDocument(
        id=result.rule_id,
        span=_span(result.span),
        ir_hash=result.rule_hash or None,
        verdict=result.verdict,
        expected=result.expect or None,
        expected_reason=result.expect_reason or None,
        assurance=result.assurances,
        strength=strength_of(result.assurances),
        flags=None if flags is None else read(FlagsDocument, flags),
        stages=tuple(stage_document(stage, settings) for stage in result.stages),
        findings=tuple(
            finding_document(one, result, settings, known.reason(result, one) or None)
            for one in result.findings
        ),
        drawing=None if drawings is None else sides_of(drawings),
    )


def stage_document(stage: StageResult, settings: Settings) -> StageDocument:
    """Return what a stage found out, without its time."""
    return StageDocument(
        name=stage.stage,
        status=stage.status,
        reason=stage.skipped or stage.open or None,
        counts=stage.counts,
        notes=stage.notes,
        coverage=read(CoverageDocument, stage.coverage) if stage.coverage else None,
        examples=_examples(stage, settings) if stage.stage == "numeric" else None,
    )


def _examples(stage: StageResult, settings: Settings) -> ExamplesDocument:
    counts = stage.counts
    run, rejected, draws = counts.get("examples"), counts.get("rejected"), counts.get("draws")
    return ExamplesDocument(settings.max_examples, run, rejected, draws)


def finding_document(
    finding: Finding, result: RuleResult, settings: Settings, known: str | None = None
) -> FindingDocument:
    """Return a finding about a rule; `known` is why it is known to be there."""
    return FindingDocument(
        fingerprint=finding.fingerprint(result.rule_id),
        code=finding.code.id,
        level="warning" if finding.code.is_warning else "error",
        verdict=finding.code.verdict,
        message=finding.message,
        cure=hint_of(finding, settings),
        details=finding.details,
        span=_span(finding.span),
        repro=command_for(result, settings),
        counterexample=finding.counterexample,
        condition=finding.condition or None,
        source_line=source_line_of(finding.span),
        stored=finding.stored or None,
        known=known,
    )


def _span(span: Span | None) -> Span | None:
    """Return a place as seen from the project."""
    if span is None:
        return None
    file = in_project(Path(span.file))
    ends = span.end_line or span.line, span.end_column or span.column
    return Span(file, span.line, span.column, *ends)
