"""The report for pull requests: Markdown with a table, and drawings of refuted rules in Mermaid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape

from gsl.drawing.show import sides_mermaid
from gsl.errors import printable
from gslverify.codes.corpus import is_rule
from gslverify.finding import Finding, RuleResult
from gslverify.report.details import finding_block, repro_command
from gslverify.report.drawings import drawn_for
from gslverify.report.record import QUIET, Report
from gslverify.report.text import counts_text
from gslverify.report.values import counted

MARKER = "<!-- gslverify -->"
"""First line, by which a bot finds the comment that it has to replace."""

MOST_ROWS = 20
MOST_CHARACTERS = 60_000
"""Of a comment; GitHub takes 65,536."""


def markdown(report: Report) -> str:
    """Return counts, a table of what needs attention, and details that can be unfolded."""
    troubled = [result for result in report.done.results if result.verdict not in QUIET]
    settings = report.settings
    facts = f"profile {inline(settings.profile)}, seed {settings.seed}"
    lines = [MARKER, f"### gslverify: {counts_text(report.done)}  ({facts})", ""]
    if report.done.stop_reason:
        lines += [f"The run is not complete: {inline(report.done.stop_reason)}.", ""]
    if troubled:
        lines += table(("verdict", "rule", "code"), [_row(result) for result in troubled])
    rules = [result for result in troubled if is_rule(result)][:MOST_ROWS]
    lines += fitting(details(report, result) for result in rules)
    lines += [inline(remark) for remark in report.remarks]
    return "".join(f"{line}\n" for line in lines)


def fitting(blocks: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield blocks of lines while they fit into a comment, then how many do not."""
    room, left_out = MOST_CHARACTERS, 0
    for block in blocks:
        lines = list(block)
        room -= sum(len(line) + 1 for line in lines)
        if room >= 0:
            yield from lines
        left_out += room < 0
    if left_out:
        yield f"for details of {counted(left_out, 'more rule')} see the full report"
        yield ""


def table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Yield a table of at most 20 rows, and how many are left out."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows[:MOST_ROWS]:
        yield f"| {' | '.join(row)} |"
    if len(rows) > MOST_ROWS:
        yield ""
        yield f"and {len(rows) - MOST_ROWS} more, which the full report lists"
    yield ""


def _row(result: RuleResult) -> tuple[str, ...]:
    errors = [finding for finding in result.findings if not finding.code.is_warning]
    said = "; ".join(dict.fromkeys(f"{finding.code} {finding.message}" for finding in errors))
    return result.verdict.value, name_of(result.rule_id), inline(said)


def name_of(rule_id: str) -> str:
    """Return the id of a rule as code."""
    return code_span(rule_id.replace("|", "\\|"))


def code_span(text: str) -> str:
    """Return text between as many backticks as it needs."""
    plain = printable(" ".join(text.split()))
    ticks = "`" * (_longest_run(plain) + 1)
    space = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{ticks}{space}{plain}{space}{ticks}"


def inline(text: str) -> str:
    """Return text that Markdown shows as it is, on one line and in one cell."""
    plain = printable(" ".join(text.split()))
    return re.sub(r"([\\`*_\[\]|~#])", r"\\\1", escape(plain, quote=False))


def fenced(lines: list[str], language: str = "") -> list[str]:
    """Return lines as a block of code that they cannot end themselves."""
    fence = "`" * max(3, _longest_run("\n".join(lines)) + 1)
    return [f"{fence}{language}", *map(printable, lines), fence]


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def details(report: Report, result: RuleResult) -> Iterator[str]:
    """Yield what can be unfolded about a rule: its drawing, its findings, how to run it again."""
    name = result.rule_id.rpartition("::")[2]
    yield f"<details><summary>{escape(printable(name))}: {result.verdict.value}</summary>"
    yield ""
    drawings = drawn_for(report.collected, result)
    if drawings is not None:
        yield from fenced(sides_mermaid(drawings.source, drawings.target), "mermaid")
    findings = [f for f in result.findings if not f.code.is_warning]
    yield from fenced(_blocks(report, result, findings))
    if "::" in result.rule_id:
        yield from fenced([repro_command(result.rule_id, report.settings)], "sh")
    yield "</details>"
    yield ""


def _blocks(report: Report, result: RuleResult, findings: list[Finding]) -> list[str]:
    blocks = [finding_block(result, f, report.settings, report.style) for f in findings]
    return "\n\n".join("\n".join(block) for block in blocks).splitlines()
