"""JSON reports of earlier runs: read, compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from gsl.errors import GslError
from gslverify.atomic import why_unreadable
from gslverify.documents import DocumentError, read
from gslverify.report.documents import SCHEMA_VERSION, ReportDocument

SLOWER_FACTOR = 1.5
SLOWER_SECONDS = 1.0
"""A rule is called slower when it takes so many times and so many seconds more."""


class ReportError(GslError):
    """A file is no report of `gslverify check --output-format json`, or not one of a kind."""


def read_report(path: Path) -> ReportDocument:
    """Return a JSON report; raise ReportError with the file, and the place that is wrong."""
    try:
        report = json.loads(path.read_text("utf-8"))
    except json.JSONDecodeError as error:
        raise ReportError(f"{path}:{error.lineno}: this is not a report: {error.msg}") from error
    except (OSError, UnicodeDecodeError, RecursionError) as error:
        raise ReportError(f"{path}: the report cannot be read: {why_unreadable(error)}") from error
    if not isinstance(report, dict) or not {"schema_version", "run", "rules"} <= report.keys():
        raise ReportError(f"{path}: this is no report of `gslverify check --output-format json`")
    if report["schema_version"] != SCHEMA_VERSION:
        version = report["schema_version"]
        raise ReportError(f"{path}: the report has schema {version}, not {SCHEMA_VERSION}")
    try:
        return read(ReportDocument, report)
    except DocumentError as error:
        raise ReportError(f"{path}: the report is damaged: {error}") from error


def require_one_profile(reports: Mapping[Path, ReportDocument]) -> None:
    """Raise ReportError for reports of several profiles: what differs may be due to these."""
    profiles = {path: report.run.profile for path, report in reports.items()}
    if len(set(profiles.values())) > 1:
        said = ", ".join(f"{path} is of profile `{name}`" for path, name in profiles.items())
        raise ReportError(f"{said}; compare runs of one profile")


def slower(old: ReportDocument, new: ReportDocument) -> list[str]:
    """Return which rules take longer than they did, worst first; that never fails a gate.

    Nothing is said of rules of which the cache had something: they have taken no time.
    """
    before, now = (
        {name: seconds for name, seconds in one.rules.items() if name not in one.cached}
        for one in (old.timing, new.timing)
    )
    factors = {
        rule_id: seconds / before[rule_id]
        for rule_id, seconds in now.items()
        if before.get(rule_id, 0) > 0
        and seconds > SLOWER_FACTOR * before[rule_id]
        and seconds > before[rule_id] + SLOWER_SECONDS
    }
    worst = sorted(factors, key=lambda rule_id: (-factors[rule_id], rule_id))
    return [f"{rule_id} {before[rule_id]:g}s -> {now[rule_id]:g}s" for rule_id in worst]
