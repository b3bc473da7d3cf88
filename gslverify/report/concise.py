"""The report of a line for each finding, in the form that editors and compilers use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gslverify.finding import Finding, RuleResult, Verdict
from gslverify.project import from_here, parted
from gslverify.report.known import NOTHING, Known
from gslverify.report.record import Report
from gslverify.report.text import summary_lines, worth_telling


def concise(report: Report) -> str:
    """Return "file:line:column: level CODE rule: message" for each finding, and the summary."""
    style = report.style
    lines = [
        finding_line(result, finding, report.known_failures)
        for result in report.done.results
        for finding in worth_telling(result, style)
    ]
    lines += summary_lines(report.done, report.settings, style)
    return "".join(f"{style.plain(line)}\n" for line in (*lines, *report.remarks))


def finding_line(result: RuleResult, finding: Finding, known: Known = NOTHING) -> str:
    """Return place, level, code, rule and message of a finding on one line."""
    message = " ".join(finding.message.split())
    name = result.rule_id.rpartition("::")[2]
    reason = known.reason(result, finding)
    level = "known" if reason else level_of(finding)
    because = f" ({reason})" if reason else ""
    return f"{place_of(result, finding)}: {level} {finding.code} {name}: {message}{because}"


def place_of(result: RuleResult, finding: Finding) -> str:
    """Return "file:line:column" of a finding, else of its rule, else the file of the rule."""
    span = finding.span or result.span
    if span is None:
        return parted(result.rule_id)[0]
    return f"{from_here(Path(span.file))}:{span.line}:{span.column}"


def level_of(finding: Finding) -> str:
    """Return "error", "warning" for what leaves the verdict alone, or "note" for undecided."""
    if finding.code.is_warning:
        return "warning"
    return "note" if finding.code.verdict is Verdict.INCONCLUSIVE else "error"


def findings_of(report: Report) -> Iterator[tuple[RuleResult, Finding]]:
    """Yield the findings that formats for other programs list: all that were not expected."""
    for result, finding in report.findings:
        if result.verdict is not Verdict.XFAIL:
            yield result, finding
