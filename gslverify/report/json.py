"""The report for programs: one JSON document; equal runs differ only below "timing".

Schema version 1: fields are added, never changed or removed. Every rule is listed, also those
that pass.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gsl.span import Span
from gslverify.codes.corpus import is_rule
from gslverify.finding import Counterexample, Difference, Finding, RuleResult, StageResult, Tensor
from gslverify.project import in_project, selector_in_project
from gslverify.report.details import hint_of, repro_command, source_line_of
from gslverify.report.drawings import Sides, drawn_for, sides_of
from gslverify.report.record import QUIET, Report
from gslverify.report.strength import strength_document
from gslverify.settings import Settings
from gslverify.versions import tool_versions

SCHEMA_VERSION = 1

LEFT_OUT = ("-j", "--jobs", "--shard", "--executor", "-o", "--report")
"""Options about who verifies which rules, and where the report goes, with a value each."""
LEFT_OUT_SHORT = ("-j", "-o")
"""Those whose value may follow at once."""


def json_text(report: Report) -> str:
    """Return the report as a JSON document."""
    return dumps(document(report))


def document(report: Report) -> dict[str, Any]:
    """Return the report of a run as plain values."""
    done, settings = report.done, report.settings
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": tool_versions(),
        "run": _run(report),
        "rules": [_rule(result, report) for result in done.results],
        "summary": summary(done.results),
        "timing": {
            "total_s": round(done.seconds, 3),
            "jobs": settings.jobs,
            "rules": {result.rule_id: round(result.seconds, 3) for result in done.results},
            "stages": {
                result.rule_id: {stage.stage: round(stage.seconds, 3) for stage in result.stages}
                for result in done.results
            },
            "hints": {
                result.rule_id: round(result.hint_seconds, 3)
                for result in done.results
                if result.hint_seconds
            },
            "cached": {
                result.rule_id: names
                for result in done.results
                if (names := [stage.stage for stage in result.stages if stage.cached])
            },
        },
    }


def _run(report: Report) -> dict[str, Any]:
    settings = report.settings
    return {
        "argv": list(_without_jobs(report.argv)),
        "paths": [selector_in_project(text) for text in report.selectors],
        "profile": settings.profile,
        "tags": list(settings.tags),
        "expression": report.expression or None,
        "changed_since": settings.changed_since or None,
        "stages": list(settings.stages),
        "max_examples": settings.max_examples,
        "min_examples": settings.min_examples,
        "draws": settings.draws,
        "seed": settings.seed,
        "use_tvm": settings.use_tvm,
        "keep_going": settings.keep_going,
        "solver_limit": settings.solver_limit,
        "budget_s": settings.budget or None,
        "rule_budget_s": settings.rule_budget or None,
        "shard": "/".join(map(str, settings.shard)),
        "exit_code": int(report.exit_code),
        "stop_reason": report.done.stop_reason or "completed",
    }


def summary(results: Iterable[RuleResult]) -> dict[str, int]:
    """Return how many rules have which verdict."""
    return dict(Counter(map(_summary_word, results)))


def dumps(report: dict[str, Any]) -> str:
    """Return the text of a report: sorted keys, no NaN or infinity as bare words."""
    return json.dumps(finite(report), indent=2, sort_keys=True, allow_nan=False) + "\n"


def finite(value: Any) -> Any:
    """Return plain values with texts in place of infinity, NaN and what JSON does not have."""
    match value:
        case dict():
            return {str(key): finite(item) for key, item in value.items()}
        case list() | tuple():
            return [finite(item) for item in value]
        case bool() | int() | str() | None:
            return value
        case float():
            return value if math.isfinite(value) else repr(value)
        case _:
            return str(value)


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


def _rule(result: RuleResult, report: Report) -> dict[str, Any]:
    settings = report.settings
    return {
        "id": result.rule_id,
        "span": _span(result.span),
        "ir_hash": result.rule_hash or None,
        "verdict": result.verdict.lower(),
        "expected": result.expect or None,
        "expected_reason": result.expect_reason or None,
        "assurance": [
            {"subject": a.subject, "level": int(a.level), "text": a.text} for a in result.assurances
        ],
        "strength": strength_document(result.assurances),
        "flags": next((dict(stage.flags) for stage in result.stages if stage.flags), None),
        "stages": [stage_document(stage, settings) for stage in result.stages],
        "findings": [
            finding_document(finding, result.rule_id, settings, result.again)
            | {"known": report.known_failures.reason(result, finding) or None}
            for finding in result.findings
        ],
        "drawing": None if result.verdict in QUIET else _drawing(result, report),
    }


def _drawing(result: RuleResult, report: Report) -> Sides | None:
    drawings = drawn_for(report.collected, result)
    return None if drawings is None else sides_of(drawings)


def stage_document(stage: StageResult, settings: Settings) -> dict[str, Any]:
    """Return what a stage found out, without its time."""
    return {
        "name": stage.stage,
        "status": stage.status,
        "reason": stage.skipped or stage.open or None,
        "counts": dict(stage.counts),
        "notes": list(stage.notes),
        "coverage": dict(stage.coverage) or None,
        "examples": _examples(stage, settings) if stage.stage == "numeric" else None,
    }


def _examples(stage: StageResult, settings: Settings) -> dict[str, Any]:
    """Return how many graphs were wanted and run; None stands for what the stage did not count."""
    counted = {name: stage.counts.get(name) for name in ("rejected", "draws")}
    return {"wanted": settings.max_examples, "run": stage.counts.get("examples"), **counted}


def finding_document(
    finding: Finding, rule_id: str, settings: Settings, again: str = ""
) -> dict[str, Any]:
    """Return a finding with its counterexample; `again` is that of its `RuleResult`."""
    example = finding.counterexample
    return {
        "fingerprint": finding.fingerprint(rule_id),
        "code": finding.code.id,
        "level": "warning" if finding.code.is_warning else "error",
        "verdict": finding.code.verdict.lower(),
        "message": finding.message,
        "cure": hint_of(finding, settings),
        "condition": finding.condition or None,
        "details": list(finding.details),
        "span": _span(finding.span),
        "source_line": source_line_of(finding.span),
        "repro": again or repro_command(rule_id, settings),
        "stored": finding.stored or None,
        "counterexample": None if example is None else _counterexample(example),
    }


def _span(span: Span | None) -> dict[str, Any] | None:
    if span is None:
        return None
    return {
        "file": in_project(Path(span.file)),
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line or span.line,
        "end_column": span.end_column or span.column,
    }


def _counterexample(example: Counterexample) -> dict[str, Any]:
    return {
        "attrs": dict(example.attributes),
        "shapes": {tensor.name: list(tensor.shape) for tensor in example.inputs},
        "inputs": [_tensor(tensor) for tensor in example.inputs],
        "source_ssa": list(example.source),
        "target_ssa": list(example.target),
        "outputs": [_difference(difference) for difference in example.outputs],
        "notes": list(example.notes),
        "source_values": list(example.source_values),
        "target_values": list(example.target_values),
        "divergence": example.divergence,
        "matters": list(example.matters),
        "same_for_any": list(example.same_for_any),
    }


def _tensor(tensor: Tensor) -> dict[str, Any]:
    shape = list(tensor.shape)
    return {"name": tensor.name, "dtype": tensor.dtype, "shape": shape, "values": tensor.values}


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "name": difference.output,
        "mismatched": difference.mismatched,
        "total": difference.total,
        "max_abs": difference.max_abs,
        "sentence": difference.sentence,
        "worst": [
            {"index": list(index), "source": source, "target": target}
            for index, source, target in difference.worst
        ],
    }
