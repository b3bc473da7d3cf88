"""The report for logs of GitHub: commands that annotate the lines of a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gsl.errors import printable
from gslverify.finding import Finding, RuleResult
from gslverify.project import in_project
from gslverify.report.concise import findings_of, level_of
from gslverify.report.details import command_for, hint_of
from gslverify.report.record import Report
from gslverify.report.text import summary_lines
from gslverify.settings import Settings

MOST_OF_A_LEVEL = 10
"""GitHub shows no more annotations of one level for a step."""

LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def github(report: Report) -> str:
    """Return an annotation for each finding, at most ten of a level, and the summary."""
    lines: list[str] = []
    written: Counter[str] = Counter()
    for result, finding in findings_of(report):
        reason = report.known_failures.reason(result, finding)
        level = LEVELS["note" if reason else level_of(finding)]
        written[level] += 1
        if written[level] <= MOST_OF_A_LEVEL:
            lines.append(_annotation(level, result, finding, report.settings, reason))
    lines += _left_out(written)
    lines += [printable(line) for line in summary_lines(report.done, report.settings, report.style)]
    return "".join(f"{line}\n" for line in (*lines, *report.remarks))


def _left_out(written: Counter[str]) -> Iterator[str]:
    for level, count in written.items():
        if count > MOST_OF_A_LEVEL:
            left = count - MOST_OF_A_LEVEL
            yield f"{left} more of level {level} are not annotated; another report has them all"


def _annotation(
    level: str, result: RuleResult, finding: Finding, settings: Settings, reason: str
) -> str:
    span = finding.span or result.span
    name = result.rule_id.rpartition("::")[2]
    facts = {"title": f"{'known: ' if reason else ''}{finding.code} {name}"}
    if span is not None:
        facts |= {"file": in_project(Path(span.file)), "line": str(span.line)}
        facts |= {"col": str(span.column)}
        if span.end_line:
            facts |= {"endLine": str(span.end_line), "endColumn": str(span.end_column)}
    text = [finding.message, reason and f"known: {reason}", hint_of(finding, settings)]
    text.append(command_for(result, settings))
    message = _data("\n".join(part for part in text if part))
    return f"::{level} {','.join(f'{k}={_property(v)}' for k, v in facts.items())}::{message}"


def _data(text: str) -> str:
    plain = printable(text)
    return plain.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
