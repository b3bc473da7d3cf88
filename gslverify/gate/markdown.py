"""Changes between two runs as a comment for a pull request."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from gsl.errors import printable
from gslverify.gate.judge import FATAL, Change
from gslverify.gate.lines import SILENT, counts_text, verdict_text
from gslverify.report.details import block_lines
from gslverify.report.documents import FindingDocument, ReportDocument, RuleDocument
from gslverify.report.markdown import MOST_ROWS, fenced, fitting, inline, name_of, table
from gslverify.report.reading import as_finding
from gslverify.report.style import Style

MARKER = "<!-- gslverify compare -->"
"""First line, by which a bot finds the comment that it has to replace."""

Rules = Mapping[str, RuleDocument]
"""The rules of a report by their ids."""


def comparison(changes: Sequence[Change], new: ReportDocument, slower: Sequence[str]) -> str:
    """Return counts, a table of what differs, and details of what fails, from the newer report."""
    shown = [change for change in changes if change.kind not in SILENT]
    facts = f"profile {inline(new.run.profile)}, seed {new.run.seed}"
    lines = [MARKER, f"### gslverify: {counts_text(changes)}  ({facts})", ""]
    rules = {rule.id: rule for rule in new.rules}
    if shown:
        rows = [_row(change, rules) for change in shown]
        lines += table(("", "rule", "before", "now", "code"), rows)
    failing = [change for change in shown if change.kind in FATAL][:MOST_ROWS]
    lines += fitting(_details(rules[change.rule_id]) for change in failing)
    if slower:
        lines += [f"slower: {inline(', '.join(slower))}"]
    return "".join(f"{line}\n" for line in lines)


def _row(change: Change, rules: Rules) -> tuple[str, ...]:
    before, now = verdict_text(change.before), verdict_text(change.now)
    said = change.detail
    if change.kind in FATAL:
        for code, message in _messages(rules[change.rule_id]).items():
            said = said.replace(code, f"{code} {message}", 1)
    return str(change.kind), name_of(change.rule_id), before, now, inline(said)


def _errors(rule: RuleDocument) -> list[FindingDocument]:
    return [finding for finding in rule.findings if finding.level == "error"]


def _messages(rule: RuleDocument) -> dict[str, str]:
    """Return what was found first under each code that speaks against a rule."""
    return {finding.code: finding.message for finding in reversed(_errors(rule))}


def _details(rule: RuleDocument) -> Iterator[str]:
    """Yield what can be unfolded: both sides as drawings, the findings, and how to run them."""
    name = escape(printable(rule.id.rpartition("::")[2]))
    drawing = rule.drawing
    yield f"<details><summary>{name}{': source and target' if drawing else ''}</summary>"
    yield ""
    if drawing is not None:
        for side, lines in (("Source", drawing.source), ("Target", drawing.target)):
            yield from (f"{side}:", "", *fenced(list(lines), "mermaid"))
    errors = _errors(rule)
    if errors:
        yield from fenced(_block(rule.id, errors))
        yield from fenced(_commands(errors), "sh")
    yield "</details>"
    yield ""


def _block(rule_id: str, findings: Sequence[FindingDocument]) -> list[str]:
    """Return findings about a rule as the run has shown them."""
    found = [as_finding(one) for one in findings]
    lines = [one.source_line for one in findings]
    return block_lines(rule_id, found, findings[0].repro, Style(), lines)


def _commands(findings: Sequence[FindingDocument]) -> list[str]:
    """Return how to run counterexamples again that were kept, and how to verify their rule."""
    stored = [one.stored for one in findings if one.stored]
    again = [shlex.join(["gslverify", "repro", file]) for file in stored]
    return [*again, findings[0].repro]
