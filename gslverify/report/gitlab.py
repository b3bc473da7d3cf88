"""The report for merge requests on GitLab: its format for code quality."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gslverify.finding import Finding, RuleResult
from gslverify.project import in_project, parted
from gslverify.report.concise import findings_of, level_of
from gslverify.report.record import Report

SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def gitlab(report: Report) -> str:
    """Return a list of issues, each with the fingerprint that the other formats have, too.

    Known failures come last, as information with the reason.
    """
    known = report.known_failures
    issues = [(known.reason(*pair), pair) for pair in findings_of(report)]
    issues.sort(key=lambda issue: bool(issue[0]))
    return json.dumps([_issue(*pair, reason) for reason, pair in issues], indent=2) + "\n"


def _issue(result: RuleResult, finding: Finding, reason: str) -> dict[str, Any]:
    span = finding.span or result.span
    file = in_project(Path(span.file)) if span else parted(result.rule_id)[0]
    head = f"Known ({reason}): " if reason else ""
    return {
        "type": "issue",
        "check_name": finding.code.id,
        "description": f"{head}{finding.code} {result.rule_id}: {finding.message}",
        "categories": ["Bug Risk"],
        "severity": SEVERITIES["note" if reason else level_of(finding)],
        "fingerprint": finding.fingerprint(result.rule_id),
        "location": {"path": file, "lines": {"begin": span.line if span else 1}},
    }
