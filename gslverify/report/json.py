"""The report for programs: one JSON document; equal runs differ only below "timing".

Schema version 1: fields are added, never changed or removed. Every rule is listed, also those
that pass.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gsl.span import Span
from gslverify import __version__
from gslverify.codes.corpus import is_rule
from gslverify.corpus import relative
from gslverify.events import RunDone
from gslverify.finding import Counterexample, Difference, Finding, RuleResult, StageResult, Tensor
from gslverify.report.details import repro_command
from gslverify.settings import STAGES, Settings

SCHEMA_VERSION = 1

DISTRIBUTIONS = {
    "tvm": "apache-tvm",
    "z3": "z3-solver",
    "hypothesis": "hypothesis",
    "numpy": "numpy",
}
"""Tools that results depend on, and the distributions that tell their versions unimported."""


def document(
    done: RunDone,
    settings: Settings,
    selectors: tuple[str, ...],
    exit_code: int,
    argv: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the report of a run as plain values."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": tool_versions(),
        "run": {
            "argv": list(_without_jobs(argv)),
            "paths": list(selectors),
            "stages": list(settings.stages),
            "max_examples": settings.max_examples,
            "min_examples": settings.min_examples,
            "seed": settings.seed,
            "use_tvm": settings.use_tvm,
            "keep_going": settings.keep_going,
            "exit_code": exit_code,
            "stop_reason": done.stop_reason or "completed",
        },
        "rules": [_rule(result, settings) for result in done.results],
        "summary": dict(Counter(map(_summary_word, done.results))),
        "timing": {
            "total_s": round(done.seconds, 3),
            "jobs": settings.jobs,
            "rules": {
                result.rule_id: round(sum(stage.seconds for stage in result.stages), 3)
                for result in done.results
            },
            "stages": {
                result.rule_id: {stage.stage: round(stage.seconds, 3) for stage in result.stages}
                for result in done.results
            },
        },
    }


def dumps(report: dict[str, Any]) -> str:
    """Return the text of a report: sorted keys, no NaN or infinity as bare words."""
    return json.dumps(_finite(report), indent=2, sort_keys=True, allow_nan=False) + "\n"


def tool_versions() -> dict[str, str]:
    """Return the versions of everything that results depend on; "absent" is not installed."""
    found = {"gslverify": __version__, "gsl": __version__}
    for tool, distribution in DISTRIBUTIONS.items():
        try:
            found[tool] = version(distribution)
        except PackageNotFoundError:
            found[tool] = "absent"
    return found


def _finite(value: Any) -> Any:
    match value:
        case dict():
            return {str(key): _finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
        case bool() | int() | str() | None:
            return value
        case float():
            return value if math.isfinite(value) else repr(value)
        case _:
            return str(value)


def _without_jobs(argv: tuple[str, ...]) -> Iterator[str]:
    """Yield the arguments but for the number of workers, which no result depends on."""
    arguments = iter(argv)
    for argument in arguments:
        if argument in ("-j", "--jobs"):
            next(arguments, None)
        elif not argument.startswith(("-j", "--jobs=")):
            yield argument


def _summary_word(result: RuleResult) -> str:
    return result.verdict.lower() if is_rule(result) else "without_rule"


def _rule(result: RuleResult, settings: Settings) -> dict[str, Any]:
    return {
        "id": result.rule_id,
        "span": _span(result.span),
        "ir_hash": result.rule_hash or None,
        "verdict": result.verdict.lower(),
        "expected": result.expect or None,
        "assurance": [
            {"subject": a.subject, "level": int(a.level), "text": a.text} for a in result.assurances
        ],
        "stages": [_stage(stage, settings) for stage in result.stages],
        "findings": [_finding(finding, result.rule_id, settings) for finding in result.findings],
    }


def _stage(stage: StageResult, settings: Settings) -> dict[str, Any]:
    status = "skipped" if stage.skipped else stage.verdict.lower()
    return {
        "name": stage.stage,
        "status": status,
        "reason": stage.skipped or None,
        "counts": dict(stage.counts),
        "coverage": dict(stage.coverage) or None,
        "examples": _examples(stage, settings) if stage.stage == STAGES[-1] else None,
    }


def _examples(stage: StageResult, settings: Settings) -> dict[str, Any]:
    """Return how many graphs were wanted and run; None stands for what the stage did not count."""
    counted = {name: stage.counts.get(name) for name in ("rejected", "draws")}
    return {"wanted": settings.max_examples, "run": stage.counts.get("examples"), **counted}


def _finding(finding: Finding, rule_id: str, settings: Settings) -> dict[str, Any]:
    example = finding.counterexample
    return {
        "fingerprint": finding.fingerprint(rule_id),
        "code": finding.code.id,
        "level": "warning" if finding.code.is_warning else "error",
        "verdict": finding.code.verdict.lower(),
        "message": finding.message,
        "cure": finding.cure,
        "details": list(finding.details),
        "span": _span(finding.span),
        "repro": repro_command(rule_id, settings),
        "counterexample": None if example is None else _counterexample(example),
    }


def _span(span: Span | None) -> dict[str, Any] | None:
    if span is None:
        return None
    return {
        "file": relative(Path(span.file)),
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
