"""The report for code scanning: SARIF 2.1.0 with relative places and stable fingerprints."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from gsl.span import Span
from gslverify import __version__
from gslverify.finding import Code, Finding, RuleResult, Verdict
from gslverify.project import in_project, named, parted
from gslverify.report.concise import findings_of, level_of
from gslverify.report.details import command_for, hint_of
from gslverify.report.known import Known
from gslverify.report.record import Report
from gslverify.settings import Settings

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT = "ROOT"
"""Name of the folder that places are relative to: the project."""


def sarif(report: Report) -> str:
    """Return the report as SARIF; crashes of the verifier are notifications, not results."""
    found = list(findings_of(report))
    results = [pair for pair in found if pair[1].code.verdict is not Verdict.ERROR]
    codes = sorted({finding.code for _, finding in found}, key=lambda code: code.id)
    index = {code.id: number for number, code in enumerate(codes)}
    run = {
        "tool": {
            "driver": {
                "name": "gslverify",
                "version": __version__,
                "rules": [_descriptor(code, report.settings.docs_url) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "the project"}}},
        "invocations": [_invocation(report, found)],
        "results": [
            _result(*pair, index, report.settings) | _state(*pair, report.known) for pair in results
        ],
        "properties": {"profile": report.settings.profile, "seed": report.settings.seed},
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _descriptor(code: Code, docs_url: str) -> dict[str, Any]:
    level = "warning" if code.is_warning else "error"
    if code.verdict is Verdict.INCONCLUSIVE:
        level = "note"
    return {
        "id": code.id,
        "name": code.name,
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": " ".join(code.meaning.split())},
        "help": {"text": f"gslverify explain {code.id}"},
        "defaultConfiguration": {"level": level},
    } | ({"helpUri": f"{docs_url.rstrip('/')}/reference/codes/{code.id}/"} if docs_url else {})


def _invocation(report: Report, found: list[tuple[RuleResult, Finding]]) -> dict[str, Any]:
    failures = [pair for pair in found if pair[1].code.verdict is Verdict.ERROR]
    return {
        "executionSuccessful": not failures and not report.done.stop_reason,
        "exitCode": int(report.exit_code),
        "commandLine": " ".join(("gslverify", *report.argv)),
        "toolExecutionNotifications": [_notification(*pair) for pair in failures],
    }


def _notification(result: RuleResult, finding: Finding) -> dict[str, Any]:
    return {
        "descriptor": {"id": finding.code.id},
        "level": "error",
        "message": {"text": f"{result.rule_id}: {finding.message}"},
        "locations": [_location(result, finding.span or result.span)],
    }


def _result(
    result: RuleResult, finding: Finding, index: dict[str, int], settings: Settings
) -> dict[str, Any]:
    hint = hint_of(finding, settings)
    cure = f" ({hint})" if hint else ""
    return {
        "ruleId": finding.code.id,
        "ruleIndex": index[finding.code.id],
        "level": level_of(finding),
        "message": {"text": f"{finding.message}{cure}"},
        "locations": [_location(result, finding.span or result.span)],
        "partialFingerprints": {"gslFinding/v1": finding.fingerprint(result.rule_id)},
        "properties": {
            "rule": result.rule_id,
            "verdict": result.verdict.value,
            "repro": _repro(result, finding, settings),
            "again": command_for(result, settings),
        },
    }


def _repro(result: RuleResult, finding: Finding, settings: Settings) -> str:
    """Return the command that runs the counterexample, or verifies the rule if none was kept."""
    if finding.stored:
        return shlex.join(["gslverify", "repro", finding.stored])
    return command_for(result, settings)


def _state(result: RuleResult, finding: Finding, known: Known | None) -> dict[str, Any]:
    """Return what the baseline says of a finding, if there is one."""
    if known is None:
        return {}
    reason = known.reason(result, finding)
    if not reason:
        return {"baselineState": "new"}
    accepted = {"kind": "external", "justification": reason}
    return {"baselineState": "unchanged", "suppressions": [accepted]}


def _location(result: RuleResult, span: Span | None) -> dict[str, Any]:
    file, name = parted(result.rule_id)
    place: dict[str, Any] = {"artifactLocation": _artifact(span.file if span else file)}
    if span is not None:
        place["region"] = _region(span)
    location: dict[str, Any] = {"physicalLocation": place}
    if name:
        location["logicalLocations"] = [
            {"name": name, "fullyQualifiedName": result.rule_id, "kind": "function"}
        ]
    return location


def _artifact(file: str) -> dict[str, Any]:
    path = in_project(named(file))
    if path.startswith("/"):
        return {"uri": Path(path).as_uri()}
    return {"uri": _escaped(path), "uriBaseId": ROOT}


def _escaped(path: str) -> str:
    return Path("/", path).as_uri().removeprefix("file:///")


def _region(span: Span) -> dict[str, int]:
    region = {"startLine": span.line, "startColumn": span.column}
    if span.end_line:
        region |= {"endLine": span.end_line, "endColumn": span.end_column}
    return region
